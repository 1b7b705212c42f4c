import { PARAMETERS } from '../data/parameters.js';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Resource } from '../resource.js';
import { referenceTo, type GroupVersionKind } from './schemanames.js';

/** An operation of a path, from which its OpenAPI object is built. */
export interface Operation {
  readonly verb: string;
  readonly action: string;
  readonly description: string;
  /** The end of the operationId, after group and version. */
  readonly suffix: string;
  readonly parameters: readonly string[];
  /** Media types and schema of the body. */
  readonly body?: { readonly types: readonly string[]; readonly definition: string; readonly required: boolean };
  readonly response: string;
  readonly codes: readonly number[];
  readonly streams?: boolean;
}

const REASONS: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };
const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  namespace: 'object name and auth scope, such as for teams and projects',
};

/** OpenAPI operations by method. @param other the kind of a subresource, where it is not that of the resource */
export function operationsOf(
  resource: Resource,
  operations: Readonly<Record<string, Operation>>,
  other?: GroupVersionKind,
): JsonObject {
  return Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => [method, operationObject(resource, operation, other)]),
  );
}

/** Parameters by name, in the given order. @param resource the kind that the parameter `name` refers to */
export function parametersOf(resource: { readonly kind: string }, names: readonly string[]): Json[] {
  return names.map((name) => parameter(resource.kind, name));
}

function operationObject(resource: Resource, operation: Operation, other: GroupVersionKind | undefined): JsonObject {
  const { group, version, kind } = other ?? resource;
  const { body, parameters } = operation;
  const { title, tag } = namesOf(resource);
  return {
    tags: [tag],
    description: operation.description,
    operationId: `${operation.verb}${title}${operation.suffix}`,
    ...(parameters.length === 0 ? {} : { parameters: parametersOf(resource, parameters) }),
    ...(body === undefined
      ? {}
      : {
          requestBody: { content: content(body.types, body.definition), ...(body.required ? { required: true } : {}) },
        }),
    responses: responses(resource, operation),
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}

function responses({ custom }: Resource, { codes, response: answer, streams = false }: Operation): JsonObject {
  const kinds = custom ? ['application/json'] : ['application/json', 'application/vnd.kubernetes.protobuf'];
  const types = [...kinds.flatMap((type) => (streams ? [type, `${type};stream=watch`] : [type])), 'application/yaml'];
  const good = codes.map(
    (code) => [String(code), { description: REASONS[code] ?? '', content: content(types, answer) }] as const,
  );
  return { ...Object.fromEntries(good), 401: { description: 'Unauthorized' } };
}

function content(types: readonly string[], definition: string): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema: referenceTo(definition) }]));
}

function parameter(kind: string, name: string): Json {
  const about = name === 'name' ? `name of the ${kind}` : PATH_PARAMETERS[name];
  if (about !== undefined)
    return { name, in: 'path', description: about, required: true, schema: { type: 'string', uniqueItems: true } };
  return JSON.parse(PARAMETERS[name] ?? '{}') as Json;
}

/** Group and version as part of an operationId and as a tag: `RbacAuthorizationV1`, `rbacAuthorization_v1`. */
export function namesOf({ group, version }: { readonly group: string; readonly version: string }): {
  readonly title: string;
  readonly tag: string;
} {
  const words = group === '' ? ['core'] : group.replace(/\.k8s\.io$/, '').split('.');
  const title = words.map(capital).join('');
  return { title: title + capital(version), tag: `${title.charAt(0).toLowerCase()}${title.slice(1)}_${version}` };
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
