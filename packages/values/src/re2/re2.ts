import { Dfa } from './dfa.js';
import { search, spend, type Budget } from './pike.js';
import { parse } from './parse.js';
import { compile, type Program } from './program.js';

/**
 * Regular expressions from untrusted authors, with the syntax, semantics and errors of Go's regexp (RE2) in bounded
 * time. JavaScript's own expressions backtrack, so `(a+)+$` in a CRD could block the process; here automata read a text
 * once. The remaining cost (size of expression × length of text in the worst case) is charged to a {@link Budget};
 * TooManySteps is thrown when it is exhausted.
 */
export class Regexp {
  readonly #program: Program;
  readonly #automaton: Dfa | undefined;

  /** @throws PatternError with Go's message. */
  constructor(pattern: string) {
    this.#program = compile(parse(pattern), pattern);
    this.#automaton = this.#program.hasContextAssertions ? undefined : new Dfa(this.#program);
  }

  /**
   * Whether the expression matches anywhere in the text.
   * @throws TooManySteps
   */
  test(text: string, budget: Budget = newBudget()): boolean {
    if (this.#automaton !== undefined) return this.#automaton.test(text, budget);
    spend(budget, text.length >> 2);
    return search(this.#program, text, 0, budget) !== undefined;
  }

  /**
   * The leftmost match at or after `from` that Go prefers: start and end in UTF-16 code units.
   * @throws TooManySteps
   */
  find(text: string, from = 0, budget: Budget = newBudget()): readonly [number, number] | undefined {
    return search(this.#program, text, from, budget);
  }
}

/** The steps of one request: about a quarter of a second. */
const STEPS = 3_000_000;

export function newBudget(): Budget {
  return { left: STEPS };
}

const MAX_COMPILED = 500;
const compiled = new Map<string, Regexp>();

/**
 * The compiled expression of a pattern, from a cache of limited size.
 * @throws PatternError
 */
export function regexp(pattern: string): Regexp {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = new Regexp(pattern);
  if (compiled.size >= MAX_COMPILED) compiled.delete(compiled.keys().next().value ?? '');
  compiled.set(pattern, made);
  return made;
}
