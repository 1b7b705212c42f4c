import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { hasBody, type Pair } from './incoming.js';
import type { Json } from '../json.js';
import type { ApiResponse } from '../server.js';
import type { Clock } from '../../runtime/clock.js';

/** A reader of a stream that takes nothing for this long is cut off. */
const STUCK_MS = 60_000;

/** What runs now: answers that are to be finished, and streams that are to be ended. */
export interface Running {
  readonly streams: Set<AbortController>;
  readonly sockets: Set<Socket>;
  closing: boolean;
}

// Headers are bytes to Node, one per character.
function toWire(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

export interface Sending extends Pair {
  readonly answered: ApiResponse;
  readonly gone: AbortController;
}

/** Writes an answer, to the end of its stream where it has one. */
export async function send(clock: Clock, running: Running, sending: Sending): Promise<void> {
  const { request, response, answered } = sending;
  const { code, headers, body } = answered;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, typeof value === 'string' ? toWire(value) : value.map(toWire));
  // A body that was not read would be taken for the next request: such a connection is not used again.
  if (running.closing || !request.complete && hasBody(request)) response.setHeader('Connection', 'close');
  if (body.kind === 'stream') return stream(clock, running, { ...sending, values: body.values, encode: body.encode ?? lineOf });
  const bytes = body.kind === 'bytes' ? body.bytes : Buffer.from(`${JSON.stringify(body.value)}\n`);
  if (code === 413) response.statusMessage = 'Request Entity Too Large';
  response.writeHead(code, code === 304 ? {} : { 'Content-Length': bytes.length });
  response.end(code === 304 ? undefined : bytes);
  return undefined;
}

interface Values {
  readonly values: AsyncIterable<Json>;
  readonly encode: (value: Json) => Uint8Array;
}

async function stream(clock: Clock, running: Running, { request, response, answered, gone, values, encode }: Sending & Values): Promise<void> {
  running.streams.add(gone);
  // The watch behind it ends when the signal of its request does: so it is ended, and not left waiting.
  if (running.closing) gone.abort();
  try {
    response.writeHead(answered.code);
    response.flushHeaders();
    for await (const value of values) {
      if (!response.write(encode(value))) await drained(clock, response);
    }
  } finally {
    running.streams.delete(gone);
    // It was begun as one that may be used again; a server that goes away waits for no idle connections.
    response.end(() => running.closing && request.socket.end());
  }
}

/** Lines of values that more than one stream may send; they go with the value. */
const lines = new WeakMap<object, Buffer>();

function lineOf(value: Json): Buffer {
  if (typeof value !== 'object' || value === null) return Buffer.from(`${JSON.stringify(value)}\n`);
  const line = lines.get(value) ?? Buffer.from(`${JSON.stringify(value)}\n`);
  lines.set(value, line);
  return line;
}

function drained(clock: Clock, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const stuck = clock.after(STUCK_MS, () => response.destroy());
    const done = (): void => {
      stuck.cancel();
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}
