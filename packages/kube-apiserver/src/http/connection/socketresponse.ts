import { type IncomingMessage, METHODS, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

import { readHeaders } from './incoming.js';
import { headersOf } from './outgoing.js';
import { chunksOf } from './chunks.js';
import type { ApiRequest, ApiResponse } from '../../request.js';

/** A request as Node parsed it, without a response object: only the connection is available. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>;

export type ClientSocket = Pick<Duplex, 'end' | 'on'>;

/**
 * Responds to a request for which Node creates no response (CONNECT, a method unknown to Node), and closes the
 * connection.
 */
export async function respondOnSocket(
  dispatch: (request: ApiRequest) => Promise<ApiResponse>,
  request: RequestHead,
  socket: ClientSocket,
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
      : Buffer.concat(body.kind === 'bytes' ? [body.bytes] : [...chunksOf(body.value)]);
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
 * Parses the head of a request with a method unknown to Node; undefined where the bytes are no complete head. The bytes
 * are one read from the socket, so they may start with a request that Node has dispatched already, which must not be
 * answered twice.
 */
export function readUnknownMethod(bytes: Buffer | undefined): RequestHead | undefined {
  const text = bytes?.toString('latin1') ?? '';
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\r\n');
  const [, method, url] = REQUEST_LINE.exec(first) ?? [];
  const pairs = lines.map((line) => HEADER_LINE.exec(line));
  if (method === undefined || METHODS.includes(method) || url === undefined || pairs.includes(null)) return undefined;
  return { method, url, rawHeaders: pairs.flatMap((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']) };
}
