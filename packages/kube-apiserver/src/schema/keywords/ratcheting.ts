import { equal, isArray, isObject, own, type Json, type JsonObject } from '../../json.js';
import type { Schema } from '../schema.js';
import { fieldOf } from '../walk.js';

/**
 * The stored value that a new one replaces. Followed down through fields, values of maps and items of lists of type
 * `map` (by their keys); items of other lists replace nothing in particular.
 */
export interface Former {
  readonly schema: Schema;
  readonly value: Json;
}

/** The former value of a field that both have; undefined when there is none, or no schema says what it is. */
export function formerField(former: Former | undefined, value: JsonObject, key: string): Former | undefined {
  if (former === undefined || !isObject(former.value)) return undefined;
  const schema = fieldOf(former.schema, key);
  const old = own(former.value, key);
  if (schema === undefined || old === undefined || own(value, key) === undefined) return undefined;
  return { schema, value: old };
}

/** The former value of an item of a list of type `map`. */
export function formerItem(former: Former | undefined, item: Json): Former | undefined {
  if (former === undefined || !isArray(former.value) || !isObject(item)) return undefined;
  const { items, 'x-kubernetes-list-type': type } = former.schema;
  if (type !== 'map' || items === undefined) return undefined;
  const key = keyOf(former.schema, item);
  const old = key === undefined ? undefined : indexOf(former.schema, former.value).get(key);
  return old === undefined ? undefined : { schema: items, value: old };
}

const indexes = new WeakMap<readonly Json[], { readonly schema: Schema; readonly byKey: ReadonlyMap<string, Json> }>();

function indexOf(schema: Schema, list: readonly Json[]): ReadonlyMap<string, Json> {
  const known = indexes.get(list);
  if (known?.schema === schema) return known.byKey;
  const byKey = new Map<string, Json>();
  for (const item of list) {
    const key = isObject(item) ? keyOf(schema, item) : undefined;
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  indexes.set(list, { schema, byKey });
  return byKey;
}

/** What tells an item of a list of type `map`; undefined when a key is missing or no scalar. */
function keyOf(schema: Schema, item: JsonObject): string | undefined {
  const values: Json[] = [];
  for (const name of schema['x-kubernetes-list-map-keys'] ?? []) {
    const value = own(item, name);
    if (value === undefined || value === null || typeof value === 'object') return undefined;
    values.push(value);
  }
  return JSON.stringify(values);
}

/** Answers of {@link unchanged} for one validation: a value is compared once, however many of its parents ask. */
export type Compared = WeakMap<object, { readonly former: Json; readonly same: boolean }>;

/**
 * Whether a value is what it was, as ratcheting sees it: lists of type `map` in any order; an object with a field that
 * no schema describes never is.
 */
export function unchanged(value: Json, former: Former, compared: Compared): boolean {
  if (value === null || former.value === null || typeof value !== 'object' || typeof former.value !== 'object')
    return value === former.value;
  const known = compared.get(value);
  if (known?.former === former.value) return known.same;
  const same = compare(value, former, compared);
  compared.set(value, { former: former.value, same });
  return same;
}

function compare(value: Json, former: Former, compared: Compared): boolean {
  if (isArray(value)) {
    if (!isArray(former.value) || value.length !== former.value.length) return false;
    if (former.schema['x-kubernetes-list-type'] !== 'map') return equal(value, former.value);
    return value.every((item) => {
      const old = formerItem(former, item);
      return old !== undefined && unchanged(item, old, compared);
    });
  }
  if (!isObject(value) || !isObject(former.value)) return false;
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(former.value).length) return false;
  return keys.every((key) => {
    const old = formerField(former, value, key);
    return old !== undefined && unchanged(own(value, key) ?? null, old, compared);
  });
}
