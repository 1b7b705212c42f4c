import { isArray, isObject } from '../json.js';
import type { Json, JsonObject } from '../json.js';
import type { Schema } from '../schema/schema.js';
import { membersOf } from './items.js';

/**
 * The empty object that a new one is compared with. Of a custom resource it has only its kind. Built-in kinds are
 * structs in the real server: members that are structs themselves are always there (their schema has the default {}),
 * and so are, with their zero value, those that are never left out when written (they are required). Only members that
 * the object has are of interest; a null is one of those zero values.
 */
export function zeroOf(schema: Schema, object: JsonObject, custom: boolean): JsonObject {
  const kind = { apiVersion: object['apiVersion'] ?? '', kind: object['kind'] ?? '' };
  return custom ? kind : { ...zeroStruct(schema, object), ...kind };
}

function zeroStruct(schema: Schema, object: JsonObject): JsonObject {
  const zeros: [string, Json][] = [];
  for (const [name, value] of membersOf(object)) {
    const field = schema.properties !== undefined && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    const zero = field === undefined ? undefined : zeroMember(field, value, schema.required?.includes(name) === true);
    if (zero !== undefined) zeros.push([name, zero]);
  }
  return Object.fromEntries(zeros);
}

function zeroMember(field: Schema, value: Json, required: boolean): Json | undefined {
  if (value === null) return null;
  if (isObject(field.default)) return isObject(value) ? zeroStruct(field, value) : {};
  if (!required) return undefined;
  if (isArray(value) || isObject(value)) return null;
  if (typeof value === 'string') return '';
  return typeof value === 'number' ? 0 : false;
}
