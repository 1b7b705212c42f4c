import { structFields, structOf, zeroScalar } from '@multicluster-engine/values/schema/builtin';
import type { GoType, StructField } from '@multicluster-engine/values/schema/builtin';
import { isObject, own } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Schema } from '@multicluster-engine/values/schema/schema';

/**
 * The empty object that a new object is compared with. For a custom resource it has only apiVersion and kind. Built-in
 * kinds are structs in the API server: their nested structs are always present, and so are the zero values of fields
 * without omitempty. Only fields that the object has are included.
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

/** Go structs that are encoded as a scalar: omitempty has no effect on them. */
function isStructScalar({ name }: Scalar): boolean {
  return name === 'time' || name === 'micro' || name === 'quantity' || name === 'intstr';
}

/** The implicit default of a list item key: for built-in kinds the zero value of a key that is not a pointer. */
export function zeroKey(schema: Schema, key: string): Json | undefined {
  const name = structOf(schema);
  if (name === undefined) return undefined;
  const field = structFields(name).find((one) => one.name === key);
  return field?.omit === 'never' && field.type.shape === 'scalar' && !field.type.pointer
    ? zeroScalar(field.type)
    : undefined;
}
