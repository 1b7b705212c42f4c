import { randomUUID } from 'node:crypto';

import { type Asker, failureAnswer, failureOf, type Headers, textAnswer, unknownPath } from './response/response.js';
import { type AuditLog, type AuditedRequest, NO_AUDIT } from './audit.js';
import { call, type CallRooms } from './calls.js';
import { checkTimeout } from './deadline.js';
import type { Exchange } from './exchange.js';
import { outOfScope, routeOf } from './route.js';
import { requestInfo, type RequestInfo } from './requestinfo.js';
import { readTarget, type RequestTarget } from './target.js';
import { warningHeaders } from './response/warnings.js';
import type { Authenticator } from '../auth/authenticator.js';
import type { Attributes, Authorizer } from '../auth/authorizer.js';
import { escapeHtml, forbiddenBy } from '../auth/forbidden.js';
import { createImpersonation, type Impersonation } from '../auth/impersonation.js';
import { noSuchResource, StatusError, unauthorized } from '../status.js';
import type { Registry, Resource } from '../resource.js';
import type { ApiRequest, ApiResponse } from '../request.js';
import type { UserInfo } from '../user.js';

/** Responds to a non-resource path; undefined where there is none. */
export type PathHandler = (exchange: Exchange) => ApiResponse | undefined;

export interface Rooms extends CallRooms {
  readonly registry: () => Registry;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly paths: PathHandler;
  readonly audit?: AuditLog;
}

/** Handles requests: authentication, impersonation, authorization, routing, then the verb. */
export interface Router {
  /** Never rejects: a failure is a response too. */
  dispatch(request: ApiRequest): Promise<ApiResponse>;
}

interface Furnished extends Rooms {
  readonly impersonation: Impersonation;
}

export function createRouter(rooms: Rooms): Router {
  const furnished = { ...rooms, impersonation: createImpersonation(rooms.authorizer) };
  return { dispatch: (request) => dispatch(furnished, request) };
}

const PRIVATE = 'no-cache, private';
const NOSNIFF: Headers = { 'X-Content-Type-Options': 'nosniff' };

async function dispatch(rooms: Furnished, request: ApiRequest): Promise<ApiResponse> {
  if (request.method === 'OPTIONS' && request.target === '*')
    return { code: 200, headers: {}, body: { kind: 'bytes', bytes: Buffer.alloc(0) } };
  const target = readTarget(request.target);
  if (target === undefined)
    return {
      ...textAnswer(400, '400 Bad Request'),
      headers: { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' },
    };
  const id = auditId(request.headers['audit-id']);
  const info = requestInfo(request.method, target);
  if (typeof info === 'string') {
    return withHeaders(
      textAnswer(500, escapeHtml(`Internal Server Error: "${target.raw}": failed to create RequestInfo: ${info}\n`)),
      { 'Audit-Id': id },
    );
  }
  const always: Headers = { 'Audit-Id': id, 'Cache-Control': PRIVATE };
  const audited = rooms.audit?.begin(request, info, id) ?? NO_AUDIT;
  const warnings: string[] = [];
  const answer = await answerTo(rooms, { request, target, info, audited, warnings });
  const headers = warnings.length === 0 ? always : { ...always, Warning: warningHeaders(warnings) };
  return audited.finish(withHeaders(answer, headers));
}

/** A request before authentication. */
interface Arrival {
  readonly request: ApiRequest;
  readonly target: RequestTarget;
  readonly info: RequestInfo;
  readonly audited: AuditedRequest;
  readonly warnings: string[];
}

async function answerTo(rooms: Furnished, arrival: Arrival): Promise<ApiResponse> {
  const {
    request: { headers },
    target: { query },
  } = arrival;
  const asker: Asker = { accept: headers['accept'], agent: headers['user-agent'] ?? '', query };
  try {
    return await answerFor(rooms, arrival, asker);
  } catch (error) {
    return failureAnswer(failureOf(error), asker);
  }
}

function answerFor(
  rooms: Furnished,
  { request, target, info, audited, warnings }: Arrival,
  asker: Asker,
): ApiResponse | Promise<ApiResponse> {
  const { headers } = request;
  checkTimeout(info, target.query.get('timeout'));
  const sender =
    request.user ?? rooms.authenticator.request(headers['authorization'], (text) => void warnings.push(text));
  if (sender === undefined) return failureAnswer(unauthorized(), asker);
  audited.sender(sender);
  const user = rooms.impersonation(headers, attributesOf(info, sender));
  if (user instanceof StatusError) return failureAnswer(user, asker, NOSNIFF);
  if (user !== sender) audited.actingAs(user);
  const attributes = attributesOf(info, user);
  const decision = rooms.authorizer.authorize(attributes);
  audited.decided(decision);
  if (!decision.allowed) return failureAnswer(forbiddenBy(attributes, decision.reason), asker, NOSNIFF);
  const caller = {
    user,
    agent: managerOf(asker.agent),
    warn: (text: string) => void warnings.push(text),
    annotate: (key: string, value: string) => audited.annotate(key, value),
    get signal() {
      return request.signal;
    },
  };
  return serve(rooms, { request, target, info, asker, caller, note: (body) => audited.body(body) });
}

function attributesOf(info: RequestInfo, user: UserInfo): Attributes {
  const { verb, path, group, version, resource, subresource, namespace, name } = info;
  return info.isResource
    ? { user, verb, group, version, resource, subresource, namespace, name }
    : { user, verb, path };
}

function serve(rooms: Rooms, exchange: Exchange): ApiResponse | Promise<ApiResponse> {
  const { info, request } = exchange;
  // RBAC cleans repeated slashes; the router does not.
  if (info.path.startsWith('//')) return unknownPath();
  if (!info.isResource) return rooms.paths(exchange) ?? unknownPath();
  const registry = rooms.registry();
  const resource = registry.find(info.group, info.version, info.resource);
  if (resource === undefined && registry.isBuiltinGroup(info.group)) throw noSuchResource();
  if (resource !== undefined) checkDeprecation(exchange, resource);
  const route = resource === undefined ? undefined : routeOf(resource, info, request.method);
  return route === undefined ? unknownPath() : call(rooms, exchange, route);
}

/** A request to a deprecated version gets the warning, whatever its outcome. */
function checkDeprecation({ info, caller }: Exchange, resource: Resource): void {
  if (resource.deprecation === undefined || outOfScope(resource, info)) return;
  caller.warn(resource.deprecation);
  caller.annotate?.('k8s.io/deprecated', 'true');
}

const UUID_LIKE = /^[\x21-\x7e]{1,64}$/;

/** The client's request ID, or a new one. */
function auditId(given: string | undefined): string {
  return given !== undefined && UUID_LIKE.test(given) ? given : randomUUID();
}

const MANAGER_LENGTH = 128;

/** The default field manager: the start of the user agent, printable characters only. */
function managerOf(agent: string): string {
  const name = (agent.split('/')[0] ?? '').replace(/(?! )[\p{C}\p{Z}]/gu, '').slice(0, MANAGER_LENGTH);
  return name === '' ? 'unknown' : name;
}

function withHeaders(answer: ApiResponse, headers: Headers): ApiResponse {
  return { ...answer, headers: { ...headers, ...answer.headers } };
}
