import type { Expr } from '../language/expression.js';
import { isOptional, parameterOf, type CelType } from '../language/celtype.js';
import { codePoints } from '../language/value.js';
import { fixed, type Range } from './range.js';

/** The size of a literal; undefined for other expressions. */
export function literalSize(expr: Expr): Range | undefined {
  if (expr.kind === 'list') return fixed(expr.items.length);
  if (expr.kind === 'map') return fixed(expr.entries.length);
  if (expr.kind !== 'literal') return undefined;
  if (typeof expr.value === 'string') return fixed(codePoints(expr.value));
  return fixed(expr.value instanceof Uint8Array ? expr.value.length : 1);
}

/** Whether all values of a type have size 1. */
export function isScalar(type: CelType): boolean {
  if (isOptional(type)) return isScalar(parameterOf(type));
  return ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].includes(type.kind);
}
