import { LightAbortSignal } from '../../runtime/transport/deadline.js';
import type { AbortSignalLike, Clock } from '../../runtime/clock.js';
import type { HealthCheck } from '../../runtime/endpoints/health.js';
import type { Logger } from '../../runtime/logger.js';
import type { GatewayMetrics } from '../metrics.js';
import type { Tracer } from '../../runtime/tracing/tracer.js';
import type { FieldRules } from '../object/fieldrules.js';
import { announcesBody, readBody } from '../request/body.js';
import type { Budget, Reservation } from '../request/budget.js';
import type { Drain } from '../request/drain.js';
import { headerMap } from '../request/headers.js';
import type { ObjectRequest } from '../request/objectbody.js';
import type { ObjectParser } from '../request/objectparser.js';
import { parseHead, routeOf, type LocalRequest, type ResourceRequest } from './requesthead.js';
import type { RouteMatch } from '../request/routes.js';
import { isRead, MAX_BUFFERED, mapResponse, type RequestInfo } from '../response/mapresponse.js';
import type { ResponseRateLimiter } from '../response/responseratelimiter.js';
import { emptyResponse, errorResponse, withoutBody, writeResponse, type HttpResponse } from '../response/response.js';
import { StatusError } from '../statuserror.js';
import type { AcceptedTokens, CallerToken } from '../upstream/acceptedtokens.js';
import type { Upstream, UpstreamRequest } from '../upstream/upstream.js';
import { UpstreamError } from '../upstream/error.js';
import { beginAccess, type Access } from './accesslog.js';
import type { Connections } from '../../runtime/http/connections.js';
import type { IncomingRequest } from './server.js';

/** What requests are handled with. */
export interface HandlerDeps {
  readonly upstream: Pick<Upstream, 'begin'>;
  readonly connections: Pick<Connections, 'markAccepted' | 'markActive' | 'markIdle'>;
  readonly tokens: AcceptedTokens;
  /** For the bodies of requests and responses. */
  readonly bodies: Budget;
  readonly parser: ObjectParser;
  /** For rejected bodies. */
  readonly drain: Drain;
  /** For responses to clients without an accepted token. */
  readonly responseRateLimiter: ResponseRateLimiter;
  /** The OpenAPI document, JSON; bytes, so that it is encoded once. */
  readonly openapi: Buffer;
  readonly rules: FieldRules;
  readonly readiness: Pick<HealthCheck, 'check'>;
  /** Only the status codes of the interface, and no error bodies. */
  readonly strict: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: GatewayMetrics;
  /** Undefined without traces. */
  readonly tracer?: Tracer | undefined;
}

interface RequestContext {
  readonly incoming: IncomingRequest;
  readonly deps: HandlerDeps;
  readonly access: Access;
  /** Fires when the client closes its connection. */
  readonly clientGone: AbortSignalLike;
  /** Why the API server gave no usable response; also for a write whose response to the client is 200. */
  upstreamError?: UpstreamError;
  readonly match: RouteMatch | undefined;
  /** Undefined until the head was parsed, and for requests without one. */
  caller?: CallerToken;
}

/** A string: an Error would be made, with its stack trace, for each request. */
const CLOSED = 'the connection has closed';

/**
 * Handles one request: parses its head, answers it locally or with one call to the API server under the caller's own
 * token, and writes the access log. Never rejects.
 */
export async function handleRequest(incoming: IncomingRequest, deps: HandlerDeps): Promise<void> {
  const { message } = incoming;
  const match = routeOf(message);
  const access = beginAccess(incoming, match, deps);
  const context: RequestContext = { incoming, deps, match, access, clientGone: closeSignal(incoming) };
  try {
    const request = parseHead(message, match);
    if (request.kind === 'local') await respondLocally(request, context);
    else await forward(request, context);
  } catch (error) {
    if (error instanceof UpstreamError) context.upstreamError = error;
    await respondWithError(error, context);
  }
  access.end(context.upstreamError);
}

function closeSignal({ message, response }: IncomingRequest): AbortSignalLike {
  const closed = new LightAbortSignal();
  response.on('close', () => {
    if (!response.writableFinished) closed.abort(CLOSED);
  });
  // Without listeners, an error of a connection that the client has reset would end the process.
  response.on('error', () => undefined);
  message.on('error', () => undefined);
  return closed;
}

/** Needs no token. What kubelets and load balancers ask for is small, and never waits. */
async function respondLocally(request: LocalRequest, { incoming, deps, clientGone }: RequestContext): Promise<void> {
  const answer = localResponse(request, deps);
  if (request.action === 'openapi') await deps.responseRateLimiter.wait(clientGone);
  await writeResponse(incoming.response, answer, deps.clock);
}

function localResponse({ action }: LocalRequest, { openapi, readiness }: HandlerDeps): HttpResponse {
  if (action === 'openapi') return { code: 200, headers: { 'content-type': 'application/json' }, body: openapi };
  if (action === 'ready' && readiness.check() !== undefined)
    throw new StatusError('unavailable', { message: 'not ready' });
  return emptyResponse(200);
}

/** Reads the body, if any, calls the API server and responds. The body is counted until the response is written. */
async function forward(request: ResourceRequest, context: RequestContext): Promise<void> {
  const { method, path, resourceVersion, object, info } = request;
  const { tokens, bodies } = context.deps;
  const caller = tokens.of(request.token);
  context.caller = caller;
  if (object === undefined) {
    const body = resourceVersion === undefined ? {} : { body: deleteOptions(resourceVersion) };
    await callAndRespond({ method, path, caller, ...body }, info, context);
    return;
  }
  if (!tokens.isAccepted(caller)) await confirmToken(caller, context);
  const memory = bodies.reserve();
  try {
    const body = await readObject(object, memory, context);
    const strictPath = `${path}?fieldValidation=Strict`;
    await callAndRespond({ method, path: strictPath, caller, body }, { ...info, sent: body }, context);
  } finally {
    memory.release();
  }
}

/**
 * The one rule about bodies: none is read, and no `100 Continue` is sent for it, before the API server has accepted the
 * token within the last 10 s.
 * @throws StatusError, UpstreamError
 */
async function confirmToken(caller: CallerToken, { incoming, deps, clientGone }: RequestContext): Promise<void> {
  const { tokens, connections } = deps;
  const { socket } = incoming.message;
  try {
    await tokens.confirm(caller, clientGone, () => connections.markActive(socket));
    connections.markAccepted(socket);
  } finally {
    connections.markIdle(socket);
  }
}

/**
 * The object in the body, checked against the path, JSON.
 * @throws StatusError; another Error when the client leaves
 */
async function readObject(object: ObjectRequest, memory: Reservation, context: RequestContext): Promise<string> {
  const { message, response, expectsContinue } = context.incoming;
  if (expectsContinue) response.writeContinue();
  const bytes = await readBody(message, memory);
  if (message.rawTrailers.length > 0)
    throw new StatusError('malformed', { message: 'trailer fields are not allowed', close: true });
  return context.deps.parser.parse(bytes, object);
}

/** DeleteOptions with which the object is deleted only at that resourceVersion. */
function deleteOptions(resourceVersion: string): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { resourceVersion } });
}

type CallRequest = Pick<UpstreamRequest, 'method' | 'path' | 'body'> & { readonly caller: CallerToken };

/** Makes the one call. While it lasts, the client's connection is not evicted. */
async function callAndRespond(request: CallRequest, info: RequestInfo, context: RequestContext): Promise<void> {
  const { connections } = context.deps;
  const { socket } = context.incoming.message;
  let result: CallResult;
  try {
    result = await callUpstream(request, info, context);
  } finally {
    connections.markIdle(socket);
  }
  if (result.kind === 'buffered') await writeCounted(result.response, info, context);
}

type CallResult = { readonly kind: 'buffered'; readonly response: HttpResponse } | { readonly kind: 'written' };

/**
 * A buffered response is returned and written after the call has ended, so that a slow client holds no connection to
 * the API server. A larger one is written while it is read.
 */
async function callUpstream(
  { caller, method, path, body }: CallRequest,
  info: RequestInfo,
  context: RequestContext,
): Promise<CallResult> {
  const { upstream, tokens, connections } = context.deps;
  const { socket } = context.incoming.message;
  const onStart = (): void => connections.markActive(socket);
  const { traceparent } = context.access;
  const { token } = caller;
  const known = tokens.isKnown(caller);
  const call = upstream.begin({ method, path, body, token, known, onStart, traceparent }, context.clientGone);
  let failure: unknown;
  try {
    const answer = await call.send();
    tokens.observe(caller, answer.status);
    if (tokens.isAccepted(caller)) connections.markAccepted(socket);
    const response = await mapResponse(answer, info, context.deps);
    if (response.failure !== undefined) failure = context.upstreamError = response.failure;
    if (response.stream === undefined) return { kind: 'buffered', response };
    await writeCounted(response, info, context);
    return { kind: 'written' };
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    call.end(failure);
  }
}

/**
 * Writes a response whose bytes count until the client has taken them: many slow clients cannot exhaust the memory. A
 * stream counts until its end, so that slow clients cannot hold all connections to the API server either. The response
 * to a write that was done loses its body when the budget is exhausted, and is no error.
 */
async function writeCounted(response: HttpResponse, info: RequestInfo, context: RequestContext): Promise<void> {
  const { incoming, deps } = context;
  const reservation = deps.bodies.reserve();
  const { body = '', stream } = response;
  if (!reservation.grow(stream === undefined ? Buffer.byteLength(body) : MAX_BUFFERED)) {
    if (isRead(info)) throw new StatusError('unavailable', { message: 'too many answers at once' });
    await writeResponse(incoming.response, withoutBody(response), deps.clock);
    return;
  }
  try {
    await writeResponse(incoming.response, response, deps.clock);
  } finally {
    reservation.release();
  }
}

/** Writes the response of an error, or closes the connection where none can be written any more. */
async function respondWithError(error: unknown, context: RequestContext): Promise<void> {
  const { incoming, deps, clientGone } = context;
  const { message, response, expectsContinue } = incoming;
  const statusError = statusErrorOf(error);
  // The body of a client that has left fails before its connection closes.
  const gone = clientGone.aborted || message.errored !== null;
  if (statusError === undefined && !gone) deps.log.error({ fault: stackWithoutMessage(error) }, 'request failed');
  if (gone || response.headersSent) {
    response.destroy();
    return;
  }
  const unread = !message.complete && announcesBody(headerMap(message.rawHeaders));
  if (unread) response.shouldKeepAlive = false;
  if (unread && !expectsContinue) await deps.drain.read(message);
  if (isRateLimited(context)) await deps.responseRateLimiter.wait(clientGone);
  const answer = errorResponse(statusError ?? new StatusError('failed', { message: 'failed' }), deps.strict);
  await writeResponse(response, answer, deps.clock).catch(() => undefined);
}

/** Whether an error response waits: a kubelet's probe of readiness never does. */
function isRateLimited({ match, caller, deps: { tokens } }: RequestContext): boolean {
  const probed = match !== undefined && match.route.resource === undefined;
  return !probed && (caller === undefined || !tokens.isKnown(caller));
}

/** What an error means for the client; undefined for a fault of the program. */
function statusErrorOf(error: unknown): StatusError | undefined {
  if (error instanceof StatusError) return error;
  if (!(error instanceof UpstreamError)) return undefined;
  const unavailable = error.reason === 'timeout' || error.reason === 'unreachable';
  return new StatusError(unavailable ? 'unavailable' : 'failed', { message: error.message });
}

/** Name and place of a fault of the program. Its message is left out: it may quote the request. */
function stackWithoutMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'no Error was thrown';
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames.slice(0, 8).map((line) => line.trim())].join(' ');
}
