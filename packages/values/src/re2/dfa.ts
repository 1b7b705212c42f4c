import { spend, type Budget } from './pike.js';
import type { Program } from './program.js';

/** Limits on cached states and transitions; the cache is cleared when one is exceeded. */
const MAX_STATES = 1000;
const MAX_TRANSITIONS = 50_000;

interface State {
  /** Instructions that consume a character, and end-of-text assertions. */
  readonly members: readonly number[];
  readonly matched: boolean;
  readonly transitions: Map<number, State>;
}

/**
 * Tests whether an expression matches anywhere in a text, with a deterministic automaton whose states are built on
 * demand. Takes one step per character once its states are cached. Only for programs without context assertions.
 */
export class Dfa {
  readonly #program: Program;
  readonly #states = new Map<string, State>();
  #ways = 0;

  constructor(program: Program) {
    this.#program = program;
  }

  test(text: string, budget: Budget): boolean {
    let state = this.#state([this.#program.start], { begin: true, end: false }, budget);
    let steps = 0;
    for (let at = 0; at < text.length && !state.matched;) {
      const code = text.codePointAt(at) ?? 0;
      state = state.transitions.get(code) ?? this.#step(state, code, budget);
      at += code > 0xffff ? 2 : 1;
      steps += 1;
      // A state without instructions cannot match any more.
      if (state.members.length === 0 && !state.matched) break;
    }
    spend(budget, steps >> 4);
    return state.matched || this.#closure(state.members, { begin: text === '', end: true }, budget).matched;
  }

  #step(from: State, code: number, budget: Budget): State {
    if (this.#states.size > MAX_STATES || this.#ways > MAX_TRANSITIONS) this.#forget();
    const next: number[] = [];
    for (const at of from.members) {
      const instruction = this.#program.code[at];
      if (instruction?.op === 'set' && instruction.set.has(code)) next.push(instruction.next);
    }
    spend(budget, from.members.length);
    const state = this.#state([...next, this.#program.start], { begin: false, end: false }, budget);
    from.transitions.set(code, state);
    this.#ways += 1;
    return state;
  }

  #forget(): void {
    for (const state of this.#states.values()) state.transitions.clear();
    this.#states.clear();
    this.#ways = 0;
  }

  #state(starts: readonly number[], place: TextPosition, budget: Budget): State {
    const { members, matched } = this.#closure(starts, place, budget);
    const key = `${matched ? 'm' : ''}${members.join(',')}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state: State = { members, matched, transitions: new Map() };
    this.#states.set(key, state);
    return state;
  }

  #closure(starts: readonly number[], place: TextPosition, budget: Budget): { members: number[]; matched: boolean } {
    const seen = new Set<number>();
    const stack = [...starts];
    const members: number[] = [];
    let matched = false;
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const instruction = this.#program.code[at];
      if (instruction?.op === 'match') matched = true;
      else if (instruction?.op === 'set') members.push(at);
      else if (instruction?.op === 'split') stack.push(instruction.next, instruction.other);
      else if (instruction?.op === 'assert' && (instruction.what === 'textBegin' ? place.begin : place.end))
        stack.push(instruction.next);
      else if (instruction?.op === 'assert' && instruction.what === 'textEnd') members.push(at);
    }
    spend(budget, seen.size);
    return { members: members.sort((a, b) => a - b), matched };
  }
}

interface TextPosition {
  readonly begin: boolean;
  readonly end: boolean;
}
