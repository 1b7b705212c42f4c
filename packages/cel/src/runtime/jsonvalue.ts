import { isArray, own, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { noSuchOverload } from '../language/error.js';
import { List, ValueMap, type Value } from '../language/value.js';

/** Converts a JSON value without a schema: integers are ints, other numbers doubles. */
export function jsonValue(value: Json): Value {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (value === null || typeof value !== 'object') return value;
  return isArray(value) ? new JsonList(value) : new JsonMap(value);
}

class JsonList extends List {
  private readonly data: readonly Json[];
  private known: Value[] | undefined;

  constructor(data: readonly Json[]) {
    super();
    this.data = data;
  }

  get size(): number {
    return this.data.length;
  }

  at(index: number): Value {
    return jsonValue(this.data[index] ?? null);
  }

  override items(): Value[] {
    this.known ??= super.items();
    return this.known;
  }
}

class JsonMap extends ValueMap {
  private readonly data: JsonObject;
  private known: string[] | undefined;

  constructor(data: JsonObject) {
    super();
    this.data = data;
  }

  get size(): number {
    return this.keys().length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') throw noSuchOverload();
    const value = own(this.data, key);
    return value === undefined ? undefined : jsonValue(value);
  }

  keys(): readonly string[] {
    this.known ??= Object.keys(this.data).filter((key) => this.data[key] !== undefined);
    return this.known;
  }
}
