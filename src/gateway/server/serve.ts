import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import { errorResponse, send, type HttpResponse } from '../response/response.js';
import { announcesBody } from '../request/body.js';
import { answerRequest, checkedHeaders, matchOf, operationFor, type Desk } from './exchange.js';
import { headerMap } from '../request/headers.js';
import type { GatewayMetrics } from '../../runtime/metrics.js';
import { StatusError } from '../statuserror.js';
import { ROUTES, type RouteMatch } from '../request/routes.js';
import type { IncomingRequest } from './server.js';
import { UpstreamError } from '../upstream/upstream.js';

export interface Serving {
  readonly desk: Desk;
  readonly strict: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: GatewayMetrics;
}

/** How long a client has for taking an answer, ms. */
const TAKING_MS = 30_000;
/** What is still read of a body that is refused, so that the client gets to see the answer. */
const LINGER_BYTES = 2 * 1024 * 1024;
const LINGER_MS = 1_000;
/** A reason of its own would be an error with its trace for each request. */
const CLOSED = 'the connection has closed';
const METHODS: readonly string[] = [...new Set(ROUTES.flatMap((route) => route.operations.map((one) => one.method)))];

/** What the access log says of a request: words of ours and checked names, nothing else of the client's. */
interface Trace {
  match?: RouteMatch;
  /** Why there was no answer of the API server. */
  failure?: string;
}

/** Answers one request, whatever happens, and accounts for it. Never rejects. */
export async function serveRequest(arrival: IncomingRequest, serving: Serving): Promise<void> {
  const { message, response } = arrival;
  const { clock, metrics, log } = serving;
  const begun = clock.monotonic();
  const remote = message.socket.remoteAddress;
  const trace: Trace = {};
  const gone = new AbortController();
  response.on('close', () => gone.abort(CLOSED));
  response.on('error', () => undefined);
  message.on('error', () => undefined);
  try {
    await attempt(arrival, serving, { trace, gone: gone.signal });
  } catch (error) {
    await conclude(arrival, serving, { trace, error, gone: gone.signal });
  }
  const ms = clock.monotonic() - begun;
  const route = trace.match?.route.template ?? 'none';
  const method = METHODS.includes(message.method ?? '') ? (message.method ?? '') : 'other';
  const { namespace, name } = trace.match ?? {};
  const code = response.headersSent ? response.statusCode : arrival.cutShort();
  const { failure } = trace;
  const fields = { route, method, namespace, object: name, ms: Math.round(ms * 10) / 10, remote, failure };
  if (code !== undefined) metrics.answered(route, method, code, ms / 1000);
  if (!response.writableFinished && arrival.cutShort() === undefined) metrics.abandoned(route);
  log.info({ ...fields, code, whole: response.writableFinished }, 'request');
}

async function attempt(
  { message, response, expectsContinue: expectant, atWork }: IncomingRequest,
  serving: Serving,
  { trace, gone }: { trace: Trace; gone: AbortSignal },
): Promise<void> {
  const found = matchOf(message);
  if (found !== undefined) trace.match = found;
  const headers = checkedHeaders(message);
  const { match, operation } = operationFor(message, found);
  const askForBody = (): void => {
    if (expectant) response.writeContinue();
  };
  await answerRequest(
    {
      message,
      headers,
      match,
      operation,
      askForBody,
      atWork,
      gone,
      deliver: (answer) => deliver(response, answer, serving.clock),
    },
    serving.desk,
  );
}

interface Conclusion {
  readonly trace: Trace;
  readonly error: unknown;
  readonly gone: AbortSignal;
}

async function conclude(arrival: IncomingRequest, serving: Serving, { trace, error, gone }: Conclusion): Promise<void> {
  const { message, response, expectsContinue: expectant } = arrival;
  const refusal = refusalOf(error);
  if (error instanceof UpstreamError) trace.failure = `${error.reason} ${error.code}`;
  // A client that leaves is noticed by its body sooner than by its connection.
  const left = gone.aborted || message.errored !== null;
  if (refusal === undefined && !left) serving.log.error({ fault: faultOf(error) }, 'request failed');
  if (left || response.headersSent) {
    response.destroy();
    return;
  }
  const unread = !message.complete && announcesBody(headerMap(message.rawHeaders));
  if (unread) response.shouldKeepAlive = false;
  if (unread && !expectant) await linger(message, serving.clock);
  const answer = errorResponse(refusal ?? new StatusError('failed', { message: 'failed' }), serving.strict);
  await deliver(response, answer, serving.clock).catch(() => undefined);
}

/** What an error means for the client; undefined for a fault of the program. */
function refusalOf(error: unknown): StatusError | undefined {
  if (error instanceof StatusError) return error;
  if (!(error instanceof UpstreamError)) return undefined;
  const unavailable = error.reason === 'timeout' || error.reason === 'unreachable';
  return new StatusError(unavailable ? 'unavailable' : 'failed', { message: error.message });
}

async function deliver(response: ServerResponse, answer: HttpResponse, clock: Clock): Promise<void> {
  const timer = clock.after(TAKING_MS, () => response.destroy());
  try {
    await send(response, answer);
  } finally {
    timer.cancel();
  }
}

/** Reads on for a moment: a client that still writes its body would otherwise see its connection reset, not the answer. */
function linger(message: IncomingMessage, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    let read = 0;
    const done = (): void => {
      timer.cancel();
      resolve();
    };
    const timer = clock.after(LINGER_MS, done);
    message.on('data', (chunk: Buffer) => {
      read += chunk.length;
      if (read > LINGER_BYTES) done();
    });
    message.once('end', done);
    message.once('close', done);
    message.resume();
  });
}

/** Where a fault of the program lies; its message is left out, for it may quote the request. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no Error was thrown';
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames.slice(0, 8).map((line) => line.trim())].join(' ');
}
