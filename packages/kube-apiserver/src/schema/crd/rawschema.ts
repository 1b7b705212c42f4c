import { isArray, isObject, own, type Json, type JsonObject } from '@multicluster-engine/values/json';

/**
 * The schema of a CustomResourceDefinition as written: it may have keywords that structural schemas do not allow. The
 * types are those of JSONSchemaProps.
 */
export type RawSchema = JsonObject;

export function fieldAt(schema: RawSchema, name: string): Json | undefined {
  return own(schema, name) ?? undefined;
}

/** The schema under a key; undefined if there is none or the value is not a schema (additionalProperties: true). */
export function schemaAt(schema: RawSchema, name: string): RawSchema | undefined {
  const found = own(schema, name);
  return isObject(found) ? found : undefined;
}

/** Schemas in a list: allOf, anyOf, oneOf. */
export function schemasAt(schema: RawSchema, name: string): readonly RawSchema[] {
  const found = own(schema, name);
  return isArray(found) ? found.map((item) => (isObject(item) ? item : {})) : [];
}

/** Schemas by name: properties, definitions. */
export function namedSchemasAt(schema: RawSchema, name: string): readonly (readonly [string, RawSchema])[] {
  const found = own(schema, name);
  return isObject(found) ? Object.entries(found).map(([key, item]) => [key, isObject(item) ? item : {}]) : [];
}

export function isTrue(schema: RawSchema, name: string): boolean {
  return own(schema, name) === true;
}

/** Whether a predicate holds for a schema or any of its subschemas. */
export function someSchema(schema: RawSchema | undefined, found: (schema: RawSchema) => boolean): boolean {
  if (schema === undefined) return false;
  return found(schema) || subschemas(schema).some((inner) => someSchema(inner, found));
}

/** All direct subschemas. */
export function subschemas(schema: RawSchema): RawSchema[] {
  const single = ['items', 'not', 'additionalProperties', 'additionalItems'].map((name) => schemaAt(schema, name));
  const listed = ['items', 'allOf', 'anyOf', 'oneOf'].flatMap((name) => schemasAt(schema, name));
  const named = ['properties', 'patternProperties', 'definitions'].flatMap((name) =>
    namedSchemasAt(schema, name).map(([, inner]) => inner),
  );
  return [...single.filter((inner) => inner !== undefined), ...listed, ...named];
}
