import type { IncomingMessage } from 'node:http';
import type { RequestInfo } from '../response/mapresponse.js';
import { methodNotAllowed } from '../response/parseerror.js';
import { StatusError } from '../statuserror.js';
import { announcesBody, checkLength } from '../request/body.js';
import { checkHeaders, headerMap, type HeaderMap } from '../request/headers.js';
import { acceptedType, formatOf, wantsRepresentation } from '../request/media.js';
import { checkConditionalHeaders, ifMatchRevision } from '../request/precondition.js';
import { matchRoute, operationOf, upstreamPath, type Action, type Method, type RouteMatch } from '../request/routes.js';
import type { ObjectRequest } from '../request/objectbody.js';
import type { Target } from '../request/target.js';
import { tokenOf } from '../request/token.js';

/** A request that the gateway answers by itself. */
export interface LocalRequest {
  readonly kind: 'local';
  readonly action: Action;
}

/** A request for one object or one collection at the API server. */
export interface ResourceRequest {
  readonly kind: 'resource';
  readonly info: RequestInfo;
  readonly method: Method;
  /** At the Kubernetes API. */
  readonly path: string;
  readonly token: string;
  /** The resourceVersion of `If-Match`; undefined for any. */
  readonly resourceVersion: string | undefined;
  /** What the object in the body has to agree with; undefined for an operation without a body. */
  readonly object: ObjectRequest | undefined;
}

/** The head of a request, checked and read. */
export type RequestHead = LocalRequest | ResourceRequest;

/** The route of a request's path, whatever its query and its method are. */
export function routeOf({ url = '' }: IncomingMessage): RouteMatch | undefined {
  const mark = url.indexOf('?');
  return matchRoute(mark < 0 ? url : url.slice(0, mark));
}

/**
 * Checks and reads the head of a request. `match`: what `routeOf` returned for it.
 * @throws StatusError for a head that is not accepted, an unknown path, a method that the path does not have, a query
 */
export function parseHead(message: IncomingMessage, match: RouteMatch | undefined): RequestHead {
  const headers = headerMap(message.rawHeaders);
  checkHeaders(headers, message.httpVersion);
  const { url = '', method = '' } = message;
  if (match === undefined) throw new StatusError('notFound', { message: 'no such path' });
  const operation = operationOf(match.route, method);
  if (operation === undefined) throw methodNotAllowed(match.route);
  // Without its query a request would do something else: a DELETE with dryRun would delete.
  if (url.includes('?')) throw new StatusError('malformed', { message: 'a query string is not allowed' });
  const { action } = operation;
  checkConditionalHeaders(headers, action);
  const { resource } = match.route;
  if (resource === undefined) {
    rejectBody(headers);
    return { kind: 'local', action };
  }
  const token = tokenOf(headers);
  const resourceVersion = ifMatchRevision(headers);
  const info = {
    action,
    resource,
    accept: acceptedType(headers),
    representation: wantsRepresentation(headers),
    conditional: resourceVersion !== undefined,
  };
  const path = upstreamPath(resource, match.namespace, match.name);
  const object = objectRequestOf(headers, { action, target: targetOf(match, resource), resourceVersion });
  return { kind: 'resource', info, method: operation.method, path, token, resourceVersion, object };
}

function targetOf({ namespace, name }: RouteMatch, resource: Target['resource']): Target {
  return { resource, ...(namespace !== undefined && { namespace }), ...(name !== undefined && { name }) };
}

function objectRequestOf(
  headers: HeaderMap,
  { action, target, resourceVersion }: Omit<ObjectRequest, 'action' | 'format'> & { action: Action },
): ObjectRequest | undefined {
  if (action !== 'create' && action !== 'update') {
    rejectBody(headers);
    return undefined;
  }
  const format = formatOf(headers);
  checkLength(headers);
  return { action, target, resourceVersion, format };
}

function rejectBody(headers: HeaderMap): void {
  if (announcesBody(headers))
    throw new StatusError('malformed', { message: 'this operation takes no body', close: true });
}
