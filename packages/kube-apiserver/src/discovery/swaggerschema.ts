import { isArray, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import type { Schema } from '@multicluster-engine/values/schema/schema';

/* Conversion of schemas from OpenAPI v3 to v2, which has fewer keywords. */

const V3_PREFIX = '#/components/schemas/';
const V2_PREFIX = '#/definitions/';
const COMBINATORS = ['allOf', 'anyOf', 'oneOf', 'not'];

/**
 * Converts a published schema to v2: `allOf` around a reference is removed, defaults are dropped, and `oneOf` becomes a
 * string.
 */
export function swaggerSchema(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, Json | undefined][] => {
    if (key === 'default') return [];
    if (key === '$ref' && typeof value === 'string') return [[key, value.replace(V3_PREFIX, V2_PREFIX)]];
    if (key === 'allOf' && isArray(value)) return isObject(value[0]) ? Object.entries(swaggerSchema(value[0])) : [];
    if (key === 'oneOf') return [['type', 'string']];
    if (key === 'properties' && isObject(value)) return [[key, swaggerProperties(value)]];
    if ((key === 'items' || key === 'additionalProperties') && isObject(value)) return [[key, swaggerSchema(value)]];
    return [[key, value]];
  });
  return Object.fromEntries(entries);
}

function swaggerProperties(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, isObject(inner) ? swaggerSchema(inner) : inner]),
  );
}

/**
 * Drops what v2 cannot express from a structural schema: `nullable`, combinators, and properties beside unknown fields.
 * kubectl accepts any value where there is no type, and rejects unknown fields where properties are listed. Same as
 * `ToStructuralOpenAPIV2` of apiextensions.
 */
export function withoutV3Keywords(schema: Schema): Schema {
  const anything = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const nullable = schema.nullable === true;
  const dropped = ['nullable', ...COMBINATORS, ...(anything || nullable ? ['items', 'properties'] : [])];
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => !dropped.includes(key))) as Schema;
  const untyped =
    nullable || (kept.type === 'array' && kept.items === undefined) || (anything && kept.type === 'object');
  const { type, required, properties, items, additionalProperties, ...rest } = kept;
  const needed = neededFields(required ?? [], kept);
  return {
    ...rest,
    ...(untyped || type === undefined ? {} : { type }),
    ...(needed.length === 0 ? {} : { required: needed }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, inner]) => [name, withoutV3Keywords(inner)]),
          ),
        }),
    ...(items === undefined ? {} : { items: withoutV3Keywords(items) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'boolean' ? additionalProperties : withoutV3Keywords(additionalProperties),
        }),
  };
}

/** A nullable field is not required in v2, since a null cannot be expressed there. */
function neededFields(
  required: readonly string[],
  { properties = {}, additionalProperties }: Schema,
): readonly string[] {
  if (typeof additionalProperties === 'object' && additionalProperties.nullable === true) return [];
  return required.filter((name) => !Object.hasOwn(properties, name) || properties[name]?.nullable !== true);
}
