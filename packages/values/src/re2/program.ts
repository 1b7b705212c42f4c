import type { CharSet } from './charset.js';
import { PatternError, type Assertion, type Node } from './syntax.js';

/** Limit on the instructions of one expression. Go's limit is higher; no reasonable expression reaches this one. */
const MAX_INSTRUCTIONS = 50_000;

/** One instruction of a program; `next` and `other` are indexes in its code. */
export type Instruction =
  | { readonly op: 'set'; readonly set: CharSet; readonly next: number }
  | { readonly op: 'assert'; readonly what: Assertion; readonly next: number }
  /** `next` is preferred to `other`. */
  | { readonly op: 'split'; readonly next: number; readonly other: number }
  | { readonly op: 'match' };

export interface Program {
  readonly code: readonly Instruction[];
  readonly start: number;
  /** Whether an assertion depends on an adjacent character, as those of lines and words do. */
  readonly hasContextAssertions: boolean;
}

/**
 * Compiles an expression to a non-deterministic automaton, from its end to its beginning: an instruction names the one
 * that follows it, so that one is emitted first.
 * @throws PatternError when it is too large
 */
export function compile(node: Node, pattern: string): Program {
  const code: Instruction[] = [{ op: 'match' }];
  const emit = (instruction: Instruction): number => {
    if (code.length >= MAX_INSTRUCTIONS) throw new PatternError('expression too large', pattern.slice(0, 200));
    return code.push(instruction) - 1;
  };
  const start = emitNode(node, 0, { code, emit });
  const hasContextAssertions = code.some(
    (one) => one.op === 'assert' && one.what !== 'textBegin' && one.what !== 'textEnd',
  );
  return { code, start, hasContextAssertions };
}

interface Output {
  readonly code: Instruction[];
  readonly emit: (instruction: Instruction) => number;
}

/** Emits instructions that match `node` and continue at `next`; returns the first one. */
function emitNode(node: Node, next: number, out: Output): number {
  switch (node.kind) {
    case 'empty':
      return next;
    case 'set':
      return out.emit({ op: 'set', set: node.set, next });
    case 'assert':
      return out.emit({ op: 'assert', what: node.what, next });
    case 'cat':
      return node.parts.reduceRight((after, part) => emitNode(part, after, out), next);
    case 'alt': {
      const starts = node.parts.map((part) => emitNode(part, next, out));
      return starts.reduceRight((other, start) => out.emit({ op: 'split', next: start, other }));
    }
    case 'repeat':
      return emitRepeat(node, next, out);
  }
}

/** `x{min,max}`: `min` times `x`, then up to `max - min` optional ones; without a maximum a loop takes their place. */
function emitRepeat(node: Extract<Node, { kind: 'repeat' }>, next: number, out: Output): number {
  const { min, max, lazy } = node;
  let start = next;
  if (max === undefined) start = emitLoop(node, next, out);
  else for (let count = min; count < max; count++) start = out.emit(split(emitNode(node.node, start, out), next, lazy));
  // The loop of `x+` has one mandatory `x` already.
  const mandatory = max === undefined && min > 0 ? min - 1 : min;
  for (let count = 0; count < mandatory; count++) start = emitNode(node.node, start, out);
  return start;
}

/** Emits `x*`, or `x+` when the minimum is at least one. */
function emitLoop(node: Extract<Node, { kind: 'repeat' }>, next: number, out: Output): number {
  // The body goes back to the loop, so the loop has its place first, and its instruction when the body is known.
  const loop = out.emit({ op: 'match' });
  const body = emitNode(node.node, loop, out);
  out.code[loop] = split(body, next, node.lazy);
  return node.min > 0 ? body : loop;
}

/** The choice between the body of a repetition and what follows it; a lazy repetition prefers the latter. */
function split(body: number, next: number, lazy: boolean): Instruction {
  return lazy ? { op: 'split', next, other: body } : { op: 'split', next: body, other: next };
}
