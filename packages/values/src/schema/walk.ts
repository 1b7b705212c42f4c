import { isObject, type Json, type JsonObject } from '../json.js';
import type { Schema } from './schema.js';

/** The schema of a declared property. */
export function propertyOf(schema: Schema | undefined, key: string): Schema | undefined {
  const properties = schema?.properties;
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** The schema of undeclared keys; undefined for `true` too. */
export function additionalOf(schema: Schema | undefined): Schema | undefined {
  const additional = schema?.additionalProperties;
  return typeof additional === 'object' ? additional : undefined;
}

/** The schema of a key, declared or not. */
export function fieldOf(schema: Schema | undefined, key: string): Schema | undefined {
  return propertyOf(schema, key) ?? additionalOf(schema);
}

/** Applies `change` to each item; returns the same array when nothing changed. */
export function mapItems(items: readonly Json[], change: (item: Json, at: number) => Json): readonly Json[] {
  let changed: Json[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const item = items[at] ?? null;
    const next = change(item, at);
    if (next === item) continue;
    changed ??= [...items];
    changed[at] = next;
  }
  return changed ?? items;
}

/** Applies `change` to each field, which is dropped for undefined; returns the same object when nothing changed. */
export function mapFields(object: JsonObject, change: (value: Json, key: string) => Json | undefined): JsonObject {
  let changed: Map<string, Json> | undefined;
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    const next = change(value, key);
    if (next === value) continue;
    changed ??= new Map(Object.entries(object).filter((entry): entry is [string, Json] => entry[1] !== undefined));
    if (next === undefined) changed.delete(key);
    else changed.set(key, next);
  }
  return changed === undefined ? object : Object.fromEntries(changed);
}

/** The value if it is an object, else an empty object. */
export function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/**
 * Returns a function that reports whether `test` holds for a schema or for a schema below it, through properties,
 * additionalProperties and items. Results are cached by schema. Cycles are allowed: a schema that is being tested counts
 * as false.
 */
export function schemaSearch(test: (schema: Schema) => boolean): (schema: Schema) => boolean {
  const known = new WeakMap<Schema, boolean>();
  const search = (schema: Schema): boolean => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    known.set(schema, false);
    const children = [...Object.values(schema.properties ?? {}), additionalOf(schema), schema.items];
    const found = test(schema) || children.some((child) => child !== undefined && search(child));
    known.set(schema, found);
    return found;
  };
  return search;
}
