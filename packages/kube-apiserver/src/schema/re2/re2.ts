import { Automaton } from './dfa.js';
import { search, spend, type Budget } from './pike.js';
import { parse } from './parse.js';
import { compile, type Program } from './program.js';

/**
 * Regular expressions of untrusted authors: the syntax, the meaning and the errors of Go's regexp (RE2), in time that is
 * bounded. JavaScript's own expressions backtrack, so that `(a+)+$` of a CRD could hang the process; here a text is read
 * once, by an automaton of all the ways to match. What remains (size of expression × length of text, when the automaton
 * has to be built anew all the time) is counted against a {@link Budget}, and given up with TooManySteps.
 */
export class Regexp {
  readonly #program: Program;
  readonly #automaton: Automaton | undefined;

  /** @throws PatternError with Go's words. */
  constructor(pattern: string) {
    this.#program = compile(parse(pattern), pattern);
    this.#automaton = this.#program.looksAround ? undefined : new Automaton(this.#program);
  }

  /**
   * Whether it matches somewhere in the text.
   * @throws TooManySteps
   */
  test(text: string, budget: Budget = freshBudget()): boolean {
    if (this.#automaton !== undefined) return this.#automaton.test(text, budget);
    spend(budget, text.length >> 2);
    return search(this.#program, text, 0, budget) !== undefined;
  }

  /**
   * The leftmost match at or after `from`, of those the one that Go prefers; begin and end in code units.
   * @throws TooManySteps
   */
  find(text: string, from = 0, budget: Budget = freshBudget()): readonly [number, number] | undefined {
    return search(this.#program, text, from, budget);
  }
}

/** Steps for one request: about a quarter of a second of work. */
const STEPS = 3_000_000;

export function freshBudget(): Budget {
  return { left: STEPS };
}

const MAX_KEPT = 500;
const kept = new Map<string, Regexp>();

/**
 * The expression of a pattern, compiled once; the oldest ones are forgotten.
 * @throws PatternError
 */
export function regexp(pattern: string): Regexp {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  const made = new Regexp(pattern);
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? '');
  kept.set(pattern, made);
  return made;
}
