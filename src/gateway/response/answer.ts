import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Format } from '../request/media.js';
import { GIVEN_CODES, REFUSALS, type Refusal } from '../refusal.js';
import { writeYaml } from '../object/yaml.js';

/** What a client gets. Headers are those of the fixed list below, never one of the API server's. */
export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Partial<Record<AnswerHeader, string>>>;
  readonly body?: Buffer | string;
  /** In place of `body`, for an answer that is passed on while it comes. */
  readonly rest?: AsyncIterable<Buffer>;
}

/** Every header that an answer may carry, beside Date, Connection, Keep-Alive and Transfer-Encoding, which the server sets. */
export type AnswerHeader =
  | 'allow'
  | 'cache-control'
  | 'connection'
  | 'content-length'
  | 'content-type'
  | 'etag'
  | 'preference-applied'
  | 'retry-after'
  | 'x-content-type-options';

const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;
const DEFAULT_RETRY_SECONDS = 1;
const MAX_RETRY_SECONDS = 60;

/** An answer without a body. */
export function emptyAnswer(code: number, headers: Answer['headers'] = {}): Answer {
  return { code, headers };
}

/** An object as it is asked for. Its text is passed on as it came where JSON is wanted. */
export function written(bytes: Buffer, value: unknown, format: Format): Buffer | string {
  return format === 'json' ? bytes : writeYaml(value);
}

/** The answer to what was refused: with `strict`, only the codes of the interface and never a body. */
export function refusalAnswer(refusal: Refusal, strict: boolean): Answer {
  const { code, reason } = REFUSALS[refusal.kind];
  const { message, causes, retryAfterSeconds, allow, close } = refusal.detail;
  const connection = close === true ? ({ connection: 'close' } as const) : {};
  if (code === 503) return emptyAnswer(code, { ...connection, 'retry-after': retryText(retryAfterSeconds) });
  if (GIVEN_CODES.includes(code)) return emptyAnswer(code, connection);
  if (strict) return emptyAnswer(REFUSALS.forbidden.code, connection);
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
export function rawAnswer(answer: Answer): string {
  const body = answer.body === undefined ? '' : String(answer.body);
  const headers = {
    ...answer.headers,
    ...ALWAYS,
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${answer.code} ${STATUS_CODES[answer.code] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}

/**
 * Sends an answer. Resolves when the connection has taken it or is gone; rejects when `rest` fails, with the connection
 * cut, so that half an answer never looks like a whole one.
 */
export async function send(response: ServerResponse, answer: Answer): Promise<void> {
  const { code, headers, body, rest } = answer;
  const length = rest === undefined ? { 'content-length': body === undefined ? 0 : Buffer.byteLength(body) } : {};
  const over = first(response, ['finish', 'close']);
  response.writeHead(code, { ...headers, ...ALWAYS, ...length });
  if (rest === undefined) response.end(body);
  else await passOn(response, rest);
  await over;
}

async function passOn(response: ServerResponse, rest: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const chunk of rest) {
      if (!response.write(chunk)) await first(response, ['drain', 'close']);
      if (response.destroyed) return;
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Resolves at whichever event comes first. */
function first(response: ServerResponse, events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) {
      resolve();
      return;
    }
    const settle = (): void => {
      for (const event of events) response.off(event, settle);
      resolve();
    };
    for (const event of events) response.on(event, settle);
  });
}

function retryText(seconds: number | undefined): string {
  return String(Math.min(Math.max(seconds ?? DEFAULT_RETRY_SECONDS, DEFAULT_RETRY_SECONDS), MAX_RETRY_SECONDS));
}
