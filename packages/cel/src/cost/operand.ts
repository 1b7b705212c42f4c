import type { CelType } from '../language/celtype.js';
import type { Expr } from '../language/expression.js';
import { fixed, plus, scale, times, type Range } from './range.js';

/** An operand of a call with its estimated sizes. */
export interface Operand {
  readonly expr: Expr | undefined;
  readonly type: CelType;
  /** Size of the value; 0 to {@link MAX_ESTIMATE} when unknown. */
  readonly size: Range;
  /** Size of an item of a list that a schema describes. */
  readonly itemSize: Range;
}

/**
 * The cost of a call without its operands, and the size of the result; undefined where the type determines the size.
 */
export interface Estimate {
  readonly cost: Range;
  readonly size?: Range;
}

export interface CallShape {
  readonly target: Operand | undefined;
  readonly args: readonly Operand[];
}

export type Estimator = (call: CallShape) => Estimate | undefined;

/** Cost per character of a string, and per character of a pattern. */
export const PER_CHAR = 0.1;
export const PER_PATTERN_CHAR = 0.25;
export const ONE = fixed(1);

export function perChar(operand: Operand | undefined, factor = 1): Estimate | undefined {
  return operand === undefined ? undefined : { cost: scale(operand.size, factor * PER_CHAR) };
}

/** A search costs the length of the text times that of the pattern. */
export function searchCost(text: Operand | undefined, pattern: Operand | undefined): Range | undefined {
  if (text === undefined || pattern === undefined) return undefined;
  return times(scale(plus(text.size, ONE), PER_CHAR), scale(pattern.size, PER_PATTERN_CHAR));
}
