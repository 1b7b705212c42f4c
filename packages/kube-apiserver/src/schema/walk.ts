import { isObject, type Json, type JsonObject } from '../json.js';
import type { Schema } from './schema.js';

/** The schema of a property that is declared by name. */
export function propertyOf(schema: Schema | undefined, key: string): Schema | undefined {
  const properties = schema?.properties;
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** The schema of all keys that are not declared; undefined for `true`, too. */
export function additionalOf(schema: Schema | undefined): Schema | undefined {
  const additional = schema?.additionalProperties;
  return typeof additional === 'object' ? additional : undefined;
}

/** The schema of a key of an object, declared or not. */
export function fieldOf(schema: Schema | undefined, key: string): Schema | undefined {
  return propertyOf(schema, key) ?? additionalOf(schema);
}

/** The items with `change` applied; the same array when nothing changed. */
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

/** The object with `change` applied to each field, undefined to drop it; the same object when nothing changed. */
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

/** The value with a change made below, as the same kind of value. */
export function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
