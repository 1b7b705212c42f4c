import type { IncomingMessage } from 'node:http';
import type { RequestInfo } from '../response/mapresponse.js';
import { methodNotAllowed } from '../response/parseerror.js';
import { StatusError } from '../statuserror.js';
import { announcesBody, checkLength } from '../request/body.js';
import { checkHeaders, headerMap, type HeaderMap } from '../request/headers.js';
import { acceptedType, formatOf, wantsRepresentation, type Format } from '../request/media.js';
import { checkConditionalHeaders, ifMatchRevision } from '../request/precondition.js';
import { matchRoute, operationOf, upstreamPath, type Action, type Method, type RouteMatch } from '../request/routes.js';
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
  /** The object or the collection that the path names. */
  readonly target: Target;
  readonly method: Method;
  /** At the Kubernetes API. */
  readonly path: string;
  readonly token: string;
  /** The resourceVersion of `If-Match`; undefined for any. */
  readonly resourceVersion: string | undefined;
  /** Of the body; undefined for an operation without a body. */
  readonly bodyFormat: Format | undefined;
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
  const target = targetOf(match, resource);
  const info = {
    action,
    resource,
    accept: acceptedType(headers),
    representation: wantsRepresentation(headers),
    conditional: resourceVersion !== undefined,
  };
  const path = upstreamPath(resource, match.namespace, match.name);
  const bodyFormat = bodyFormatOf(headers, action);
  return { kind: 'resource', info, target, method: operation.method, path, token, resourceVersion, bodyFormat };
}

function targetOf({ namespace, name }: RouteMatch, resource: Target['resource']): Target {
  return { resource, ...(namespace !== undefined && { namespace }), ...(name !== undefined && { name }) };
}

function bodyFormatOf(headers: HeaderMap, action: Action): Format | undefined {
  if (action !== 'create' && action !== 'update') {
    rejectBody(headers);
    return undefined;
  }
  const format = formatOf(headers);
  checkLength(headers);
  return format;
}

function rejectBody(headers: HeaderMap): void {
  if (announcesBody(headers))
    throw new StatusError('malformed', { message: 'this operation takes no body', close: true });
}
