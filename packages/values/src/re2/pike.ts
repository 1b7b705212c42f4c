import { isWord } from './charset.js';
import type { Assertion } from './syntax.js';
import type { Program } from './program.js';

/** The remaining steps for matching, shared by all matches of one request. */
export interface Budget {
  left: number;
}

/** Matching exceeded its budget of steps. */
export class TooManySteps extends Error {
  override readonly name = 'TooManySteps';

  constructor() {
    super('matching a regular expression takes too many steps');
  }
}

export function spend(budget: Budget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw new TooManySteps();
}

/** The characters before and after a position; -1 at the ends of the text. */
interface AdjacentCharacters {
  readonly before: number;
  readonly after: number;
}

function holds(what: Assertion, { before, after }: AdjacentCharacters): boolean {
  switch (what) {
    case 'textBegin':
      return before < 0;
    case 'textEnd':
      return after < 0;
    case 'lineBegin':
      return before < 0 || before === 10;
    case 'lineEnd':
      return after < 0 || after === 10;
    case 'wordBoundary':
      return isWord(before) !== isWord(after);
    case 'noWordBoundary':
      return isWord(before) === isWord(after);
  }
}

interface Thread {
  readonly at: number;
  readonly begin: number;
}

/**
 * Runs a program over a text with all threads in parallel and in order of priority (a Pike VM): finds the leftmost
 * match, and among those the one that Go's regexp prefers. Takes at most length × program size steps.
 * @returns start and end of the match at or after `from`, in UTF-16 code units.
 */
export function search(
  program: Program,
  text: string,
  from: number,
  budget: Budget,
): readonly [number, number] | undefined {
  let found: readonly [number, number] | undefined;
  let threads: Thread[] = [];
  let before = from > 0 ? text.charCodeAt(from - 1) : -1;
  for (let at = from; ;) {
    const after = text.codePointAt(at) ?? -1;
    if (found === undefined) threads.push({ at: program.start, begin: at });
    const { steps, matched } = followEmptyTransitions(program, threads, { before, after }, budget);
    if (matched !== undefined) found = [matched, at];
    if (after < 0 || (steps.length === 0 && found !== undefined)) return found;
    threads = steps
      .filter((thread) => consumes(program, thread.at, after))
      .map((thread) => ({ at: nextInstruction(program, thread.at), begin: thread.begin }));
    before = after;
    at += after > 0xffff ? 2 : 1;
  }
}

function consumes(program: Program, at: number, code: number): boolean {
  const instruction = program.code[at];
  return instruction?.op === 'set' && instruction.set.has(code);
}

function nextInstruction(program: Program, at: number): number {
  const instruction = program.code[at];
  return instruction?.op === 'set' ? instruction.next : 0;
}

/** Follows instructions that consume no character. Threads of lower priority than a matching one are dropped. */
function followEmptyTransitions(
  program: Program,
  threads: readonly Thread[],
  around: AdjacentCharacters,
  budget: Budget,
): { steps: Thread[]; matched: number | undefined } {
  const seen = new Set<number>();
  const steps: Thread[] = [];
  const stack = threads.toReversed();
  for (let thread = stack.pop(); thread !== undefined; thread = stack.pop()) {
    if (seen.has(thread.at)) continue;
    seen.add(thread.at);
    spend(budget, 1);
    const { begin } = thread;
    const instruction = program.code[thread.at];
    if (instruction?.op === 'match') return { steps, matched: begin };
    if (instruction?.op === 'set') steps.push(thread);
    else if (instruction?.op === 'split') stack.push({ at: instruction.other, begin }, { at: instruction.next, begin });
    else if (instruction !== undefined && holds(instruction.what, around)) stack.push({ at: instruction.next, begin });
  }
  return { steps, matched: undefined };
}
