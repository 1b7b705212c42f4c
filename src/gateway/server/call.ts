import type { AbortSignalLike, Clock } from '../../runtime/clock.js';
import type { HealthCheck } from '../../runtime/endpoints/server.js';
import type { Connections } from '../../runtime/http/connections.js';
import type { Logger } from '../../runtime/logger.js';
import type { Tracer } from '../../runtime/tracing/tracer.js';
import type { GatewayMetrics } from '../metrics.js';
import type { FieldRules } from '@multicluster-engine/values/schema/fieldrules';
import { readBody } from '../request/body.js';
import type { Budget, Reservation } from '../request/budget.js';
import type { Drain } from '../request/drain.js';
import type { ObjectParser } from '../request/objectparser.js';
import type { RouteMatch } from '../request/routes.js';
import { isRead, MAX_BUFFERED, type RequestInfo } from '../response/mapresponse.js';
import { withoutBody, writeResponse, type HttpResponse } from '../response/response.js';
import type { ResponseRateLimiter } from '../response/responseratelimiter.js';
import { StatusError } from '../statuserror.js';
import type { AcceptedTokens, CallerToken } from '../upstream/acceptedtokens.js';
import type { UpstreamError } from '../upstream/error.js';
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../upstream/upstream.js';
import type { Access } from './accesslog.js';
import type { IncomingRequest } from './server.js';

/** What requests are handled with. */
export interface HandlerDeps {
  readonly upstream: Pick<Upstream, 'begin'>;
  readonly connections: Pick<Connections, 'markAccepted' | 'markActive' | 'markIdle'>;
  readonly tokens: AcceptedTokens;
  /** For the bodies of requests and responses. */
  readonly bodies: Budget;
  readonly parser: Pick<ObjectParser, 'parse' | 'toYaml'>;
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

/** A request that is being handled. */
export interface RequestContext {
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

/**
 * The one rule about bodies: none is read, and no `100 Continue` is sent for it, before the API server has accepted the
 * token within the last 10 s.
 * @throws StatusError, UpstreamError
 */
export async function confirmToken(caller: CallerToken, { incoming, deps, clientGone }: RequestContext): Promise<void> {
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
 * The body of the request. It is counted in `memory`.
 * @throws StatusError; another Error when the client leaves
 */
export async function readWholeBody(memory: Reservation, { incoming }: RequestContext): Promise<Buffer> {
  const { message, response, expectsContinue } = incoming;
  if (expectsContinue) response.writeContinue();
  const bytes = await readBody(message, memory);
  if (message.rawTrailers.length > 0)
    throw new StatusError('malformed', { message: 'trailer fields are not allowed', close: true });
  return bytes;
}

export type CallRequest = Pick<UpstreamRequest, 'method' | 'path' | 'body'> & { readonly caller: CallerToken };

/**
 * One call to the API server; `use` reads its response. While the call lasts, the client's connection is not evicted.
 * @throws UpstreamError, and what `use` throws
 */
export async function callUpstream<T>(
  { caller, method, path, body }: CallRequest,
  context: RequestContext,
  use: (answer: UpstreamResponse) => Promise<T>,
): Promise<T> {
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
    return await use(answer);
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    call.end(failure ?? context.upstreamError);
    connections.markIdle(socket);
  }
}

/**
 * Writes a response whose bytes count until the client has taken them: many slow clients cannot exhaust the memory. A
 * stream counts until its end, so that slow clients cannot hold all connections to the API server either. The response
 * to a write that was done loses its body when the budget is exhausted, and is no error.
 */
export async function writeCounted(
  response: HttpResponse,
  info: Pick<RequestInfo, 'action'>,
  context: RequestContext,
): Promise<void> {
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
