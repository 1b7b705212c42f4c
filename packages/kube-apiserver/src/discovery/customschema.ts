import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Resource } from '../resource.js';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { definitionOf, listDefinitionOf, META, referenceTo } from './schemanames.js';
import { swaggerSchema, withoutV3Keywords } from './swaggerschema.js';

const CONVENTIONS = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';
const API_VERSION = `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${CONVENTIONS}#resources`;
const KIND = `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${CONVENTIONS}#types-kinds`;
const EMBEDDED_API_VERSION = `apiVersion defines the versioned schema of this representation of an object. More info: ${CONVENTIONS}#resources`;
const EMBEDDED_KIND = `kind is a string value representing the type of this object. In CamelCase. More info: ${CONVENTIONS}#types-kinds`;
const METADATA = `Standard object's metadata. More info: ${CONVENTIONS}#metadata`;
const LIST_METADATA = `Standard list metadata. More info: ${CONVENTIONS}#types-kinds`;

/** The version of OpenAPI that a schema is published for. */
type Target = 'v2' | 'v3';

/** The published schemas of a custom resource and of its list, by name, for OpenAPI v3. */
export function customDefinitions(resource: Resource): JsonObject {
  return definitions(resource, objectSchema(resource.schema, 'v3'));
}

/** The published schemas of a custom resource and of its list, by name, for OpenAPI v2. */
export function customSwaggerDefinitions(resource: Resource): JsonObject {
  const { schema } = resource;
  const item = isOpen(schema) ? { type: 'object' } : objectSchema(withoutV3Keywords(schema), 'v2');
  return Object.fromEntries(
    Object.entries(definitions(resource, item)).map(([name, one]) => [name, swaggerSchema(one)]),
  );
}

function isOpen(schema: Schema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

function definitions(resource: Resource, written: JsonObject): Readonly<Record<string, JsonObject>> {
  const { group, version, kind, listKind, plural } = resource;
  const fields: Json[] = Object.keys(resource.selectable).map((fieldPath) => ({ fieldPath }));
  const selectable: JsonObject = fields.length === 0 ? {} : { 'x-kubernetes-selectable-fields': fields };
  const item = { ...written, 'x-kubernetes-group-version-kind': [{ group, kind, version }], ...selectable };
  const list: JsonObject = {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: text(API_VERSION),
      items: {
        description: `List of ${plural}. More info: ${CONVENTIONS}`,
        type: 'array',
        items: referenceTo(definitionOf(resource)),
      },
      kind: text(KIND),
      metadata: { description: LIST_METADATA, allOf: [referenceTo(`${META}ListMeta`)] },
    },
    'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
    ...selectable,
  };
  return { [definitionOf(resource)]: item, [listDefinitionOf(resource)]: list };
}

function objectSchema(schema: Schema, target: Target): JsonObject {
  const own = {
    apiVersion: text(API_VERSION),
    kind: text(KIND),
    metadata: { description: METADATA, allOf: [referenceTo(`${META}ObjectMeta`)] },
  };
  const written = publishedSchema(schema, target);
  return { ...written, properties: { ...(written['properties'] as JsonObject | undefined), ...own } };
}

/** Publishes a structural schema: adds what its extensions mean, for clients that do not know them. */
function publishedSchema(schema: Schema, target: Target): JsonObject {
  const written = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, publishedKeyword(key, value as Json, target)]),
  ) as JsonObject;
  if (schema['x-kubernetes-int-or-string'] === true)
    return {
      ...(target === 'v2' || schema.anyOf !== undefined ? {} : { anyOf: [{ type: 'integer' }, { type: 'string' }] }),
      ...written,
    };
  return schema['x-kubernetes-embedded-resource'] === true && !(target === 'v2' && isOpen(schema))
    ? embedded(schema, written)
    : written;
}

function publishedKeyword(key: string, value: Json, target: Target): Json {
  if (key === 'properties') return mapSchemas(value as JsonObject, target);
  if (key === 'items' || key === 'not' || key === 'additionalProperties')
    return typeof value === 'boolean' ? value : publishedSchema(value as Schema, target);
  if (key === 'allOf' || key === 'anyOf' || key === 'oneOf')
    return (value as readonly Schema[]).map((one) => publishedSchema(one, target));
  return value;
}

function mapSchemas(properties: JsonObject, target: Target): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, publishedSchema(inner as Schema, target)]),
  );
}

function embedded(schema: Schema, written: JsonObject): JsonObject {
  const metadata = { description: METADATA, allOf: [referenceTo(`${META}ObjectMeta`)] };
  const required = [
    ...(schema.required ?? []),
    ...['kind', 'apiVersion'].filter((name) => schema.required?.includes(name) !== true),
  ];
  const properties = {
    ...(written['properties'] as JsonObject | undefined),
    apiVersion: text(EMBEDDED_API_VERSION),
    kind: text(EMBEDDED_KIND),
    metadata,
  };
  return { ...written, required, properties };
}

function text(description: string): JsonObject {
  return { description, type: 'string' };
}
