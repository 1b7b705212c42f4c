import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  NAMED_TYPES,
  NULL,
  STRING,
  TIMESTAMP,
  UINT,
  opaque,
  optionalOf,
  type CelType,
  DYN,
  listOf,
  mapOf,
  struct,
} from './celtype.js';
import type { Budget } from './budget.js';

/**
 * A CEL value. int is a bigint and double a number, which keeps `1` and `1.0` apart. Lists and maps are views: objects
 * of a request are converted only where an expression accesses them.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | List
  | ValueMap
  | Optional
  | TypeValue
  | Opaque;

export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A timestamp in nanoseconds since the epoch. */
export class Timestamp {
  readonly nanos: bigint;
  /** The offset from UTC in minutes east in which it was written. Only its text depends on it. */
  readonly offset: number;

  constructor(nanos: bigint, offset = 0) {
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** A duration in nanoseconds. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Optional {
  static readonly none = new Optional(undefined);

  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A type as a value: the result of `type(x)`. */
export class TypeValue {
  readonly type: CelType;

  constructor(type: CelType) {
    this.type = type;
  }
}

export abstract class List {
  abstract readonly size: number;
  /** The item at an index below `size`. */
  abstract at(index: number): Value;

  /** Concatenates lists; lists of a schema merge according to their list type. */
  concat(other: List): List {
    return new ValueList([...this.items(), ...other.items()]);
  }

  /** The value without its schema; not implemented by values without one. */
  withoutSchema?(): Value;

  /** Equality of lists without order; undefined for lists whose order counts. */
  equals?(other: List, same: (a: Value, b: Value) => boolean): boolean;

  items(): Value[] {
    return Array.from({ length: this.size }, (_, index) => this.at(index));
  }
}

/** A list that an expression created. */
export class ValueList extends List {
  readonly values: Value[];

  constructor(values: Value[]) {
    super();
    this.values = values;
  }

  get size(): number {
    return this.values.length;
  }

  at(index: number): Value {
    return this.values[index] ?? null;
  }

  override items(): Value[] {
    return this.values;
  }
}

export abstract class ValueMap {
  abstract readonly size: number;
  /** Undefined where the key is missing. */
  abstract find(key: Value): Value | undefined;
  abstract keys(): readonly Value[];
  /** The value without its schema; not implemented by values without one. */
  withoutSchema?(): Value;
  /** The JSON key of an entry, where expressions use another name. */
  jsonKey?(key: Value): Value;
  /** Whether the entries that `keys` does not list are equal; not implemented where there are none. */
  sameUndeclared?(other: ValueMap, budget: Budget): boolean;
}

/** A map that an expression created. Keys that are numerically equal are one key. */
export class LiteralMap extends ValueMap {
  private readonly entries = new Map<Key, readonly [Value, Value]>();

  get size(): number {
    return this.entries.size;
  }

  find(key: Value): Value | undefined {
    const name = keyOf(key);
    return name === undefined ? undefined : this.entries.get(name)?.[1];
  }

  keys(): readonly Value[] {
    return [...this.entries.values()].map(([key]) => key);
  }

  /** Adds an entry; false when the key exists already or its type cannot be a key. */
  insert(key: Value, value: Value): boolean {
    return this.find(key) === undefined && this.set(key, value);
  }

  /** Sets an entry; false when the type of the key cannot be one. */
  set(key: Value, value: Value): boolean {
    const name = keyOf(key);
    if (name !== undefined) this.entries.set(name, [key, value]);
    return name !== undefined;
  }
}

type Key = string | boolean | bigint | number;

function keyOf(key: Value): Key | undefined {
  if (key instanceof Uint) return key.value;
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : key;
  return typeof key === 'string' || typeof key === 'boolean' || typeof key === 'bigint' ? key : undefined;
}

/** A value of a library type: a quantity, an address, an authorizer. */
export abstract class Opaque {
  /** `kubernetes.Quantity`. */
  abstract readonly typeName: string;
  abstract equals(other: Opaque, budget: Budget): boolean;
  /** Go's format of the value with its type; undefined where no message contains it. */
  get goText(): string | undefined {
    return undefined;
  }
  /** The size for costs; 1 by default. */
  get costSize(): number {
    return 1;
  }
}

const OPAQUE: ReadonlySet<string> = new Set(['net.IP', 'net.CIDR']);

/** The run-time type of a value; type parameters are dyn. */
export function runtimeType(value: Value): CelType {
  switch (typeof value) {
    case 'boolean':
      return BOOL;
    case 'bigint':
      return INT;
    case 'number':
      return DOUBLE;
    case 'string':
      return STRING;
    default:
      return value === null ? NULL : objectType(value);
  }
}

function objectType(value: Exclude<Value, null | boolean | bigint | number | string>): CelType {
  if (value instanceof List) return ANY_LIST;
  if (value instanceof ValueMap) return ANY_MAP;
  if (value instanceof Uint) return UINT;
  if (value instanceof Uint8Array) return BYTES;
  if (value instanceof Timestamp) return TIMESTAMP;
  if (value instanceof Duration) return DURATION;
  if (value instanceof Optional) return ANY_OPTIONAL;
  if (value instanceof TypeValue) return NAMED_TYPES['type'] ?? DYN;
  return OPAQUE.has(value.typeName) ? opaque(value.typeName) : struct(value.typeName);
}

const ANY_LIST = listOf(DYN);
const ANY_MAP = mapOf(DYN, DYN);
const ANY_OPTIONAL = optionalOf(DYN);

/** The size of a value for costs: code points, bytes, items, entries; 1 for other values. */
export function costSize(value: Value): number {
  if (typeof value === 'string') return codePoints(value);
  if (value === null || typeof value !== 'object') return 1;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof List || value instanceof ValueMap) return value.size;
  if (value instanceof Optional) return value.value === undefined ? 1 : costSize(value.value);
  return value instanceof Opaque ? value.costSize : 1;
}

/** The number of code points: the length of a string in CEL. */
export function codePoints(text: string): number {
  let pairs = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit < 0xdc00 && isLow(text.charCodeAt(index + 1))) pairs++;
  }
  return text.length - pairs;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
