import { compareBytes } from '@multicluster-engine/values/text/go';
import { Library } from '../language/signature.js';
import type { Budget } from '../language/budget.js';
import { compareNumbers, isNumber, same } from '../runtime/equality.js';
import { EvaluationError, noSuchOverload } from '../language/error.js';
import { FIRST_MOMENT, LAST_MOMENT } from '../language/time.js';
import { Duration, List, LiteralMap, Timestamp, Uint, ValueMap, type Value } from '../language/value.js';

const COMPARABLE = [
  ['bool', 'bool', 'bool'],
  ['int64', 'int', 'int'],
  ['int64_double', 'int', 'double'],
  ['int64_uint64', 'int', 'uint'],
  ['uint64', 'uint', 'uint'],
  ['uint64_double', 'uint', 'double'],
  ['uint64_int64', 'uint', 'int'],
  ['double', 'double', 'double'],
  ['double_int64', 'double', 'int'],
  ['double_uint64', 'double', 'uint'],
  ['string', 'string', 'string'],
  ['bytes', 'bytes', 'bytes'],
  ['timestamp', 'timestamp', 'timestamp'],
  ['duration', 'duration', 'duration'],
] as const;

const ORDERS: readonly (readonly [string, string, (order: number) => boolean])[] = [
  ['_<_', 'less', (order) => order < 0],
  ['_<=_', 'less_equals', (order) => order <= 0],
  ['_>_', 'greater', (order) => order > 0],
  ['_>=_', 'greater_equals', (order) => order >= 0],
];

/** All operators. The evaluator implements `&&`, `||` and `?:`, which evaluate operands only as needed. */
export function operators(): Library {
  const library = new Library();
  library
    .add('conditional', '_?_:_(bool, A, A): A', neverCalled)
    .add('logical_and', '_&&_(bool, bool): bool', neverCalled)
    .add('logical_or', '_||_(bool, bool): bool', neverCalled);
  library.add('logical_not', '!_(bool): bool', ([value]) => value !== true);
  library.add('not_strictly_false', '@not_strictly_false(bool): bool', ([value]) => value !== false);
  library.add('equals', '_==_(A, A): bool', ([a = null, b = null], budget) => same(a, b, budget));
  library.add('not_equals', '_!=_(A, A): bool', ([a = null, b = null], budget) => !same(a, b, budget));
  addComparisons(library);
  addSums(library);
  addContainers(library);
  return library;
}

/** Stands for what the evaluator implements itself: nothing calls it. */
export function neverCalled(): Value {
  throw noSuchOverload();
}

function addComparisons(library: Library): void {
  for (const [name, id, holds] of ORDERS) {
    for (const [suffix, left, right] of COMPARABLE) {
      library.add(`${id}_${suffix}`, `${name}(${left}, ${right}): bool`, ([a = null, b = null]) =>
        holds(orderOf(a, b)),
      );
    }
  }
}

/** Compares two values of comparable types. Throws EvaluationError. */
export function orderOf(a: Value, b: Value): number {
  if (isNumber(a) && isNumber(b)) {
    const order = compareNumbers(a, b);
    if (order === undefined) throw new EvaluationError('NaN values cannot be ordered');
    return order;
  }
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return compareNumbers(a.nanos, b.nanos) ?? 0;
  if (a instanceof Duration && b instanceof Duration) return compareNumbers(a.nanos, b.nanos) ?? 0;
  throw noSuchOverload();
}

/** A signed 64-bit integer. Throws EvaluationError on overflow. */
export function int(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new EvaluationError('integer overflow');
  return value;
}

/** An unsigned 64-bit integer. Throws EvaluationError on overflow. */
export function uint(value: bigint): Uint {
  if (BigInt.asUintN(64, value) !== value) throw new EvaluationError('unsigned integer overflow');
  return new Uint(value);
}

type Ints = (a: bigint, b: bigint) => bigint;
type Doubles = (a: number, b: number) => number;

function divide(problem: string, run: Ints): Ints {
  return (a, b) => {
    if (b === 0n) throw new EvaluationError(problem);
    return run(a, b);
  };
}

const ARITHMETIC: readonly (readonly [string, string, Ints, Doubles | undefined])[] = [
  ['_+_', 'add', (a, b) => a + b, (a, b) => a + b],
  ['_-_', 'subtract', (a, b) => a - b, (a, b) => a - b],
  ['_*_', 'multiply', (a, b) => a * b, (a, b) => a * b],
  ['_/_', 'divide', divide('division by zero', (a, b) => a / b), (a, b) => a / b],
  ['_%_', 'modulo', divide('modulus by zero', (a, b) => a % b), undefined],
];

function addSums(library: Library): void {
  for (const [name, id, ints, doubles] of ARITHMETIC) {
    if (doubles !== undefined)
      library.add(`${id}_double`, `${name}(double, double): double`, ([a, b]) => doubles(Number(a), Number(b)));
    library.add(`${id}_int64`, `${name}(int, int): int`, ([a, b]) => int(ints(bigintOf(a), bigintOf(b))));
    library.add(`${id}_uint64`, `${name}(uint, uint): uint`, ([a, b]) => uint(ints(bigintOf(a), bigintOf(b))));
  }
  library.add('negate_double', '-_(double): double', ([a]) => -Number(a));
  library.add('negate_int64', '-_(int): int', ([a]) => int(-bigintOf(a)));
  library.add('add_string', '_+_(string, string): string', ([a, b]) => textOf(a) + textOf(b));
  library.add('add_bytes', '_+_(bytes, bytes): bytes', ([a, b]) => Buffer.concat([bytesOf(a), bytesOf(b)]));
  library.add('add_list', '_+_(list(A), list(A)): list(A)', ([a, b]) => listOf(a).concat(listOf(b)));
  addTimes(library);
}

function addTimes(library: Library): void {
  library.add('add_duration_duration', '_+_(duration, duration): duration', ([a, b]) =>
    duration(nanosOf(a) + nanosOf(b)),
  );
  library.add('add_duration_timestamp', '_+_(duration, timestamp): timestamp', ([a, b]) =>
    timestamp(nanosOf(a) + nanosOf(b), b),
  );
  library.add('add_timestamp_duration', '_+_(timestamp, duration): timestamp', ([a, b]) =>
    timestamp(nanosOf(a) + nanosOf(b), a),
  );
  library.add('subtract_duration_duration', '_-_(duration, duration): duration', ([a, b]) =>
    duration(nanosOf(a) - nanosOf(b)),
  );
  library.add('subtract_timestamp_duration', '_-_(timestamp, duration): timestamp', ([a, b]) =>
    timestamp(nanosOf(a) - nanosOf(b), a),
  );
  library.add('subtract_timestamp_timestamp', '_-_(timestamp, timestamp): duration', ([a, b]) =>
    duration(nanosOf(a) - nanosOf(b)),
  );
}

/** A timestamp with the offset of another. Throws EvaluationError outside of the years 1 to 9999. */
function timestamp(nanos: bigint, like?: Value): Timestamp {
  if (nanos < FIRST_MOMENT || nanos > LAST_MOMENT) throw new EvaluationError('timestamp overflow');
  return new Timestamp(nanos, like instanceof Timestamp ? like.offset : 0);
}

export function duration(nanos: bigint): Duration {
  return new Duration(int(nanos));
}

function addContainers(library: Library): void {
  library.add('index_list', '_[_](list(A), int): A', ([list, index]) => itemOf(listOf(list), index ?? null));
  library.add('index_map', '_[_](map(A, B), A): B', ([map, key = null]) => valueOf(mapOf(map), key));
  library.add('in_list', '@in(A, list(A)): bool', ([item = null, list], budget) =>
    contains(listOf(list), item, budget),
  );
  library.add('in_map', '@in(A, map(A, B)): bool', ([key = null, map]) => mapOf(map).find(key) !== undefined);
  library.add(
    '@mapInsert_map_key_value',
    '^cel.@mapInsert(map(K, V), K, V): map(K, V)',
    ([map, key = null, value = null]) => insert(map, key, value),
  );
  library.add('@mapInsert_map_map', '^cel.@mapInsert(map(K, V), map(K, V)): map(K, V)', ([map, added]) => {
    const more = mapOf(added);
    for (const key of more.keys()) insert(map, key, more.find(key) ?? null);
    return map ?? null;
  });
}

/** Inserts into the accumulator of a macro in place: nothing else refers to it before the macro ends. */
function insert(map: Value | undefined, key: Value, value: Value): Value {
  if (!(map instanceof LiteralMap)) throw noSuchOverload();
  if (!map.insert(key, value)) throw new EvaluationError(`insert failed: key ${plainText(key)} already exists`);
  return map;
}

/** The item at an index, which may be a double without a fraction. Throws EvaluationError. */
function itemOf(list: List, index: Value): Value {
  const place = placeOf(index);
  if (place < 0n || place >= BigInt(list.size)) throw new EvaluationError(`index out of bounds: ${place}`);
  return list.at(Number(place));
}

function placeOf(index: Value): bigint {
  if (typeof index === 'bigint') return index;
  if (index instanceof Uint) return index.value;
  if (typeof index === 'number' && Number.isInteger(index)) return BigInt(index);
  throw new EvaluationError(`unsupported index value ${plainText(index)} in list`);
}

/** The value of a key. Throws EvaluationError when it is missing. */
function valueOf(map: ValueMap, key: Value): Value {
  const value = map.find(key);
  if (value === undefined) throw new EvaluationError(`no such key: ${plainText(key)}`);
  return value;
}

function contains(list: List, item: Value, budget: Budget): boolean {
  for (let index = 0; index < list.size; index++) {
    if (same(list.at(index), item, budget)) return true;
  }
  return false;
}

/** Formats a value for error messages. */
export function plainText(value: Value): string {
  if (value instanceof Uint) return String(value.value);
  return typeof value === 'object' ? 'value' : String(value);
}

/** The value of an int or uint; 0 for types that the type checker rejects. */
export function bigintOf(value: Value | undefined): bigint {
  if (typeof value === 'bigint') return value;
  return value instanceof Uint ? value.value : 0n;
}

export function textOf(value: Value | undefined): string {
  if (typeof value === 'string') return value;
  throw noSuchOverload();
}

export function listOf(value: Value | undefined): List {
  if (value instanceof List) return value;
  throw noSuchOverload();
}

export function mapOf(value: Value | undefined): ValueMap {
  if (value instanceof ValueMap) return value;
  throw noSuchOverload();
}

export function bytesOf(value: Value | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw noSuchOverload();
}

export function nanosOf(value: Value | undefined): bigint {
  if (value instanceof Timestamp || value instanceof Duration) return value.nanos;
  throw noSuchOverload();
}
