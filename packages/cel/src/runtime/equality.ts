import type { Budget } from '../language/budget.js';
import {
  Duration,
  List,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  ValueMap,
  type Value,
} from '../language/value.js';

/**
 * CEL equality: numbers compare by value across types; values of other different types are not equal. Throws only
 * CostExceeded.
 */
export function same(a: Value, b: Value, budget: Budget): boolean {
  budget.chargeSteps(1);
  if (a === b) return true;
  if (isNumber(a)) return isNumber(b) && compareNumbers(a, b) === 0;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (a instanceof List) return b instanceof List && sameLists(a, b, budget);
  if (a instanceof ValueMap) return b instanceof ValueMap && sameMaps(a, b, budget);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  return sameSpecial(a, b, budget);
}

function sameSpecial(a: Value, b: Value, budget: Budget): boolean {
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.type.name === b.type.name;
  if (a instanceof Opaque) return b instanceof Opaque && a.typeName === b.typeName && a.equals(b, budget);
  if (!(a instanceof Optional) || !(b instanceof Optional)) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return same(a.value, b.value, budget);
}

function sameLists(a: List, b: List, budget: Budget): boolean {
  if (a.size !== b.size) return false;
  if (a.equals !== undefined) return a.equals(b, (one, otherValue) => same(one, otherValue, budget));
  const others = b.items();
  return a.items().every((item, index) => same(item, others[index] ?? null, budget));
}

function sameMaps(a: ValueMap, b: ValueMap, budget: Budget): boolean {
  if (a.size !== b.size) return false;
  budget.chargeSteps(a.size);
  if (a.sameUndeclared?.(b, budget) === false) return false;
  // Only a map with a schema knows the JSON key; one without has its entries by it.
  return a.keys().every((key) => {
    const value = a.find(key);
    const otherValue = b.find(b.jsonKey === undefined ? (a.jsonKey?.(key) ?? key) : key);
    if (value === undefined || otherValue === undefined) return value === otherValue;
    return same(value, otherValue, budget);
  });
}

export type Numeric = bigint | number | Uint;

export function isNumber(value: Value): value is Numeric {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

/** -1, 0 or 1, exact across types; undefined when one is NaN. */
export function compareNumbers(a: Numeric, b: Numeric): number | undefined {
  const one = a instanceof Uint ? a.value : a;
  const two = b instanceof Uint ? b.value : b;
  // JavaScript compares a bigint with a number exactly.
  if (one < two) return -1;
  if (one > two) return 1;
  return Number.isNaN(one) || Number.isNaN(two) ? undefined : 0;
}
