import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Backlog } from './backlog.js';
import { drain, hasBody, type NodeExchange } from './incoming.js';
import { lineOf, chunksOf } from './chunks.js';
import type { Json } from '@multicluster-engine/values/json';
import type { ApiBody, ApiResponse } from '../../request.js';
import type { Clock } from '../../clock.js';

/** Maximum size of one write to a connection: each write is encrypted, and so copied. */
const SLICE = 64 * 1024;
/** Approximate memory per item of an unsent list: its references, and rows of Tables. */
const PLACE_BYTES = 16;
const ROW_BYTES = 1024;

/** Running requests: responses to finish, and streams to end. */
export interface RunningResponses {
  readonly streams: Set<AbortController>;
  readonly sockets: Set<Socket>;
  readonly backlog: Backlog;
  /** Requests without a complete response. */
  readonly busy: Set<ServerResponse>;
  closing: boolean;
  /** Called, while the server closes, when all responses are complete. */
  idle: () => void;
}

const BEYOND_ASCII = /[^\x20-\x7e]/;

// Node's headers are bytes, one per character.
function toLatin1(text: string): string {
  return BEYOND_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

export interface Sending extends NodeExchange {
  readonly answered: ApiResponse;
  readonly disconnected: AbortController;
}

/** Writes a response, a stream up to its end, as fast as the client reads. */
export async function send(clock: Clock, running: RunningResponses, sending: Sending): Promise<void> {
  const { request, response, answered } = sending;
  const { code, body } = answered;
  // An unread body would be parsed as the next request, so the connection is not reused.
  const unread = !request.complete && hasBody(request);
  const headers = headersOf(answered, running.closing || unread);
  if (code === 413) response.statusMessage = 'Request Entity Too Large';
  if (body.kind === 'stream')
    return stream(running, { ...sending, headers, values: body.values, encode: body.encode ?? lineOf });
  const last = await writeAllButLast(running, { ...sending, headers }, body);
  if (!unread) return end(running, sending, last);
  // A client that is still sending does not read yet: closing the connection would lose the response.
  await write(running, response, { bytes: last, own: 0 });
  if (await drain(clock, sending)) end(running, sending);
}

type Headers = Record<string, string | string[] | number>;

/** The headers of a response; `ends` where the connection is not reused. */
export function headersOf({ headers }: ApiResponse, ends: boolean): Headers {
  const all: Headers = {};
  for (const [name, value] of Object.entries(headers))
    all[name] = typeof value === 'string' ? toLatin1(value) : value.map(toLatin1);
  if (ends) all['Connection'] = 'close';
  return all;
}

const NOTHING = Buffer.alloc(0);

interface ResponseHead extends Sending {
  readonly headers: Headers;
}

/**
 * Writes all but the last chunk of a response, which is sent with its end. A response of one chunk gets a
 * Content-Length.
 */
async function writeAllButLast(
  running: RunningResponses,
  { response, answered: { code }, headers }: ResponseHead,
  body: Exclude<ApiBody, { kind: 'stream' }>,
): Promise<Uint8Array> {
  if (code === 304) {
    response.writeHead(code, headers);
    return NOTHING;
  }
  const pieces: Iterator<Uint8Array, unknown> = body.kind === 'bytes' ? [body.bytes].values() : chunksOf(body.value);
  const own = body.kind === 'bytes' ? 0 : weightOf(body.value);
  const first = pieces.next();
  let bytes = first.done === true ? NOTHING : first.value;
  let next = pieces.next();
  if (next.done === true) headers['Content-Length'] = bytes.length;
  response.writeHead(code, headers);
  for (; next.done !== true && !response.destroyed; next = pieces.next()) {
    await write(running, response, { bytes, own });
    bytes = next.value;
  }
  if (bytes.length <= SLICE) return bytes;
  await write(running, response, { bytes, own });
  return NOTHING;
}

function weightOf(value: Json): number {
  if (typeof value !== 'object' || value === null || !('items' in value || 'rows' in value)) return 0;
  const { items, rows } = value;
  return (Array.isArray(items) ? items.length * PLACE_BYTES : 0) + (Array.isArray(rows) ? rows.length * ROW_BYTES : 0);
}

interface Chunk {
  readonly bytes: Uint8Array;
  /** Bytes that the reader retains beside these. */
  readonly own: number;
}

/** Writes bytes in slices; resolves when the connection accepts more, or is closed. */
async function write(running: RunningResponses, response: ServerResponse, { bytes, own }: Chunk): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += SLICE) {
    const slice = bytes.length <= SLICE ? bytes : bytes.subarray(at, at + SLICE);
    if (!response.write(slice)) await room(running, response, { bytes, own: own + slice.length });
  }
}

function room({ backlog }: RunningResponses, response: ServerResponse, held: Chunk): Promise<void> {
  if (response.destroyed || !response.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const remove = backlog.add({ ...held, disconnect: () => response.destroy() });
    const done = (): void => {
      remove();
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}

/** Ends a response with its last bytes, which stay counted until the connection accepts them. */
function end(running: RunningResponses, { request: { socket }, response }: Sending, bytes: Uint8Array = NOTHING): void {
  if (response.destroyed) return;
  // The response began as one on a reusable connection; a closing server does not wait for idle connections.
  const finished = (): void => void (running.closing && socket.end());
  if (bytes.length > 0) response.end(bytes, finished);
  else response.end(finished);
  const remove = running.backlog.add({
    bytes: NOTHING,
    own: response.writableLength,
    disconnect: () => response.destroy(),
  });
  response.once('close', remove);
}

interface Values {
  readonly values: AsyncIterable<Json>;
  readonly encode: (value: Json) => Uint8Array;
}

async function stream(running: RunningResponses, sending: ResponseHead & Values): Promise<void> {
  const { response, answered, headers, disconnected, values, encode } = sending;
  running.streams.add(disconnected);
  // The watch ends when the signal of its request fires, so the signal is fired, and the watch is not left waiting.
  if (running.closing) disconnected.abort();
  try {
    response.writeHead(answered.code, headers);
    response.flushHeaders();
    for await (const value of values) {
      await write(running, response, { bytes: encode(value), own: 0 });
    }
  } finally {
    running.streams.delete(disconnected);
    end(running, sending);
  }
}
