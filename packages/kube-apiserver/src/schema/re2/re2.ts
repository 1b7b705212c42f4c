import { Dfa } from './dfa.js';
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
  readonly #automaton: Dfa | undefined;

  /** @throws PatternError with Go's words. */
  constructor(pattern: string) {
    this.#program = compile(parse(pattern), pattern);
    this.#automaton = this.#program.hasContextAssertions ? undefined : new Dfa(this.#program);
  }

  /**
   * Whether it matches somewhere in the text.
   * @throws TooManySteps
   */
  test(text: string, budget: Budget = newBudget()): boolean {
    if (this.#automaton !== undefined) return this.#automaton.test(text, budget);
    spend(budget, text.length >> 2);
    return search(this.#program, text, 0, budget) !== undefined;
  }

  /**
   * The leftmost match at or after `from`, of those the one that Go prefers; begin and end in code units.
   * @throws TooManySteps
   */
  find(text: string, from = 0, budget: Budget = newBudget()): readonly [number, number] | undefined {
    return search(this.#program, text, from, budget);
  }
}

/** Steps for one request: about a quarter of a second of work. */
const STEPS = 3_000_000;

export function newBudget(): Budget {
  return { left: STEPS };
}

const MAX_COMPILED = 500;
const compiled = new Map<string, Regexp>();

/**
 * The expression of a pattern, compiled once; the oldest ones are forgotten.
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
