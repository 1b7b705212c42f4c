import { definitionText } from '@multicluster-engine/values/schema/builtin';
import { isArray, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import type { Registry, Resource } from '../resource.js';
import { customDefinitions } from './customschema.js';
import { META, referenceTo } from './schemanames.js';
import { coreOf, digestOf, groupsOf, groupVersionOf, type GroupVersion } from './group.js';
import { namesOf } from './operation.js';
import { pathsOf } from './paths.js';

/** A document of `GET /openapi/v3/…` with the hash by which clients cache it. */
export interface OpenApiDocument {
  readonly value: JsonObject;
  /** {@link digestOf} the document. */
  readonly hash: string;
}

export const RELEASE = '1.36';
const PREFIX = '#/components/schemas/';
/** Definitions whose list of kinds depends on the group of the document. */
const PER_GROUP = ['DeleteOptions', 'WatchEvent'];
/** The only security scheme. */
export const AUTHENTICATION = {
  type: 'apiKey',
  description: 'Bearer Token authentication',
  name: 'authorization',
  in: 'header',
};

interface CachedDocument {
  readonly resources: readonly Resource[];
  readonly document: OpenApiDocument;
}

/** Documents by path (`api/v1`). A document is rebuilt when resources of its path were replaced; resources are immutable. */
const documents = new WeakMap<Registry, Map<string, CachedDocument>>();

/** The response of `GET /openapi/v3`: the URLs of all documents with their hashes. */
export function openApiIndex(registry: Registry): JsonObject {
  const all = [coreOf(registry), ...groupsOf(registry).flatMap(({ versions }) => versions)];
  const entries = all.map((one) => {
    const path = pathOf(one);
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${documentOf(registry, one).hash}` }] as const;
  });
  return { paths: Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The document of `/openapi/v3/api/v1` or `/openapi/v3/apis/<group>/<version>`; undefined where it is not served. */
export function openApiDocument(registry: Registry, group: string, version: string): OpenApiDocument | undefined {
  const found = groupVersionOf(registry, group, version);
  return found === undefined ? undefined : documentOf(registry, found);
}

/** The document of a group-version, cached while the same resources are served there. */
export function documentOf(registry: Registry, one: GroupVersion): OpenApiDocument {
  const cache = documents.get(registry) ?? new Map<string, CachedDocument>();
  documents.set(registry, cache);
  const path = pathOf(one);
  const before = cache.get(path);
  const { resources } = one;
  if (
    before?.resources.length === resources.length &&
    before.resources.every((resource, index) => resource === resources[index])
  )
    return before.document;
  const document = build(one);
  cache.set(path, { resources, document });
  return document;
}

function pathOf({ group, version }: GroupVersion): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function build(one: GroupVersion): OpenApiDocument {
  const paths = { ...groupPath(one), ...(Object.assign({}, ...one.resources.map(pathsOf)) as JsonObject) };
  const custom = one.resources.filter((resource) => resource.custom);
  const own = Object.assign({}, ...custom.map(customDefinitions)) as JsonObject;
  const value: JsonObject = {
    openapi: '3.0.0',
    info:
      custom.length > 0
        ? { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' }
        : { title: 'Kubernetes', version: RELEASE },
    paths: sorted(paths),
    components: {
      schemas: sorted(schemas(one, paths, own)),
      ...(custom.length > 0 ? {} : { securitySchemes: { BearerToken: AUTHENTICATION } }),
    },
  };
  return { value, hash: digestOf(value) };
}

/** The operation that lists the resources. Documents of custom resources omit it. */
function groupPath(one: GroupVersion): JsonObject {
  if (one.resources.some((resource: Resource) => resource.custom)) return {};
  const { title, tag } = namesOf(one);
  const types = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml'];
  const content = Object.fromEntries(types.map((type) => [type, { schema: referenceTo(`${META}APIResourceList`) }]));
  const get = {
    tags: [tag],
    description: 'get available resources',
    operationId: `get${title}APIResources`,
    responses: { 200: { description: 'OK', content }, 401: { description: 'Unauthorized' } },
  };
  return { [`/${pathOf(one)}/`]: { get } };
}

/** All schemas that the paths refer to, transitively. */
function schemas({ group, version }: GroupVersion, paths: JsonObject, own: JsonObject): JsonObject {
  const found = new Map<string, Json>();
  const todo = references(paths);
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (found.has(name)) continue;
    const schema = own[name] ?? publishedDefinition(name, group, version);
    if (schema === undefined) continue;
    found.set(name, schema);
    todo.push(...references(schema));
  }
  return Object.fromEntries(found);
}

function publishedDefinition(name: string, group: string, version: string): Json | undefined {
  const text = definitionText(name);
  if (text === undefined) return undefined;
  const schema = JSON.parse(text) as JsonObject;
  const kind = PER_GROUP.find((one) => name === META + one);
  if (kind === undefined) return schema;
  const kinds = [{ group: '', kind, version: 'v1' }, ...(group === '' ? [] : [{ group, kind, version }])];
  return { ...schema, 'x-kubernetes-group-version-kind': kinds };
}

function references(value: Json | undefined): string[] {
  if (isArray(value)) return value.flatMap(references);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner.slice(PREFIX.length)] : references(inner),
  );
}

/** Sorts the keys of an object. */
export function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
