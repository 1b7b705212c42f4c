import { AccumulatorList } from './iteration.js';
import { List, ValueMap, type Value } from '../language/value.js';

/** Overloads that do not read all of their arguments. */
const CONSTANT_TIME: ReadonlySet<string> = new Set(['size_list', 'list_size', '@mapInsert_map_key_value']);

/** Steps per key of an object: listing keys is slow. */
export const PER_KEY = 4;

/**
 * The work of a call from the size of its arguments: characters (sixteen per step), items and keys, without nested
 * values.
 */
export function argumentSize(overload: string, args: readonly Value[]): number {
  if (CONSTANT_TIME.has(overload)) return 0;
  let sum = 0;
  for (const arg of args) {
    if (typeof arg === 'string' || arg instanceof Uint8Array) sum += arg.length >> 4;
    else if (arg instanceof ValueMap) sum += arg.size * PER_KEY;
    else if (arg instanceof List && !(arg instanceof AccumulatorList)) sum += arg.size;
  }
  return sum;
}
