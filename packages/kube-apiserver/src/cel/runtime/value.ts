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
} from '../language/celtype.js';
import type { Budget } from './budget.js';

/**
 * A value of an expression. int is a bigint and double a number, so that `1` and `1.0` stay apart; list and map are
 * views, so that an object of a request is converted only where an expression looks.
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

/** A moment, in ns since the epoch. */
export class Timestamp {
  readonly nanos: bigint;
  /** Minutes east of UTC in which it was written: texts keep it, nothing else does. */
  readonly offset: number;

  constructor(nanos: bigint, offset = 0) {
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** A span of time in ns. */
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

/** A type as a value: what `type(x)` gives. */
export class TypeValue {
  readonly type: CelType;

  constructor(type: CelType) {
    this.type = type;
  }
}

export abstract class List {
  abstract readonly size: number;
  /** The item at a place below `size`. */
  abstract at(index: number): Value;

  /** Concatenation; lists of a schema merge instead, as their list type says. */
  concat(other: List): List {
    return new ValueList([...this.items(), ...other.items()]);
  }

  /** The same without the schema that it is seen through; left out where there is none. */
  withoutSchema?(): Value;

  /** What decides equality where order does not: undefined for lists whose order counts. */
  equals?(other: List, same: (a: Value, b: Value) => boolean): boolean;

  items(): Value[] {
    return Array.from({ length: this.size }, (_, index) => this.at(index));
  }
}

/** A list that an expression made. */
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
  /** undefined where the key is missing. */
  abstract find(key: Value): Value | undefined;
  abstract keys(): readonly Value[];
  /** The same without the schema that it is seen through; left out where there is none. */
  withoutSchema?(): Value;
  /** The key of a pair as it is written in JSON, where expressions have another one for it. */
  jsonKey?(key: Value): Value;
  /** Whether what `keys` does not tell is equal too; left out where there is no such thing. */
  sameUndeclared?(other: ValueMap, budget: Budget): boolean;
}

/** A map that an expression made. Keys that are equal as numbers are one key. */
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

  /** Adds a pair while the map is being made; false when the key is there already or is of no type for keys. */
  insert(key: Value, value: Value): boolean {
    return this.find(key) === undefined && this.set(key, value);
  }

  /** Adds a pair, or gives a key another value; false when the key is of no type for keys. */
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

/** A value of a library: a quantity, an address, an authorizer. */
export abstract class Opaque {
  /** `kubernetes.Quantity`. */
  abstract readonly typeName: string;
  abstract equals(other: Opaque, budget: Budget): boolean;
  /** How Go prints it with its type; undefined where nobody sees that. */
  get goText(): string | undefined {
    return undefined;
  }
  /** What costs are counted by; 1 where nothing else makes sense. */
  get costSize(): number {
    return 1;
  }
}

const OPAQUE: ReadonlySet<string> = new Set(['net.IP', 'net.CIDR']);

/** The type that a value shows at run time, parameters left out (dyn). */
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

/** What size() of the value would be, for costs: code points, bytes, items, pairs; 1 for all else. */
export function costSize(value: Value): number {
  if (typeof value === 'string') return codePoints(value);
  if (value === null || typeof value !== 'object') return 1;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof List || value instanceof ValueMap) return value.size;
  if (value instanceof Optional) return value.value === undefined ? 1 : costSize(value.value);
  return value instanceof Opaque ? value.costSize : 1;
}

/** Number of code points: the length of a string in CEL. */
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
