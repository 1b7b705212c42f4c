import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Resource, Subresource } from '../resource.js';
import { DELETE_COLLECTION_PARAMETERS, DELETE_PARAMETERS, LIST_PARAMETERS, WRITE_PARAMETERS } from './parameters.js';
import { definitionName, definitionOf, listDefinitionOf, META } from './schemanames.js';
import { parametersOf, operationsOf, type Operation } from './operation.js';

/* The paths of a resource in OpenAPI documents with their operations, in the wording of kube-apiserver. */

/** Kinds for which a deletion returns the object instead of a Status. */
const KINDS_RETURNED_ON_DELETE = ['Pod', 'PodTemplate', 'Service', 'ServiceAccount'];

/** The path items of a resource, by path. */
export function pathsOf(resource: Resource): JsonObject {
  const { group, version, plural, namespaced } = resource;
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = namespaced ? `${base}/namespaces/{namespace}/${plural}` : `${base}/${plural}`;
  const paths: [string, Json][] = [];
  addCollection(resource, { collection, base }, paths);
  if (resource.verbs.includes('get'))
    paths.push([`${collection}/{name}`, path(resource, itemOperations(resource), ['name', ...scope(resource)])]);
  for (const subresource of resource.subresources.filter((one) => one.connects !== true))
    paths.push([`${collection}/{name}/${subresource.name}`, subresourcePath(resource, subresource)]);
  if (!resource.custom && resource.verbs.includes('watch')) addWatches(resource, { collection, base }, paths);
  return Object.fromEntries(paths);
}

interface Places {
  readonly base: string;
  readonly collection: string;
}

function addCollection(resource: Resource, { collection, base }: Places, paths: [string, Json][]): void {
  if (!resource.verbs.includes('list')) {
    const operations = operationsOf(resource, { post: createOperation(resource) });
    paths.push([
      collection,
      { ...operations, parameters: parametersOf(resource, [...WRITE_PARAMETERS, ...scope(resource), 'pretty']) },
    ]);
    return;
  }
  paths.push([collection, path(resource, collectionOperations(resource), scope(resource))]);
  if (!resource.namespaced) return;
  const all: Operation = { ...listOperation(resource), suffix: `${resource.kind}ForAllNamespaces`, parameters: [] };
  paths.push([
    `${base}/${resource.plural}`,
    {
      ...operationsOf(resource, { get: all }),
      parameters: parametersOf(resource, [...LIST_PARAMETERS, 'pretty'].sort()),
    },
  ]);
}

function path(
  resource: Resource,
  operations: Readonly<Record<string, Operation>>,
  places: readonly string[],
): JsonObject {
  return { ...operationsOf(resource, operations), parameters: parametersOf(resource, [...places, 'pretty']) };
}

function scope({ namespaced }: Resource): readonly string[] {
  return namespaced ? ['namespace'] : [];
}

function scopedKind({ namespaced, kind }: Resource): string {
  return namespaced ? `Namespaced${kind}` : kind;
}

function collectionOperations(resource: Resource): Readonly<Record<string, Operation>> {
  const { verbs, custom, kind } = resource;
  const removal: Operation = {
    verb: 'delete',
    action: 'deletecollection',
    description: `delete collection of ${kind}`,
    suffix: `Collection${scopedKind(resource)}`,
    parameters: custom ? LIST_PARAMETERS : DELETE_COLLECTION_PARAMETERS,
    ...(custom ? {} : { body: deleteBody(resource) }),
    response: `${META}Status`,
    codes: [200],
  };
  return {
    get: listOperation(resource),
    ...(verbs.includes('create') ? { post: createOperation(resource) } : {}),
    ...(verbs.includes('deletecollection') ? { delete: removal } : {}),
  };
}

function listOperation(resource: Resource): Operation {
  const { kind, custom } = resource;
  return {
    verb: 'list',
    action: 'list',
    description: custom ? `list objects of kind ${kind}` : `list or watch objects of kind ${kind}`,
    suffix: scopedKind(resource),
    parameters: LIST_PARAMETERS,
    response: listDefinitionOf(resource),
    codes: [200],
    streams: !custom,
  };
}

function createOperation(resource: Resource): Operation {
  return {
    verb: 'create',
    action: 'post',
    description: `create ${withArticle(resource.kind)}`,
    suffix: scopedKind(resource),
    parameters: resource.verbs.includes('list') ? WRITE_PARAMETERS : [],
    body: { types: bodyTypes(resource), definition: definitionOf(resource), required: true },
    response: definitionOf(resource),
    codes: [200, 201, 202],
  };
}

function itemOperations(resource: Resource): Readonly<Record<string, Operation>> {
  const { kind } = resource;
  const removal: Operation = {
    verb: 'delete',
    action: 'delete',
    description: `delete ${withArticle(kind)}`,
    suffix: scopedKind(resource),
    parameters: DELETE_PARAMETERS,
    body: deleteBody(resource),
    response: KINDS_RETURNED_ON_DELETE.includes(kind) && !resource.custom ? definitionOf(resource) : `${META}Status`,
    codes: [200, 202],
  };
  const about = (text: string): string => `${text} the specified ${kind}`;
  const rest = itemMethods(resource, {
    about,
    suffix: scopedKind(resource),
    definition: definitionOf(resource),
    verbs: resource.verbs,
  });
  return resource.verbs.includes('delete') ? { ...rest, delete: removal } : rest;
}

interface MethodOptions {
  readonly about: (verb: string) => string;
  readonly suffix: string;
  readonly definition: string;
  readonly verbs: readonly string[];
}

/** GET, PUT and PATCH of an object or of a subresource. */
function itemMethods(
  resource: Resource,
  { about, suffix, definition, verbs }: MethodOptions,
): Readonly<Record<string, Operation>> {
  const { custom } = resource;
  const get: Operation = {
    verb: 'read',
    action: 'get',
    description: about('read'),
    suffix,
    parameters: custom ? ['resourceVersion'] : [],
    response: definition,
    codes: [200],
  };
  const body = { types: bodyTypes(resource), definition, required: true };
  const put: Operation = {
    verb: 'replace',
    action: 'put',
    description: about('replace'),
    suffix,
    parameters: WRITE_PARAMETERS,
    body,
    response: definition,
    codes: [200, 201],
  };
  const patch: Operation = {
    verb: 'patch',
    action: 'patch',
    description: about('partially update'),
    suffix,
    parameters: ['dryRun', 'fieldManager.patch', 'fieldValidation', 'force'],
    body: { types: patchTypes(resource), definition: `${META}Patch`, required: true },
    response: definition,
    codes: custom ? [200] : [200, 201],
  };
  const has = (verb: string): boolean => verbs.includes(verb);
  return { ...(has('get') ? { get } : {}), ...(has('update') ? { put } : {}), ...(has('patch') ? { patch } : {}) };
}

function subresourcePath(resource: Resource, subresource: Subresource): JsonObject {
  const { kind } = resource;
  const { name, verbs } = subresource;
  const definition =
    subresource.kind === undefined
      ? definitionOf(resource)
      : definitionName({ group: subresource.group ?? '', version: subresource.version ?? '', kind: subresource.kind });
  const suffix = `${scopedKind(resource)}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const places = ['name', ...scope(resource)];
  const { group, version, kind: otherKind } = subresource;
  const gvk =
    otherKind === undefined || resource.custom
      ? undefined
      : { group: group ?? '', version: version ?? '', kind: otherKind };
  if (verbs.includes('get')) {
    const operations = itemMethods(resource, {
      about: (verb) => `${verb} ${name} of the specified ${kind}`,
      suffix,
      definition,
      verbs,
    });
    return {
      ...operationsOf(resource, operations, gvk),
      parameters: parametersOf(gvk ?? resource, [...places, 'pretty']),
    };
  }
  const body = { types: bodyTypes(resource), definition, required: true };
  const create: Operation = {
    verb: 'create',
    action: 'post',
    description: `create ${name} of a ${kind}`,
    suffix,
    parameters: [],
    body,
    response: definition,
    codes: [200, 201, 202],
  };
  const replace: Operation = {
    verb: 'replace',
    action: 'put',
    description: `replace ${name} of the specified ${kind}`,
    suffix,
    parameters: [],
    body,
    response: definition,
    codes: [200, 201],
  };
  const operations = operationsOf(resource, verbs.includes('create') ? { post: create } : { put: replace }, gvk);
  return { ...operations, parameters: parametersOf(gvk ?? resource, [...WRITE_PARAMETERS, ...places, 'pretty']) };
}

/** The deprecated paths of watches. */
function addWatches(resource: Resource, { base, collection }: Places, paths: [string, Json][]): void {
  const { kind, plural, namespaced } = resource;
  const watch: Operation = {
    verb: 'watch',
    action: 'watchlist',
    description: `watch individual changes to a list of ${kind}. deprecated: use the 'watch' parameter with a list operation instead.`,
    suffix: `${scopedKind(resource)}List`,
    parameters: [],
    response: `${META}WatchEvent`,
    codes: [200],
    streams: true,
  };
  const add = (at: string, operation: Operation, places: readonly string[]): void => {
    paths.push([
      at,
      {
        ...operationsOf(resource, { get: operation }),
        parameters: parametersOf(resource, [...LIST_PARAMETERS, ...places, 'pretty'].sort()),
      },
    ]);
  };
  const below = `${base}/watch${collection.slice(base.length)}`;
  add(below, watch, scope(resource));
  const one = `watch changes to an object of kind ${kind}. deprecated: use the 'watch' parameter with a list operation instead, filtered to a single item with the 'fieldSelector' parameter.`;
  add(`${below}/{name}`, { ...watch, action: 'watch', description: one, suffix: scopedKind(resource) }, [
    'name',
    ...scope(resource),
  ]);
  if (namespaced) add(`${base}/watch/${plural}`, { ...watch, suffix: `${kind}ListForAllNamespaces` }, []);
}

function withArticle(kind: string): string {
  return `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function deleteBody(resource: Resource): NonNullable<Operation['body']> {
  return { types: bodyTypes(resource), definition: `${META}DeleteOptions`, required: false };
}

function bodyTypes({ custom }: Resource): readonly string[] {
  return custom ? ['application/json', 'application/yaml'] : ['*/*'];
}

function patchTypes({ custom }: Resource): readonly string[] {
  const types = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];
  return custom ? types : [...types, 'application/strategic-merge-patch+json'];
}
