import type { IncomingMessage, ServerResponse } from 'node:http';

import { bodyTooLarge } from './body.js';
import { MAX_BODY } from './exchange.js';
import { HEADER_SEPARATOR } from '../auth/impersonation.js';
import type { ApiRequest } from '../server.js';
import { StatusError } from '../status.js';
import type { Clock } from '../../runtime/clock.js';

/** A body may take this long; real servers give every request 60 s. */
const BODY_MS = 60_000;

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
    if (continues === true) response.writeContinue();
    return readAll(clock, request);
  };
  const empty = request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length'] ?? '0') === 0;
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
  if (Number(request.headers['content-length'] ?? '0') > MAX_BODY) throw bodyTooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  const late = clock.after(BODY_MS, () => request.destroy(new Error('the body took too long')));
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
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
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? '0') > 0;
}
