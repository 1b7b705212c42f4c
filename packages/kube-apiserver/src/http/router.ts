import { randomUUID } from 'node:crypto';

import {
  type Requester,
  failureResponse,
  toStatusError,
  type Headers,
  textResponse,
  unknownPath,
} from './response/response.js';
import { type AuditLog, type AuditedRequest, NO_AUDIT } from './audit.js';
import { call, type CallDeps } from './calls.js';
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

export interface RouterDeps extends CallDeps {
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

interface CompleteDeps extends RouterDeps {
  readonly impersonation: Impersonation;
}

export function createRouter(deps: RouterDeps): Router {
  const complete = { ...deps, impersonation: createImpersonation(deps.authorizer) };
  return { dispatch: (request) => dispatch(complete, request) };
}

const PRIVATE = 'no-cache, private';
const NOSNIFF: Headers = { 'X-Content-Type-Options': 'nosniff' };

async function dispatch(deps: CompleteDeps, request: ApiRequest): Promise<ApiResponse> {
  if (request.method === 'OPTIONS' && request.target === '*')
    return { code: 200, headers: {}, body: { kind: 'bytes', bytes: Buffer.alloc(0) } };
  const target = readTarget(request.target);
  if (target === undefined)
    return {
      ...textResponse(400, '400 Bad Request'),
      headers: { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' },
    };
  const id = auditId(request.headers['audit-id']);
  const parsed = requestInfo(request.method, target);
  if (parsed.kind === 'invalid') {
    return withHeaders(
      textResponse(
        500,
        escapeHtml(`Internal Server Error: "${target.raw}": failed to create RequestInfo: ${parsed.message}\n`),
      ),
      { 'Audit-Id': id },
    );
  }
  const { info } = parsed;
  const always: Headers = { 'Audit-Id': id, 'Cache-Control': PRIVATE };
  const audited = deps.audit?.begin(request, info, id) ?? NO_AUDIT;
  const warnings: string[] = [];
  const answer = await respond(deps, { request, target, info, audited, warnings });
  const headers = warnings.length === 0 ? always : { ...always, Warning: warningHeaders(warnings) };
  return audited.finish(withHeaders(answer, headers));
}

/** A request before authentication. */
interface UnauthenticatedRequest {
  readonly request: ApiRequest;
  readonly target: RequestTarget;
  readonly info: RequestInfo;
  readonly audited: AuditedRequest;
  readonly warnings: string[];
}

async function respond(deps: CompleteDeps, unauthenticated: UnauthenticatedRequest): Promise<ApiResponse> {
  const {
    request: { headers },
    target: { query },
  } = unauthenticated;
  const requester: Requester = { accept: headers['accept'], agent: headers['user-agent'] ?? '', query };
  try {
    return await respondToUser(deps, unauthenticated, requester);
  } catch (error) {
    return failureResponse(toStatusError(error), requester);
  }
}

function respondToUser(
  deps: CompleteDeps,
  { request, target, info, audited, warnings }: UnauthenticatedRequest,
  requester: Requester,
): ApiResponse | Promise<ApiResponse> {
  const { headers } = request;
  checkTimeout(info, target.query.get('timeout'));
  const sender =
    request.user ?? deps.authenticator.request(headers['authorization'], (text) => void warnings.push(text));
  if (sender === undefined) return failureResponse(unauthorized(), requester);
  audited.sender(sender);
  const user = deps.impersonation(headers, attributesOf(info, sender));
  if (user instanceof StatusError) return failureResponse(user, requester, NOSNIFF);
  if (user !== sender) audited.actingAs(user);
  const attributes = attributesOf(info, user);
  const decision = deps.authorizer.authorize(attributes);
  audited.decided(decision);
  if (!decision.allowed) return failureResponse(forbiddenBy(attributes, decision.reason), requester, NOSNIFF);
  const caller = {
    user,
    agent: managerOf(requester.agent),
    warn: (text: string) => void warnings.push(text),
    annotate: (key: string, value: string) => audited.annotate(key, value),
    get signal() {
      return request.signal;
    },
  };
  return serve(deps, { request, target, info, requester, caller, recordBody: (body) => audited.body(body) });
}

function attributesOf(info: RequestInfo, user: UserInfo): Attributes {
  const { verb, path, group, version, resource, subresource, namespace, name } = info;
  return info.isResource
    ? { user, verb, group, version, resource, subresource, namespace, name }
    : { user, verb, path };
}

function serve(deps: RouterDeps, exchange: Exchange): ApiResponse | Promise<ApiResponse> {
  const { info, request } = exchange;
  // RBAC cleans repeated slashes; the router does not.
  if (info.path.startsWith('//')) return unknownPath();
  if (!info.isResource) return deps.paths(exchange) ?? unknownPath();
  const registry = deps.registry();
  const resource = registry.find(info.group, info.version, info.resource);
  if (resource === undefined && registry.isBuiltinGroup(info.group)) throw noSuchResource();
  if (resource !== undefined) checkDeprecation(exchange, resource);
  const route = resource === undefined ? undefined : routeOf(resource, info, request.method);
  return route === undefined ? unknownPath() : call(deps, exchange, route);
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
