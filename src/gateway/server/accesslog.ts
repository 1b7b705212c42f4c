import type { Clock } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import type { GatewayMetrics } from '../metrics.js';
import { ROUTES, type RouteMatch } from '../request/routes.js';
import type { UpstreamError } from '../upstream/error.js';
import type { IncomingRequest } from './server.js';

interface AccessLogDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: GatewayMetrics;
}

const METHODS: readonly string[] = [...new Set(ROUTES.flatMap((route) => route.operations.map((one) => one.method)))];

/**
 * Begins the record of a request. The result writes the line of the access log and counts the request; it is to be called once,
 * with the reason why there was no response of the API server. Log and metrics hold route templates, known methods and checked
 * names, and nothing else that the client sent.
 */
export function beginAccess(
  incoming: IncomingRequest,
  match: RouteMatch | undefined,
  { clock, log, metrics }: AccessLogDeps,
): (upstreamError: UpstreamError | undefined) => void {
  const { message, response } = incoming;
  const startedAt = clock.monotonic();
  // The socket no longer has it after it was closed.
  const remote = message.socket.remoteAddress;
  return (upstreamError) => {
    const ms = clock.monotonic() - startedAt;
    const route = match?.route.template ?? 'none';
    const method = METHODS.includes(message.method ?? '') ? (message.method ?? '') : 'other';
    const code = response.headersSent ? response.statusCode : incoming.rejectedWith;
    const failure = upstreamError === undefined ? undefined : `${upstreamError.reason} ${upstreamError.code}`;
    const { namespace, name } = match ?? {};
    const abandoned = !response.writableFinished && incoming.rejectedWith === undefined;
    if (code !== undefined) metrics.answered(route, method, code, ms / 1000);
    if (abandoned) metrics.abandoned(route);
    const rounded = Math.round(ms * 10) / 10;
    const whole = response.writableFinished;
    log.info({ route, method, namespace, object: name, ms: rounded, remote, failure, code, whole }, 'request');
  };
}
