import { STATUS_CODES } from 'node:http';
import type { Format } from '../request/media.js';
import { INTERFACE_CODES, STATUS_ERRORS, type StatusError } from '../statuserror.js';
import { writeYaml } from '../object/yaml.js';

/** What a client gets. Headers are those of the fixed list below, never one of the API server's. */
export interface HttpResponse {
  readonly code: number;
  readonly headers: Readonly<Partial<Record<ResponseHeader, string>>>;
  readonly body?: Buffer | string;
  /** In place of `body`, for an answer that is passed on while it comes. */
  readonly stream?: AsyncIterable<Buffer>;
}

/** Every header that an answer may carry, beside Date, Connection, Keep-Alive and Transfer-Encoding, which the server sets. */
export type ResponseHeader =
  | 'allow'
  | 'cache-control'
  | 'connection'
  | 'content-length'
  | 'content-type'
  | 'etag'
  | 'preference-applied'
  | 'retry-after'
  | 'x-content-type-options';

/** Of every response. */
export const COMMON_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;
const DEFAULT_RETRY_SECONDS = 1;
const MAX_RETRY_SECONDS = 60;

/** An answer without a body. */
export function emptyResponse(code: number, headers: HttpResponse['headers'] = {}): HttpResponse {
  return { code, headers };
}

/** An object as it is asked for. Its text is passed on as it came where JSON is wanted. */
export function encodeObject(bytes: Buffer, value: unknown, format: Format): Buffer | string {
  return format === 'json' ? bytes : writeYaml(value);
}

/** The answer to what was refused: with `strict`, only the codes of the interface and never a body. */
export function errorResponse(refusal: StatusError, strict: boolean): HttpResponse {
  const { code, reason } = STATUS_ERRORS[refusal.kind];
  const { message, causes, retryAfterSeconds, allow, close } = refusal.detail;
  const connection = close === true ? ({ connection: 'close' } as const) : {};
  if (code === 503) return emptyResponse(code, { ...connection, 'retry-after': retryAfterText(retryAfterSeconds) });
  if (INTERFACE_CODES.includes(code)) return emptyResponse(code, connection);
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

/** The whole head as text, for a connection whose request could not even be read. */
export function rawResponse(answer: HttpResponse): string {
  const body = answer.body === undefined ? '' : String(answer.body);
  const headers = {
    ...answer.headers,
    ...COMMON_HEADERS,
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${answer.code} ${STATUS_CODES[answer.code] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}

function retryAfterText(seconds: number | undefined): string {
  return String(Math.min(Math.max(seconds ?? DEFAULT_RETRY_SECONDS, DEFAULT_RETRY_SECONDS), MAX_RETRY_SECONDS));
}
