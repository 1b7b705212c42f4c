import { isArray, isObject, own, type Json, type JsonObject } from '../../json.js';
import type { FieldError } from '../fielderror.js';
import { child, duplicate, index, invalidValue, key, MAX_ERRORS } from '../field.js';
import { goJson } from '../../text.js';
import type { Schema } from '../schema.js';
import { additionalOf, propertyOf, schemaSearch } from '../walk.js';

/** Reports duplicate items in lists of type `set` and `map`, each once. */
export function validateLists(schema: Schema | undefined, value: Json, path: string): FieldError[] {
  const errors: FieldError[] = [];
  collect(schema, value, path, errors);
  return errors;
}

function collect(schema: Schema | undefined, value: Json, path: string, errors: FieldError[]): void {
  if (schema === undefined || errors.length >= MAX_ERRORS || !hasLists(schema)) return;
  if (isArray(value)) {
    for (const error of checkList(schema, value, path)) errors.push(error);
    if (schema.items === undefined || !hasLists(schema.items)) return;
    for (const [at, item] of value.entries()) collect(schema.items, item, index(path, at), errors);
  } else if (isObject(value)) {
    collectFields(schema, value, path, errors);
  }
}

function collectFields(schema: Schema, value: JsonObject, path: string, errors: FieldError[]): void {
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    collect(additionalOf(schema), field, key(path, name), errors);
    collect(propertyOf(schema, name), field, child(path, name), errors);
  }
}

/** Whether a schema or one below it is a list of type `set` or `map`. */
const hasLists = schemaSearch(({ 'x-kubernetes-list-type': type }) => type === 'set' || type === 'map');

function checkList(schema: Schema, items: readonly Json[], path: string): FieldError[] {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set') return repeated(items).map((at) => duplicate(index(path, at), items[at]));
  if (type !== 'map') return [];
  const invalidAt = items.findIndex((item) => item !== null && !isObject(item));
  if (invalidAt >= 0)
    return [invalidValue(index(path, invalidAt), items[invalidAt], 'must be an object for an array of list-type map')];
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  const [name, ...others] = names;
  const keys =
    name !== undefined && others.length === 0
      ? items.map((item) => keyOf(item, name))
      : items.map((item): Json => (isObject(item) ? keysOf(item, names) : NO_KEYS));
  return repeated(keys).map((at) => duplicate(index(path, at), keys[at]));
}

/** The key of all items without key fields. Being one object, they compare as equal. */
const NO_KEYS: JsonObject = {};

function keyOf(item: Json, name: string): Json {
  const value = isObject(item) ? own(item, name) : undefined;
  return value === undefined ? NO_KEYS : Object.fromEntries([[name, value]]);
}

function keysOf(item: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.map((name) => [name, own(item, name)] as const).filter(([, value]) => value !== undefined),
  );
}

/** Indexes of second occurrences. */
function repeated(items: readonly Json[]): number[] {
  const scalars = new Map<Json, number>();
  const composites = new Map<Json, number>();
  const second: number[] = [];
  for (const [at, item] of items.entries()) {
    if (second.length >= MAX_ERRORS) break;
    const composite = item !== NO_KEYS && (isArray(item) || isObject(item));
    const times = composite ? composites : scalars;
    const identity = composite ? goJson(item) : item;
    const before = times.get(identity) ?? 0;
    if (before === 1) second.push(at);
    times.set(identity, before + 1);
  }
  return second;
}
