import type { IncomingMessage } from 'node:http';
import { clip } from '../../domain/conditions.js';
import { collectionPath, objectPath } from '../../runtime/client/path.js';
import type { RequestInfo } from '../response/mapresponse.js';
import { FORMS, type DecisionForm } from '../response/decision.js';
import { methodNotAllowed } from '../response/parseerror.js';
import { StatusError } from '../statuserror.js';
import { announcesBody, checkLength } from '../request/body.js';
import { checkHeaders, headerMap, type HeaderMap } from '../request/headers.js';
import { acceptedType, formatOf, wantsRepresentation, type MediaType } from '../request/media.js';
import { checkConditionalHeaders, ifMatchRevision } from '../request/precondition.js';
import { matchRoute, operationOf, type Action, type Method, type RouteMatch } from '../request/routes.js';
import type { ObjectRequest, Target } from '../request/objectbody.js';

const MAX_TOKEN = 8 * 1024;
const TOKEN_NEEDED =
  'exactly one access token is needed, as `COOKIE: Authorization: Bearer TOKEN` or as `Authorization: Bearer TOKEN`';
/** As the interface writes it: the whole value of the header COOKIE. */
const COOKIE = /^Authorization: Bearer ([A-Za-z0-9._~+/-]+=*)$/;
/** The ordinary header; the scheme's case does not matter (RFC 9110, section 11.1). */
const AUTHORIZATION = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i;

/** A request that the gateway answers by itself. */
export interface LocalRequest {
  readonly kind: 'local';
  readonly action: Action;
}

export interface DecisionRequest {
  readonly kind: 'decision';
  readonly namespace: string;
  readonly name: string;
  readonly form: DecisionForm;
  readonly accept: MediaType;
  readonly token: string;
  /** Whether it has a body, which is read and not used. */
  readonly hasBody: boolean;
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
type RequestHead = LocalRequest | DecisionRequest | ResourceRequest;

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
  const { action } = operation;
  const mark = url.indexOf('?');
  const form = formIn(mark < 0 ? undefined : url.slice(mark + 1), action);
  checkConditionalHeaders(headers, action);
  const { resource } = match.route;
  if (resource === undefined) {
    rejectBody(headers);
    return { kind: 'local', action };
  }
  const token = tokenOf(headers);
  if (form !== undefined) return { ...decisionRequest(headers, match, { action, form }), token };
  const resourceVersion = ifMatchRevision(headers);
  const info = {
    action,
    resource,
    accept: acceptedType(headers),
    representation: wantsRepresentation(headers),
    conditional: resourceVersion !== undefined,
  };
  const { namespace, name } = match;
  const path = name === undefined ? collectionPath(resource, namespace) : objectPath(resource, { ...match, name });
  const object = objectRequestOf(headers, { action, target: targetOf(match, resource), resourceVersion });
  return { kind: 'resource', info, method: operation.method, path, token, resourceVersion, object };
}

/**
 * The form of a decision; undefined for a request that is for none.
 * @throws StatusError for a query that the action does not have: without it a request would do something else, such as a DELETE
 * with dryRun, which would delete
 */
function formIn(query: string | undefined, action: Action): DecisionForm | undefined {
  if (query !== undefined && action !== 'decision')
    throw new StatusError('malformed', { message: 'a query string is not allowed' });
  if (action === 'parameters') return 'argocd';
  if (action !== 'decision') return undefined;
  if (query === undefined) return 'plain';
  const form = FORMS.find((one) => query === `as=${one}`);
  if (form !== undefined) return form;
  throw new StatusError('malformed', {
    message: `the query ${JSON.stringify(clip(query, 100))} must be absent, or as= with one of ${FORMS.join(', ')}`,
  });
}

function decisionRequest(
  headers: HeaderMap,
  { namespace = '', name = '' }: RouteMatch,
  { action, form }: { readonly action: Action; readonly form: DecisionForm },
): Omit<DecisionRequest, 'token'> {
  if (action === 'decision') rejectBody(headers);
  checkLength(headers);
  return { kind: 'decision', namespace, name, form, accept: acceptedType(headers), hasBody: announcesBody(headers) };
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

/**
 * The caller's access token, from `COOKIE: Authorization: Bearer TOKEN` or from `Authorization: Bearer TOKEN`. Both
 * headers at once, a repeated one, and anything beside the token are rejected.
 * @throws StatusError `forbidden`, which says what is needed and never repeats what was sent
 */
export function tokenOf(headers: HeaderMap): string {
  const cookies = headers.get('cookie') ?? [];
  const authorizations = headers.get('authorization') ?? [];
  const [value = ''] = [...cookies, ...authorizations];
  const pattern = cookies.length > 0 ? COOKIE : AUTHORIZATION;
  const short = value.length <= MAX_TOKEN + 'Authorization: Bearer '.length;
  const token = cookies.length + authorizations.length === 1 && short ? pattern.exec(value)?.[1] : undefined;
  if (token === undefined || token.length > MAX_TOKEN) throw new StatusError('forbidden', { message: TOKEN_NEEDED });
  return token;
}
