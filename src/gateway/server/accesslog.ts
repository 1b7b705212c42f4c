import type { Clock } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import type { GatewayMetrics } from '../../runtime/metrics.js';
import { ROUTES, type RouteMatch } from '../request/routes.js';
import type { UpstreamError } from '../upstream/error.js';
import type { IncomingRequest } from './server.js';

/** A request that was handled. */
export interface AccessRecord {
  readonly incoming: IncomingRequest;
  readonly match: RouteMatch | undefined;
  /** On the monotonic clock. */
  readonly startedAt: number;
  /** The client's address: the socket no longer has it after it was closed. */
  readonly remote: string | undefined;
  /** Why there was no response of the API server. */
  readonly upstreamError: UpstreamError | undefined;
}

interface AccessLogDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: GatewayMetrics;
}

const METHODS: readonly string[] = [...new Set(ROUTES.flatMap((route) => route.operations.map((one) => one.method)))];

/**
 * Writes the access log line of a request and counts it. Both hold route templates, known methods and checked names,
 * and nothing else that the client sent.
 */
export function recordAccess(record: AccessRecord, { clock, log, metrics }: AccessLogDeps): void {
  const { incoming, match, remote, upstreamError } = record;
  const { message, response } = incoming;
  const ms = clock.monotonic() - record.startedAt;
  const route = match?.route.template ?? 'none';
  const method = METHODS.includes(message.method ?? '') ? (message.method ?? '') : 'other';
  const code = response.headersSent ? response.statusCode : incoming.rejectedWith;
  const failure = upstreamError === undefined ? undefined : `${upstreamError.reason} ${upstreamError.code}`;
  const { namespace, name } = match ?? {};
  const fields = { route, method, namespace, object: name, ms: Math.round(ms * 10) / 10, remote, failure };
  if (code !== undefined) metrics.answered(route, method, code, ms / 1000);
  if (!response.writableFinished && incoming.rejectedWith === undefined) metrics.abandoned(route);
  log.info({ ...fields, code, whole: response.writableFinished }, 'request');
}

/** Name and place of a fault of the program. Its message is left out: it may quote the request. */
export function stackWithoutMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'no Error was thrown';
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames.slice(0, 8).map((line) => line.trim())].join(' ');
}
