import { equal, isArray, isObject, own, type Json, type JsonObject } from '../../json.js';
import type { Schema } from '../schema.js';
import { fieldOf } from '../walk.js';

/**
 * The stored value that corresponds to a new one (`CorrelatedObject` in the API server). Fields, map values and items
 * of lists of type `map` (by their keys) are correlated; items of other lists are not.
 */
export interface OldValue {
  readonly schema: Schema;
  readonly value: Json;
}

/** The old value of a field that both objects have; undefined when there is none or no schema describes it. */
export function oldField(old: OldValue | undefined, value: JsonObject, key: string): OldValue | undefined {
  if (old === undefined || !isObject(old.value)) return undefined;
  const schema = fieldOf(old.schema, key);
  const stored = own(old.value, key);
  if (schema === undefined || stored === undefined || own(value, key) === undefined) return undefined;
  return { schema, value: stored };
}

/** The old value of an item of a list of type `map`. */
export function oldItem(old: OldValue | undefined, item: Json): OldValue | undefined {
  if (old === undefined || !isArray(old.value) || !isObject(item)) return undefined;
  const { items, 'x-kubernetes-list-type': type } = old.schema;
  if (type !== 'map' || items === undefined) return undefined;
  const key = keyOf(old.schema, item);
  const stored = key === undefined ? undefined : itemsByKey(old.schema, old.value).get(key);
  return stored === undefined ? undefined : { schema: items, value: stored };
}

const indexes = new WeakMap<readonly Json[], { readonly schema: Schema; readonly byKey: ReadonlyMap<string, Json> }>();

function itemsByKey(schema: Schema, list: readonly Json[]): ReadonlyMap<string, Json> {
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

/** The key values of an item of a list of type `map`; undefined when a key is missing or not a scalar. */
function keyOf(schema: Schema, item: JsonObject): string | undefined {
  const values: Json[] = [];
  for (const name of schema['x-kubernetes-list-map-keys'] ?? []) {
    const value = own(item, name);
    if (value === undefined || value === null || typeof value === 'object') return undefined;
    values.push(value);
  }
  return JSON.stringify(values);
}

/**
 * Results of {@link unchanged} during one validation, so that a value is compared once even if several of its parents
 * need the result.
 */
export type ComparisonCache = WeakMap<object, { readonly old: Json; readonly same: boolean }>;

/**
 * Whether a value equals the old one for ratcheting: the order of lists of type `map` is ignored, and an object with a
 * field that no schema describes never counts as unchanged.
 */
export function unchanged(value: Json, old: OldValue, cache: ComparisonCache): boolean {
  if (value === null || old.value === null || typeof value !== 'object' || typeof old.value !== 'object')
    return value === old.value;
  const known = cache.get(value);
  if (known?.old === old.value) return known.same;
  const same = compare(value, old, cache);
  cache.set(value, { old: old.value, same });
  return same;
}

function compare(value: Json, old: OldValue, cache: ComparisonCache): boolean {
  if (isArray(value)) {
    if (!isArray(old.value) || value.length !== old.value.length) return false;
    if (old.schema['x-kubernetes-list-type'] !== 'map') return equal(value, old.value);
    return value.every((item) => {
      const stored = oldItem(old, item);
      return stored !== undefined && unchanged(item, stored, cache);
    });
  }
  if (!isObject(value) || !isObject(old.value)) return false;
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(old.value).length) return false;
  return keys.every((key) => {
    const stored = oldField(old, value, key);
    return stored !== undefined && unchanged(own(value, key) ?? null, stored, cache);
  });
}
