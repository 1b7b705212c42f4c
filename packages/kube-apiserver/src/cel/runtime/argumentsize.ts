import { AccumulatorList } from './iteration.js';
import { List, ValueMap, type Value } from './value.js';

/** Calls that do not look at all of their arguments. */
const CONSTANT_TIME: ReadonlySet<string> = new Set(['size_list', 'list_size', '@mapInsert_map_key_value']);

/** Finding the keys of an object takes long. */
export const PER_KEY = 4;

/** What a call may have to look at: characters, sixteen at a time, items and keys, not what is within them. */
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
