import type { IncomingMessage, ServerResponse } from 'node:http';

import { bodyTooLarge } from './body.js';
import { MAX_BODY } from './exchange.js';
import { HEADER_SEPARATOR } from '../auth/impersonation.js';
import type { ApiRequest } from '../server.js';
import { StatusError } from '../status.js';
import type { Clock } from '../clock.js';

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
export function readRequest(clock: Clock, { request, response, continues }: Pair, gone: AbortController): ApiRequest {
  const { method = 'GET', url = '/', socket } = request;
  const body = async (): Promise<Uint8Array> => {
    if (lengthOf(request) > MAX_BODY) throw bodyTooLarge();
    if (continues === true) response.writeContinue();
    return readAll(clock, request);
  };
  const empty = request.headers['transfer-encoding'] === undefined && lengthOf(request) === 0;
  return {
    method,
    target: url,
    headers: readHeaders(request),
    body: empty ? undefined : body,
    from: socket.remoteAddress ?? '',
    // Made when it is asked for: few do, and it is dear.
    get signal() {
      return gone.signal;
    },
  };
}

export function readHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): Record<string, string | undefined> {
  const headers = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    const text = fromWire(rawHeaders[at + 1] ?? '');
    const before = headers.get(name);
    if (before === undefined) headers.set(name, text);
    else if (name !== 'authorization')
      headers.set(name, before + (name.startsWith('impersonate-') ? HEADER_SEPARATOR : ', ') + text);
  }
  return Object.fromEntries(headers);
}

/** By its events: the iterator of a stream costs more than all the rest of reading a small body. */
function readAll(clock: Clock, request: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (): void => {
      late.cancel();
      request.off('data', take).off('end', end).off('error', fail).off('close', close);
    };
    const fail = (error: Error): void => {
      stop();
      reject(new StatusError(400, `unable to read the body: ${error.message}`, { reason: 'BadRequest' }));
    };
    const close = (): void => fail(new Error('the connection has ended'));
    const end = (): void => {
      stop();
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= MAX_BODY) return;
      stop();
      request.pause();
      reject(bodyTooLarge());
    };
    const late = clock.after(BODY_MS, () => request.destroy(new Error('the body took too long')));
    if (request.destroyed) close();
    else request.on('data', take).once('end', end).once('error', fail).once('close', close);
  });
}

const BEYOND_ASCII = /[\x80-\xff]/;

// Headers are bytes to Node, one per character.
function fromWire(text: string): string {
  return BEYOND_ASCII.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
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
