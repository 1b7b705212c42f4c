import { EvaluationError } from '../language/error.js';
import { List, Optional, runtimeType, Uint, ValueMap, type Value } from '../language/value.js';

/**
 * The value of a field or index; undefined where there is none or the operand has no fields. Throws EvaluationError.
 */
function lookup(operand: Value, key: Value): Value | undefined {
  if (operand instanceof ValueMap) return operand.find(key);
  if (!(operand instanceof List)) return undefined;
  const place = placeOf(key);
  return place < 0n || place >= BigInt(operand.size) ? undefined : operand.at(Number(place));
}

/** A list index: an int, or a double without a fraction. */
function placeOf(key: Value): bigint {
  if (typeof key === 'bigint') return key;
  if (key instanceof Uint) return key.value;
  if (typeof key !== 'number') throw new EvaluationError(`unsupported index type '${runtimeType(key).name}' in list`);
  if (!Number.isInteger(key)) throw new EvaluationError(`unsupported index value ${key} in list`);
  return BigInt(key);
}

/** `operand.key` and `operand[key]`. An optional operand gives an optional. Throws EvaluationError. */
export function access(operand: Value, key: Value): Value {
  if (operand instanceof Optional) return optionalAccess(operand, key);
  const value = lookup(operand, key);
  if (value !== undefined) return value;
  throw new EvaluationError(
    operand instanceof List ? `index out of bounds: ${keyText(key)}` : `no such key: ${keyText(key)}`,
  );
}

/** `operand.?key` and `operand[?key]`. */
export function optionalAccess(operand: Value, key: Value): Optional {
  const inner = operand instanceof Optional ? operand.value : operand;
  const value = inner === undefined ? undefined : lookup(inner, key);
  return value === undefined ? Optional.none : new Optional(value);
}

/** has(operand.key). */
export function isPresent(operand: Value, key: string): boolean {
  return optionalAccess(operand, key).value !== undefined;
}

function keyText(key: Value): string {
  if (key instanceof Uint) return String(key.value);
  return typeof key === 'object' ? runtimeType(key).name : String(key);
}
