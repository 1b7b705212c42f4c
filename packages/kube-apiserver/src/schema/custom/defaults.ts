import { isArray, isObject, type Json, type JsonObject } from '../../json.js';
import type { Schema } from '../schema.js';
import { additionalOf, fieldOf, mapFields, mapItems, propertyOf } from '../walk.js';

/**
 * Fills the defaults of a structural schema: where a field is absent, or null though it may not be. Inside of items and
 * of defaults, too, but not below a parent that is absent. The same value when there is nothing to fill.
 */
export function fillDefaults(schema: Schema, value: Json): Json {
  if (!hasDefaults(schema)) return value;
  if (isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    return mapItems(value, (item) => fillDefaults(items, isMissing(item, items) ? (items.default ?? null) : item));
  }
  return isObject(value) ? fillObject(schema, value) : value;
}

function fillObject(schema: Schema, value: JsonObject): JsonObject {
  const additional = additionalOf(schema);
  const filled = mapFields(value, (field, key) => {
    const property = propertyOf(schema, key);
    if (property !== undefined)
      return fillDefaults(property, isMissing(field, property) ? (defaultOf(property) ?? null) : field);
    if (additional === undefined) return field;
    return fillDefaults(additional, isMissing(field, additional) ? (additional.default ?? null) : field);
  });
  const added: [string, Json][] = [];
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const fallback = defaultOf(property);
    if (fallback !== undefined && (!Object.hasOwn(value, key) || value[key] === undefined))
      added.push([key, fillDefaults(property, fallback)]);
  }
  return added.length === 0 ? filled : Object.fromEntries([...Object.entries(filled), ...added]);
}

/** The default that takes the place of what is missing; none where null is a value of its own. */
function defaultOf(schema: Schema): Json | undefined {
  return schema.default ?? undefined;
}

function isMissing(value: Json, schema: Schema): boolean {
  return value === null && schema.nullable !== true;
}

/** Whether there is a default at a node or below it; the answer is kept. Schemas of built-in kinds may have cycles. */
const known = new WeakMap<Schema, boolean>();

function hasDefaults(schema: Schema): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  known.set(schema, false);
  const below = [
    ...Object.values(schema.properties ?? {}),
    ...[additionalOf(schema), schema.items].filter((one) => one !== undefined),
  ];
  const found = below.some((one) => (one.default ?? null) !== null || hasDefaults(one));
  known.set(schema, found);
  return found;
}

/**
 * Drops the nulls that a structural schema does not allow and has no default for: what the server does to custom
 * resources on every way in but server-side apply. Items of lists stay. The same value when there are none.
 */
export function pruneNulls(schema: Schema | undefined, value: Json): Json {
  if (isArray(value)) return mapItems(value, (item) => pruneNulls(schema?.items, item));
  if (!isObject(value)) return value;
  return mapFields(value, (field, key) => {
    const below = fieldOf(schema, key);
    if (field === null)
      return below !== undefined && isMissing(field, below) && (below.default ?? null) === null ? undefined : field;
    return pruneNulls(below, field);
  });
}
