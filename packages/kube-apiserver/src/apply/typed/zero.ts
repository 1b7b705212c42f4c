import { structFields, structOf, zeroScalar } from '../../data/schemas.js';
import type { GoType, StructField } from '../../data/schemas.js';
import { isObject, own } from '../../json.js';
import type { Json, JsonObject } from '../../json.js';
import type { Schema } from '../../schema/schema.js';

/**
 * The empty object that a new one is compared with. Of a custom resource it has only its kind. Built-in kinds are
 * structs in the real server: their members that are structs themselves are always there, and so are, with their zero
 * value, those that are never left out when written. Only members that the object has are of interest.
 */
export function zeroOf(schema: Schema, object: JsonObject): JsonObject {
  const name = structOf(schema);
  const kind = { apiVersion: own(object, 'apiVersion') ?? '', kind: own(object, 'kind') ?? '' };
  return name === undefined ? kind : { ...zeroStruct(name, object), ...kind };
}

function zeroStruct(name: string, object: JsonObject): JsonObject {
  const zeros: [string, Json][] = [];
  for (const field of structFields(name)) {
    if (field.name === '') {
      if (field.type.shape === 'struct')
        zeros.push(
          ...Object.entries(zeroStruct(field.type.name, object)).map(([key, value]): [string, Json] => [
            key,
            value ?? null,
          ]),
        );
      continue;
    }
    const value = own(object, field.name);
    const zero = value === undefined ? undefined : zeroField(field, value);
    if (zero !== undefined) zeros.push([field.name, zero]);
  }
  return Object.fromEntries(zeros);
}

function zeroField({ type, omit }: StructField, value: Json): Json | undefined {
  if (omit === 'zero') return undefined;
  if (type.pointer || type.shape === 'list' || type.shape === 'map') return omit === 'never' ? null : undefined;
  if (type.shape === 'struct') return isObject(value) ? zeroStruct(type.name, value) : {};
  return isStructScalar(type) || omit === 'never' ? zeroScalar(type) : undefined;
}

type Scalar = Extract<GoType, { shape: 'scalar' }>;

/** Structs that are written as a scalar: JSON never leaves those out as empty. */
function isStructScalar({ name }: Scalar): boolean {
  return name === 'time' || name === 'micro' || name === 'quantity' || name === 'intstr';
}

/**
 * The value that a key of a list item has when it is left out, though the schema does not say so: built-in kinds have
 * the zero value of a key that is no pointer.
 */
export function zeroKey(schema: Schema, key: string): Json | undefined {
  const name = structOf(schema);
  if (name === undefined) return undefined;
  const field = structFields(name).find((one) => one.name === key);
  return field?.omit === 'never' && field.type.shape === 'scalar' && !field.type.pointer
    ? zeroScalar(field.type)
    : undefined;
}
