import type { IncomingMessage, ServerResponse } from 'node:http';

import { bodyTooLarge } from '../body.js';
import { MAX_BODY } from '../exchange.js';
import { HEADER_SEPARATOR } from '../../auth/impersonation.js';
import type { ApiRequest } from '../../request.js';
import { StatusError } from '../../status.js';
import type { Clock } from '../../clock.js';

/** Time limit of a body; kube-apiserver limits every request to 60 s. */
const BODY_MS = 60_000;
/** Limits for draining a refused body: in bytes, in time, and in time without data. */
const DRAIN_BYTES = 64 * 1024 * 1024;
const DRAIN_MS = 10_000;
const SILENCE_MS = 500;

/** Node's request and response. */
export interface NodeExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client sent `Expect: 100-continue`. */
  readonly expectsContinue?: boolean;
}

/** The request for the router: its body is read on demand. */
export function readRequest(
  clock: Clock,
  { request, response, expectsContinue: continues }: NodeExchange,
  disconnected: AbortController,
): ApiRequest {
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
    // Created on demand: it is expensive and rarely used.
    get signal() {
      return disconnected.signal;
    },
  };
}

export function readHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): Record<string, string | undefined> {
  const headers = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    const text = fromLatin1(rawHeaders[at + 1] ?? '');
    const before = headers.get(name);
    if (before === undefined) headers.set(name, text);
    else if (name !== 'authorization')
      headers.set(name, before + (name.startsWith('impersonate-') ? HEADER_SEPARATOR : ', ') + text);
  }
  return Object.fromEntries(headers);
}

/** By events: the stream's iterator costs more than reading a small body. */
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

// Node's headers are bytes, one per character.
function fromLatin1(text: string): string {
  return BEYOND_ASCII.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
}

/** Whether the request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || lengthOf(request) > 0;
}

function lengthOf(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? '0');
}

/**
 * Drains the rest of an unread body: many clients read the response only after sending the whole request, and lose it
 * where the connection is closed before. Limited in bytes and time. Resolves with whether the connection is still open.
 */
export function drain(clock: Clock, { request, response }: NodeExchange): Promise<boolean> {
  return new Promise((resolve) => {
    let left = DRAIN_BYTES;
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
    const late = clock.after(DRAIN_MS, stop);
    let silence = clock.after(SILENCE_MS, stop);
    request.on('data', drop).once('end', stop).once('close', stop);
    request.resume();
  });
}
