import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Backlog } from './backlog.js';
import { discard, hasBody, type Pair } from './incoming.js';
import { lineOf, piecesOf } from './pieces.js';
import type { Json } from '../json.js';
import type { ApiBody, ApiResponse } from '../server.js';
import type { Clock } from '../clock.js';

/** Bytes that are given to a connection at once: they are encrypted, and so copied, for each. */
const SLICE = 64 * 1024;
/** What the objects of a list that is not sent yet take of a reader who waits: their places, and rows of Tables. */
const PLACE_BYTES = 16;
const ROW_BYTES = 1024;

/** What runs now: answers that are to be finished, and streams that are to be ended. */
export interface Running {
  readonly streams: Set<AbortController>;
  readonly sockets: Set<Socket>;
  readonly backlog: Backlog;
  /** Requests that are being answered. */
  readonly busy: Set<ServerResponse>;
  closing: boolean;
  /** Called, once the server closes, when nothing is being answered any more. */
  idle: () => void;
}

const BEYOND_ASCII = /[^\x20-\x7e]/;

// Headers are bytes to Node, one per character.
function toWire(text: string): string {
  return BEYOND_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

export interface Sending extends Pair {
  readonly answered: ApiResponse;
  readonly gone: AbortController;
}

/** Writes an answer, to the end of its stream where it has one, as fast as it is taken. */
export async function send(clock: Clock, running: Running, sending: Sending): Promise<void> {
  const { request, response, answered } = sending;
  const { code, body } = answered;
  // A body that was not read would be taken for the next request: such a connection is not used again.
  const unread = !request.complete && hasBody(request);
  const headers = headersOf(answered, running.closing || unread);
  if (code === 413) response.statusMessage = 'Request Entity Too Large';
  if (body.kind === 'stream')
    return stream(running, { ...sending, headers, values: body.values, encode: body.encode ?? lineOf });
  const last = await allButTheLast(running, { ...sending, headers }, body);
  if (!unread) return end(running, sending, last);
  // Who is still sending does not look for an answer: it is cut off too early for that by a connection that ends.
  await write(running, response, { bytes: last, own: 0 });
  if (await discard(clock, sending)) end(running, sending);
}

type Headers = Record<string, string | string[] | number>;

/** Headers of an answer as they are written; `ends` where the connection is not used again. */
export function headersOf({ headers }: ApiResponse, ends: boolean): Headers {
  const all: Headers = {};
  for (const [name, value] of Object.entries(headers))
    all[name] = typeof value === 'string' ? toWire(value) : value.map(toWire);
  if (ends) all['Connection'] = 'close';
  return all;
}

const NOTHING = Buffer.alloc(0);

interface Headed extends Sending {
  readonly headers: Headers;
}

/** Writes an answer but for its last piece, which goes with the end of it. One that fits into one piece tells its length. */
async function allButTheLast(
  running: Running,
  { response, answered: { code }, headers }: Headed,
  body: Exclude<ApiBody, { kind: 'stream' }>,
): Promise<Uint8Array> {
  if (code === 304) {
    response.writeHead(code, headers);
    return NOTHING;
  }
  const pieces: Iterator<Uint8Array, unknown> = body.kind === 'bytes' ? [body.bytes].values() : piecesOf(body.value);
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

interface Piece {
  readonly bytes: Uint8Array;
  /** Bytes that the reader keeps beside these. */
  readonly own: number;
}

/** Gives bytes to the connection, slice by slice; resolves when it has room for more, or is no more. */
async function write(running: Running, response: ServerResponse, { bytes, own }: Piece): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += SLICE) {
    const slice = bytes.length <= SLICE ? bytes : bytes.subarray(at, at + SLICE);
    if (!response.write(slice)) await room(running, response, { bytes, own: own + slice.length });
  }
}

function room({ backlog }: Running, response: ServerResponse, held: Piece): Promise<void> {
  if (response.destroyed || !response.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const remove = backlog.add({ ...held, cut: () => response.destroy() });
    const done = (): void => {
      remove();
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}

/** Ends an answer with its last bytes: what the connection has not taken of them yet is still counted. */
function end(running: Running, { request: { socket }, response }: Sending, bytes: Uint8Array = NOTHING): void {
  if (response.destroyed) return;
  // It was begun as one that may be used again; a server that goes away waits for no idle connections.
  const finished = (): void => void (running.closing && socket.end());
  if (bytes.length > 0) response.end(bytes, finished);
  else response.end(finished);
  const remove = running.backlog.add({ bytes: NOTHING, own: response.writableLength, cut: () => response.destroy() });
  response.once('close', remove);
}

interface Values {
  readonly values: AsyncIterable<Json>;
  readonly encode: (value: Json) => Uint8Array;
}

async function stream(running: Running, sending: Headed & Values): Promise<void> {
  const { response, answered, headers, gone, values, encode } = sending;
  running.streams.add(gone);
  // The watch behind it ends when the signal of its request does: so it is ended, and not left waiting.
  if (running.closing) gone.abort();
  try {
    response.writeHead(answered.code, headers);
    response.flushHeaders();
    for await (const value of values) {
      await write(running, response, { bytes: encode(value), own: 0 });
    }
  } finally {
    running.streams.delete(gone);
    end(running, sending);
  }
}
