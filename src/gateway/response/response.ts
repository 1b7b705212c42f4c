import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Clock } from '../../runtime/clock.js';
import { WaitLimit } from '../../runtime/http/exchange.js';
import { BODYLESS_CODES, STATUS_ERRORS, type StatusError } from '../statuserror.js';

/** A response to a client. Its headers are of the fixed list below; of the API server's, only warnings are passed on. */
export interface HttpResponse {
  readonly code: number;
  readonly headers: Readonly<Partial<Record<Exclude<ResponseHeader, 'warning'>, string>>>;
  /** Values of the header `Warning`, a character for each byte. */
  readonly warnings?: readonly string[];
  readonly body?: Buffer | string;
  /** In place of `body`: a response that is written while it is received. */
  readonly stream?: AsyncIterable<Buffer>;
}

/** All headers of a response, beside Date, Connection, Keep-Alive and Transfer-Encoding, which Node sets. */
type ResponseHeader =
  | 'allow'
  | 'cache-control'
  | 'connection'
  | 'content-length'
  | 'content-type'
  | 'etag'
  | 'preference-applied'
  | 'retry-after'
  | 'warning'
  | 'x-content-type-options';

/** The headers of every response. */
const COMMON_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;
const DEFAULT_RETRY_SECONDS = 1;
const MAX_RETRY_SECONDS = 60;
/**
 * How long a client has for taking a whole body, which is small, or a piece of a stream, ms. The operating system goes
 * on taking bytes when a third of its buffer is free: for a slow client in steps of up to 1.5 MB with the limits of
 * Linux (net.ipv4.tcp_wmem), so that one that reads 30 kB/s seems to stall for 50 s.
 */
const STAND_STILL_MS = 60_000;

/** A response without a body. */
export function emptyResponse(code: number, headers: HttpResponse['headers'] = {}): HttpResponse {
  return { code, headers };
}

/** The same response without its body and without what describes the body. */
export function withoutBody({ code, headers: { etag }, warnings = [] }: HttpResponse): HttpResponse {
  return { ...emptyResponse(code, etag === undefined ? {} : { etag }), warnings };
}

/** The response of an error. `strict`: only the status codes of the interface, and never a body. */
export function errorResponse(error: StatusError, strict: boolean): HttpResponse {
  const { code, reason } = STATUS_ERRORS[error.kind];
  const { message, causes, retryAfterSeconds, allow, close } = error.detail;
  const connection = close === true ? ({ connection: 'close' } as const) : {};
  if (code === 503) return emptyResponse(code, { ...connection, 'retry-after': retryAfterText(retryAfterSeconds) });
  if (BODYLESS_CODES.includes(code)) return emptyResponse(code, connection);
  if (strict) return emptyResponse(STATUS_ERRORS.forbidden.code, connection);
  const details = causes === undefined ? {} : { details: { causes } };
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...details,
    code,
  };
  return {
    code,
    headers: { ...connection, ...(allow !== undefined && { allow }), 'content-type': 'application/json' },
    body: JSON.stringify(status),
  };
}

/** A response as text, for a connection whose request could not be parsed. */
export function rawResponse(response: HttpResponse): string {
  const body = response.body === undefined ? '' : String(response.body);
  const headers = {
    ...response.headers,
    ...COMMON_HEADERS,
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${response.code} ${STATUS_CODES[response.code] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}

function retryAfterText(seconds: number | undefined): string {
  return String(Math.min(Math.max(seconds ?? DEFAULT_RETRY_SECONDS, DEFAULT_RETRY_SECONDS), MAX_RETRY_SECONDS));
}

/**
 * Writes a response. Resolves when the connection has taken it or is closed; a client that stalls for 60 s is
 * disconnected, where the time in which `stream` is waited for does not count. Rejects when `stream` fails, with the
 * connection closed: a partial response never looks like a whole one.
 */
export async function writeResponse(response: ServerResponse, content: HttpResponse, clock: Clock): Promise<void> {
  const { code, headers, warnings = [], body, stream } = content;
  const length = stream === undefined ? { 'content-length': body === undefined ? 0 : Buffer.byteLength(body) } : {};
  const limit = new WaitLimit({ clock, ms: STAND_STILL_MS, exceeded: () => void response.destroy() });
  const over = firstEvent(response, ['finish', 'close']);
  if (warnings.length > 0) response.setHeader('warning', warnings);
  response.writeHead(code, { ...headers, ...COMMON_HEADERS, ...length });
  try {
    if (stream !== undefined) await writeStream(response, stream, limit);
    limit.start();
    if (!response.destroyed) response.end(body);
    await over;
  } finally {
    limit.stop();
  }
}

async function writeStream(response: ServerResponse, stream: AsyncIterable<Buffer>, limit: WaitLimit): Promise<void> {
  try {
    for await (const chunk of stream) {
      limit.start();
      if (!response.write(chunk)) await firstEvent(response, ['drain', 'close']);
      limit.stop();
      if (response.destroyed) return;
    }
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Resolves at whichever event comes first. */
function firstEvent(response: ServerResponse, events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) {
      resolve();
      return;
    }
    const done = (): void => {
      for (const event of events) response.off(event, done);
      resolve();
    };
    for (const event of events) response.on(event, done);
  });
}
