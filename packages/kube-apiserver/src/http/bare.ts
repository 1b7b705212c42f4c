import { type IncomingMessage, METHODS, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

import { readHeaders } from './incoming.js';
import { headersOf } from './outgoing.js';
import { piecesOf } from './pieces.js';
import type { ApiRequest, ApiResponse } from '../server.js';

/** A request as far as Node read it: there is no response to write to, only the connection. */
export type BareRequest = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>;

export type BareSocket = Pick<Duplex, 'end' | 'on'>;

/** Answers a request that Node makes no response for (a CONNECT, a method that Node does not know), and hangs up. */
export async function answerBare(
  dispatch: (request: ApiRequest) => Promise<ApiResponse>,
  request: BareRequest,
  socket: BareSocket,
): Promise<void> {
  socket.on('error', () => undefined);
  const { method = '', url = '' } = request;
  const answered = await dispatch({
    method,
    target: url,
    headers: readHeaders(request),
    body: undefined,
    signal: new AbortController().signal,
  });
  const { code, body } = answered;
  const bytes =
    body.kind === 'stream'
      ? Buffer.alloc(0)
      : Buffer.concat(body.kind === 'bytes' ? [body.bytes] : [...piecesOf(body.value)]);
  const headers = Object.entries({ ...headersOf(answered, true), 'Content-Length': bytes.length });
  const lines = headers.flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}\r\n`));
  socket.end(
    Buffer.concat([
      Buffer.from(`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\n${lines.join('')}\r\n`, 'latin1'),
      bytes,
    ]),
  );
}

const REQUEST_LINE = /^([!-~]+) (\S+) HTTP\/1\.[01]$/;
const HEADER_LINE = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/;

/**
 * Reads the head of a request with a method that Node does not know; undefined where the bytes are no such head, or not
 * all of one. They are what arrived at once, so they may begin with a request that Node has handed on already: that one
 * is not to be answered twice.
 */
export function readUnknown(bytes: Buffer | undefined): BareRequest | undefined {
  const text = bytes?.toString('latin1') ?? '';
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\r\n');
  const [, method, url] = REQUEST_LINE.exec(first) ?? [];
  const pairs = lines.map((line) => HEADER_LINE.exec(line));
  if (method === undefined || METHODS.includes(method) || url === undefined || pairs.includes(null)) return undefined;
  return { method, url, rawHeaders: pairs.flatMap((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']) };
}
