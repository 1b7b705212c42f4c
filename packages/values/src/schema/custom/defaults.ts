import { isArray, isObject, type Json, type JsonObject } from '../../json.js';
import type { Schema } from '../schema.js';
import { additionalOf, fieldOf, mapFields, mapItems, propertyOf, schemaSearch } from '../walk.js';

/**
 * Fills in the defaults of a structural schema where a field is absent, or null but not nullable. Items and default
 * values are filled in too; nothing is filled in below an absent parent. Returns the same value when nothing changes.
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

/** The default of a schema; a null default counts as none. */
function defaultOf(schema: Schema): Json | undefined {
  return schema.default ?? undefined;
}

function isMissing(value: Json, schema: Schema): boolean {
  return value === null && schema.nullable !== true;
}

/** Whether a schema or one below it has a default. */
const hasDefaults = schemaSearch((schema) => (schema.default ?? null) !== null);

/**
 * Drops nulls that a structural schema does not allow and has no default for. The API server does this to custom
 * resources on every request except server-side apply. List items are kept. Returns the same value when nothing
 * changes.
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
