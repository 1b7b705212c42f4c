import type { IncomingMessage, ServerResponse } from 'node:http';

import { bodyTooLarge } from './body.js';
import { MAX_BODY } from './exchange.js';
import { HEADER_SEPARATOR } from '../auth/impersonation.js';
import type { ApiRequest } from '../server.js';
import { StatusError } from '../status.js';
import type { Clock } from '../../runtime/clock.js';

/** A body may take this long; real servers give every request 60 s. */
const BODY_MS = 60_000;
/** So much more of a body that was refused is taken and dropped, for so long, and until nothing came for so long. */
const MOST_DROPPED = 64 * 1024 * 1024;
const DROPPING_MS = 10_000;
const SILENCE_MS = 500;

/** What Node gives for a request. */
export interface Pair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client waits to be told that its body is wanted. */
  readonly continues?: boolean;
}

/** The request as the router takes it: its body is read when it is wanted. */
export function readRequest(clock: Clock, { request, response, continues }: Pair, signal: AbortSignal): ApiRequest {
  const { method = 'GET', url = '/', socket } = request;
  const body = async (): Promise<Uint8Array> => {
    if (lengthOf(request) > MAX_BODY) throw bodyTooLarge();
    if (continues === true) response.writeContinue();
    return readAll(clock, request);
  };
  const empty = request.headers['transfer-encoding'] === undefined && lengthOf(request) === 0;
  return { method, target: url, headers: readHeaders(request), body: empty ? undefined : body, signal, from: socket.remoteAddress ?? '' };
}

export function readHeaders(request: IncomingMessage): Record<string, string | undefined> {
  const headers: [string, string | undefined][] = [];
  for (const [name, values = []] of Object.entries(request.headersDistinct)) {
    const text = name.startsWith('impersonate-') ? values.join(HEADER_SEPARATOR) : name === 'authorization' ? (values[0] ?? '') : values.join(', ');
    headers.push([name, fromWire(text)]);
  }
  return Object.fromEntries(headers);
}

async function readAll(clock: Clock, request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  const late = clock.after(BODY_MS, () => request.destroy(new Error('the body took too long')));
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY) throw bodyTooLarge();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, size);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw new StatusError(400, `unable to read the body: ${error instanceof Error ? error.message : String(error)}`, { reason: 'BadRequest' });
  } finally {
    late.cancel();
  }
}

// Headers are bytes to Node, one per character.
function fromWire(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}

/** Whether a body was announced. */
export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || lengthOf(request) > 0;
}

function lengthOf(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? '0');
}

/**
 * Drops the rest of a body that nobody wants: many a client looks for the answer only when it has sent everything, and
 * finds none where the connection ends under it. Bounded in bytes and time. Tells whether the connection is still there.
 */
export function discard(clock: Clock, { request, response }: Pair): Promise<boolean> {
  return new Promise((resolve) => {
    let left = MOST_DROPPED;
    const stop = (): void => {
      late.cancel();
      silence.cancel();
      request.off('data', drop).off('end', stop).off('close', stop);
      request.pause();
      resolve(!response.destroyed);
    };
    const drop = (chunk: Buffer): void => {
      left -= chunk.length;
      silence.cancel();
      silence = clock.after(SILENCE_MS, stop);
      if (left < 0) stop();
    };
    const late = clock.after(DROPPING_MS, stop);
    let silence = clock.after(SILENCE_MS, stop);
    request.on('data', drop).once('end', stop).once('close', stop);
    request.resume();
  });
}
