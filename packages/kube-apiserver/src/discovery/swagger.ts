import { createHash } from 'node:crypto';
import { isArray, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import type { Registry } from '../resource.js';
import { customSwaggerDefinitions } from './customschema.js';
import { coreOf, groupsOf, type GroupVersion } from './group.js';
import { swaggerPaths, type SharedParameters } from './swaggeroperation.js';
import { swaggerSchema } from './swaggerschema.js';
import { AUTHENTICATION, documentOf, RELEASE, sorted, type OpenApiDocument } from './openapi.js';

/** The OpenAPI v2 document, which describes all served resources. */
export interface SwaggerDocument {
  readonly value: JsonObject;
  /** The document as JSON. */
  readonly bytes: Buffer;
  /** SHA-512 of the bytes, 128 hexadecimal digits. */
  readonly hash: string;
}

/** What a group-version contributes to the document. */
interface GroupVersionPart {
  readonly paths: JsonObject;
  readonly definitions: Readonly<Record<string, JsonObject>>;
  readonly shared: SharedParameters;
}

const KINDS = 'x-kubernetes-group-version-kind';

const parts = new WeakMap<OpenApiDocument, GroupVersionPart>();
const documents = new WeakMap<Registry, { readonly generation: number; readonly document: SwaggerDocument }>();

/** The document of `GET /openapi/v2`: built on request and cached until the served resources change. */
export function swaggerDocument(registry: Registry): SwaggerDocument {
  const { generation } = registry;
  const before = documents.get(registry);
  if (before?.generation === generation) return before.document;
  const value = build(registry);
  const bytes = Buffer.from(JSON.stringify(value));
  const document: SwaggerDocument = {
    value,
    bytes,
    hash: createHash('sha512').update(bytes).digest('hex').toUpperCase(),
  };
  documents.set(registry, { generation, document });
  return document;
}

function build(registry: Registry): JsonObject {
  const paths: [string, Json | undefined][] = [];
  const definitions = new Map<string, JsonObject>();
  const shared: SharedParameters = new Map();
  for (const one of [coreOf(registry), ...groupsOf(registry).flatMap(({ versions }) => versions)]) {
    const part = partOf(registry, one);
    paths.push(...Object.entries(part.paths));
    for (const [name, schema] of Object.entries(part.definitions))
      definitions.set(name, mergeKinds(definitions.get(name), schema));
    for (const [name, parameter] of part.shared) shared.set(name, parameter);
  }
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: RELEASE },
    paths: sorted(Object.fromEntries(paths)),
    definitions: sorted(Object.fromEntries(definitions)),
    parameters: sorted(Object.fromEntries(shared)),
    securityDefinitions: { BearerToken: AUTHENTICATION },
    security: [{ BearerToken: [] }],
  };
}

function partOf(registry: Registry, one: GroupVersion): GroupVersionPart {
  const document = documentOf(registry, one);
  const known = parts.get(document);
  if (known !== undefined) return known;
  const { paths, components } = document.value;
  const custom = one.resources.filter((resource) => resource.custom);
  const own = Object.assign({}, ...custom.map(customSwaggerDefinitions)) as JsonObject;
  const shared: SharedParameters = new Map();
  const schemas = Object.entries(object(object(components)['schemas'])).map(([name, schema]): [string, JsonObject] => [
    name,
    Object.hasOwn(own, name) ? object(own[name]) : swaggerSchema(object(schema)),
  ]);
  const part: GroupVersionPart = {
    paths: swaggerPaths(object(paths), { custom: custom.length > 0, shared }),
    definitions: Object.fromEntries(schemas),
    shared,
  };
  parts.set(document, part);
  return part;
}

/** Merges the kinds of a definition that several groups share: each v3 document lists only those of its group. */
function mergeKinds(before: JsonObject | undefined, schema: JsonObject): JsonObject {
  if (before === undefined) return schema;
  const texts = new Set([...kindsOf(before), ...kindsOf(schema)].map((kind) => JSON.stringify(kind)));
  const kinds = [...texts].sort().map((text) => JSON.parse(text) as Json);
  return kinds.length === 0 ? schema : { ...schema, [KINDS]: kinds };
}

function kindsOf(schema: JsonObject): readonly Json[] {
  const kinds = schema[KINDS];
  return isArray(kinds) ? kinds : [];
}

function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
