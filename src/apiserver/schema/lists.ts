import { isArray, isObject, own, type Json, type JsonObject } from '../json.js';
import type { FieldError } from '../status.js';
import { child, duplicate, index, invalidValue, key } from './field.js';
import { goJson } from './gotext.js';
import type { Schema } from './schema.js';
import { additionalOf, propertyOf } from './walk.js';

/** Finds items that are there twice in lists of type `set` and `map`. Each such item is told once. */
export function validateLists(schema: Schema | undefined, value: Json, path: string): FieldError[] {
  if (schema === undefined || !hasLists(schema)) return [];
  if (isArray(value)) {
    const errors = checkList(schema, value, path);
    for (const [at, item] of value.entries()) errors.push(...validateLists(schema.items, item, index(path, at)));
    return errors;
  }
  return isObject(value) ? fieldsOf(schema, value, path) : [];
}

function fieldsOf(schema: Schema, value: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const additional = additionalOf(schema);
    if (additional !== undefined) errors.push(...validateLists(additional, field, key(path, name)));
    const property = propertyOf(schema, name);
    if (property !== undefined) errors.push(...validateLists(property, field, child(path, name)));
  }
  return errors;
}

/** Whether there is a list of these types at a node or below it. Structural schemas have no cycles. */
const known = new WeakMap<Schema, boolean>();

function hasLists(schema: Schema): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  known.set(schema, false);
  const type = schema['x-kubernetes-list-type'];
  const below = [...Object.values(schema.properties ?? {}), additionalOf(schema), schema.items];
  const found = type === 'set' || type === 'map' || below.some((one) => one !== undefined && hasLists(one));
  known.set(schema, found);
  return found;
}

function checkList(schema: Schema, items: readonly Json[], path: string): FieldError[] {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set') return repeated(items).map((at) => duplicate(index(path, at), items[at]));
  if (type !== 'map') return [];
  const odd = items.findIndex((item) => item !== null && !isObject(item));
  if (odd >= 0) return [invalidValue(index(path, odd), items[odd], 'must be an object for an array of list-type map')];
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  const keys = items.map((item): Json => (isObject(item) ? keysOf(item, names) : {}));
  return repeated(keys).map((at) => duplicate(index(path, at), keys[at]));
}

function keysOf(item: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, own(item, name)] as const).filter(([, value]) => value !== undefined));
}

/** Places of second occurrences. */
function repeated(items: readonly Json[]): number[] {
  const times = new Map<string, number>();
  const second: number[] = [];
  for (const [at, item] of items.entries()) {
    const text = goJson(item);
    const before = times.get(text) ?? 0;
    if (before === 1) second.push(at);
    times.set(text, before + 1);
  }
  return second;
}
