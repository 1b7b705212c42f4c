import { STATUS_CODES } from 'node:http';
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
export type ResponseHeader =
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

/** Of every response. */
export const COMMON_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;
const DEFAULT_RETRY_SECONDS = 1;
const MAX_RETRY_SECONDS = 60;

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
