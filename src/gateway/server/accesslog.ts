import type { Clock } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import type { GatewayMetrics } from '../metrics.js';
import type { Span, Tracer } from '../../runtime/tracing/tracer.js';
import { ROUTES, type RouteMatch } from '../request/routes.js';
import type { UpstreamError } from '../upstream/error.js';
import type { IncomingRequest } from './server.js';

/** The record of a request that is being handled. */
export interface Access {
  /** The header `traceparent` for calls to the API server; undefined without traces. */
  readonly traceparent: string | undefined;
  /**
   * Writes the access log line, counts the request and ends its span. To be called once. `upstreamError`: why there was no
   * response of the API server.
   */
  end(upstreamError: UpstreamError | undefined): void;
}

interface AccessLogDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: GatewayMetrics;
  readonly tracer?: Tracer | undefined;
}

const METHODS: readonly string[] = [...new Set(ROUTES.flatMap((route) => route.operations.map((one) => one.method)))];

/**
 * Begins the record of a request. Log, metrics and span hold route templates, known methods and checked names, and nothing
 * else that the client sent.
 */
export function beginAccess(incoming: IncomingRequest, match: RouteMatch | undefined, deps: AccessLogDeps): Access {
  const { clock, log, metrics } = deps;
  const { message, response } = incoming;
  const startedAt = clock.monotonic();
  // The socket no longer has it after it was closed.
  const remote = message.socket.remoteAddress;
  const span = startSpan(incoming, match, deps);
  const end = (upstreamError: UpstreamError | undefined): void => {
    const ms = clock.monotonic() - startedAt;
    const route = match?.route.template ?? 'none';
    const method = METHODS.includes(message.method ?? '') ? (message.method ?? '') : 'other';
    const code = response.headersSent ? response.statusCode : incoming.rejectedWith;
    const failure = upstreamError === undefined ? undefined : `${upstreamError.reason} ${upstreamError.code}`;
    const { namespace, name } = match ?? {};
    const abandoned = !response.writableFinished && incoming.rejectedWith === undefined;
    if (code !== undefined) metrics.answered(route, method, code, ms / 1000);
    if (abandoned) metrics.abandoned(route);
    span?.end({
      attributes: { 'http.response.status_code': code },
      errorType: abandoned ? 'abandoned' : errorTypeOf(code, upstreamError),
    });
    const rounded = Math.round(ms * 10) / 10;
    const whole = response.writableFinished;
    log.info({ route, method, namespace, object: name, ms: rounded, remote, failure, code, whole }, 'request');
  };
  return { traceparent: span?.traceparent, end };
}

/** A span as the semantic conventions for HTTP servers describe it. */
function startSpan(
  { message }: IncomingRequest,
  match: RouteMatch | undefined,
  { tracer }: AccessLogDeps,
): Span | undefined {
  if (tracer === undefined) return undefined;
  const known = METHODS.find((one) => one === message.method);
  const route = match?.route.template;
  const { traceparent } = message.headers;
  return tracer.start({
    name: [known ?? 'HTTP', ...(route === undefined ? [] : [route])].join(' '),
    kind: 'server',
    attributes: {
      'http.request.method': known ?? '_OTHER',
      'http.route': route,
      'url.scheme': 'https',
      // A path without a route may hold anything.
      'url.path': match === undefined ? undefined : message.url?.split('?', 1)[0],
      'network.protocol.version': message.httpVersion,
      'client.address': message.socket.remoteAddress,
      'k8s.namespace.name': match?.namespace,
    },
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
  });
}

function errorTypeOf(code: number | undefined, upstreamError: UpstreamError | undefined): string | undefined {
  return code === undefined || code < 500 ? undefined : (upstreamError?.reason ?? String(code));
}
