import type { RequestInfo } from './requestinfo.js';
import { type Resource, type Subresource, subresourceOf } from '../resource.js';
import { badRequest, methodNotAllowed, noSuchResource, quoted, StatusError } from '../status.js';
import type { Target } from '../verbs/verbs.js';

export type RouteVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** A request on a resource whose path and method are valid. */
export interface Route {
  readonly verb: RouteVerb;
  readonly target: Target;
}

/** 405 in the words of kube-apiserver's router. */
export function wrongMethod(): StatusError {
  const message = 'the server does not allow this method on the requested resource';
  return new StatusError(405, message, { reason: 'MethodNotAllowed', details: {} });
}

/**
 * Finds the verb and target of a request on a resource.
 * @returns undefined where kube-apiserver has no such path (a text 404)
 * @throws StatusError 404, 405 or 400
 */
export function routeOf(resource: Resource, info: RequestInfo, method: string): Route | undefined {
  return resource.custom ? customRoute(resource, info) : builtinRoute(resource, info, method);
}

// Built-in kinds: each path and method is registered, so anything else is a 404 or a 405.
function builtinRoute(resource: Resource, info: RequestInfo, method: string): Route {
  const { parts, watchPath } = info;
  const [, name = '', subname = '', ...more] = parts;
  const subresource = subresourceOf(resource, subname);
  // Segments after `proxy` belong to the proxied path.
  const known =
    (more.length === 0 || subname === 'proxy') &&
    info.verb !== 'proxy' &&
    (subname === '' || (subresource !== undefined && !watchPath));
  const onItem = name !== '';
  if (!known || !fitsScope(resource, info, onItem) || (onItem && !hasItems(resource, subresource)))
    throw noSuchResource();
  const verb = builtinVerb(info, method, { onItem, subresource: subname !== '' });
  const allowed = (subresource ?? resource).verbs;
  const everywhere = resource.namespaced && info.namespace === '' && !info.nested && !onItem;
  if (verb === undefined || !allowed.includes(verb) || (everywhere && verb !== 'list' && verb !== 'watch'))
    throw wrongMethod();
  // `namespaces//`: a namespace that has no name.
  if (resource.namespaced && info.nested && info.namespace === '' && verb !== 'list' && verb !== 'watch')
    throw badRequest('Namespace parameter required.');
  return { verb, target: targetOf(resource, info, subname) };
}

function fitsScope(resource: Resource, info: RequestInfo, onItem: boolean): boolean {
  if (!resource.namespaced) return !info.nested;
  return info.namespace !== '' || info.nested || (!onItem && resource.verbs.includes('list'));
}

/** A resource that can only be posted has no items; a subresource that can only be posted has those of its parent. */
function hasItems(resource: Resource, subresource: Subresource | undefined): boolean {
  return subresource !== undefined || resource.verbs.some((verb) => verb !== 'create' && verb !== 'list');
}

const ON_COLLECTION: Readonly<Record<string, RouteVerb>> = { GET: 'list', POST: 'create', DELETE: 'deletecollection' };
const ON_ITEM: Readonly<Record<string, RouteVerb>> = { GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };
const ON_SUBRESOURCE: Readonly<Record<string, RouteVerb>> = { ...ON_ITEM, POST: 'create' };

function builtinVerb(
  info: RequestInfo,
  method: string,
  where: { readonly onItem: boolean; readonly subresource: boolean },
): RouteVerb | undefined {
  if (info.watchPath) return method === 'GET' && info.verb === 'watch' ? 'watch' : undefined;
  if (where.subresource) return ON_SUBRESOURCE[method];
  if (where.onItem) return ON_ITEM[method];
  return method === 'GET' && info.verb === 'watch' ? 'watch' : ON_COLLECTION[method];
}

const OF_STATUS = ['get', 'update', 'patch'];

/**
 * Whether the path has a namespace for a cluster-scoped resource, or none for a namespaced one: then it is no path of
 * the resource.
 */
export function outOfScope({ namespaced }: Resource, { namespace, verb }: RequestInfo): boolean {
  return namespaced ? namespace === '' && verb !== 'list' && verb !== 'watch' : namespace !== '';
}

// Custom resources: one handler accepts every path below a version, and uses the verb of the request.
function customRoute(resource: Resource, info: RequestInfo): Route | undefined {
  if (outOfScope(resource, info)) return undefined;
  const subname = info.subresource;
  if (subname !== '' && subresourceOf(resource, subname) === undefined) {
    throw new StatusError(404, `${resource.plural}.${resource.group} ${quoted(info.name)} not found`, {
      reason: 'NotFound',
      details: { name: info.name, group: resource.group, kind: resource.plural },
    });
  }
  const verb = VERBS.find((one) => one === info.verb);
  if (verb === undefined || (subname !== '' && !OF_STATUS.includes(verb))) throw methodNotAllowed(resource, info.verb);
  return { verb, target: targetOf(resource, info, subname) };
}

const VERBS: readonly RouteVerb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

function targetOf(resource: Resource, info: RequestInfo, subresource: string): Target {
  const [, name = ''] = info.parts;
  return { resource, namespace: resource.namespaced ? info.namespace : '', name, subresource };
}
