import { isArray, isObject, type Json, type JsonObject } from '../json.js';
import type { Schema } from '../schema/schema.js';

/** Schemas of OpenAPI v3 in the words of OpenAPI v2, which has fewer of them. */

const NEW_PREFIX = '#/components/schemas/';
const OLD_PREFIX = '#/definitions/';
const COMBINATORS = ['allOf', 'anyOf', 'oneOf', 'not'];

/**
 * A published schema as the older document has it: references stand by themselves, nothing has a default, and what may be
 * one of several types is a string.
 */
export function swaggerSchema(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, Json | undefined][] => {
    if (key === 'default') return [];
    if (key === '$ref' && typeof value === 'string') return [[key, value.replace(NEW_PREFIX, OLD_PREFIX)]];
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
 * A structural schema without what the older document cannot say: null, one of several schemas, fields beside unknown ones.
 * kubectl takes what has no type for anything, and refuses unknown fields where properties are listed.
 */
export function withoutV3Keywords(schema: Schema): Schema {
  const anything = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const nullable = schema.nullable === true;
  const left = ['nullable', ...COMBINATORS, ...(anything || nullable ? ['items', 'properties'] : [])];
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => !left.includes(key))) as Schema;
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

/** A field that may be null may also be left out, as far as the older document can tell. */
function neededFields(
  required: readonly string[],
  { properties = {}, additionalProperties }: Schema,
): readonly string[] {
  if (typeof additionalProperties === 'object' && additionalProperties.nullable === true) return [];
  return required.filter((name) => !Object.hasOwn(properties, name) || properties[name]?.nullable !== true);
}
