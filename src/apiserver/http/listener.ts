import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { MAX_BODY } from './exchange.js';
import type { KeyPair } from './tls.js';
import { bodyTooLarge } from './body.js';
import { wrongMethod } from './route.js';
import { HEADER_SEPARATOR } from '../auth/impersonation.js';
import type { Json } from '../json.js';
import type { ApiRequest, ApiResponse } from '../server.js';
import { StatusError } from '../status.js';
import type { Clock } from '../../runtime/clock.js';

export interface ListenerOptions {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  readonly serving: KeyPair;
  readonly clock: Clock;
  readonly dispatch: (request: ApiRequest) => Promise<ApiResponse>;
}

export interface Listener {
  readonly port: number;
  /** Takes no more connections, ends the watches, waits for the other answers, and cuts off what is left after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

// Clients keep idle connections for 90 s; one that is closed under them fails a write.
const KEEP_ALIVE_MS = 150_000;
const HEADERS_MS = 30_000;
/** A body may take this long; real servers give every request 60 s. */
const BODY_MS = 60_000;
const MAX_HEADER_BYTES = 1024 * 1024;
const MAX_CONNECTIONS = 10_000;
/** A reader of a stream that takes nothing for this long is cut off. */
const STUCK_MS = 60_000;

/** What runs now: answers that are to be finished, and streams that are to be ended. */
interface Running {
  readonly streams: Set<AbortController>;
  readonly sockets: Set<Socket>;
  closing: boolean;
}

/** Serves HTTPS until it is closed. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { serving, host, port } = options;
  const running: Running = { streams: new Set(), sockets: new Set(), closing: false };
  const server = createServer({
    cert: serving.certificate, key: serving.privateKey, minVersion: 'TLSv1.2',
    keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: HEADERS_MS, requestTimeout: 0, maxHeaderSize: MAX_HEADER_BYTES, noDelay: true,
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', (request, response) => void answer(options, running, { request, response }));
  server.on('checkContinue', (request, response) => void answer(options, running, { request, response, continues: true }));
  server.on('connection', (socket: Socket) => {
    running.sockets.add(socket);
    socket.once('close', () => running.sockets.delete(socket));
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => void answerTunnel(options, request, socket));
  server.on('clientError', refuse);
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => resolve(server.off('error', reject) && undefined));
  });
  return { port: portOf(server), close: (graceMs) => close(server, running, { clock: options.clock, graceMs }) };
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface Pair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client waits to be told that its body is wanted. */
  readonly continues?: boolean;
}

async function answer(options: ListenerOptions, running: Running, pair: Pair): Promise<void> {
  const { request, response } = pair;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  // What is wrong with a connection ends it, and there is nobody to tell.
  response.on('error', () => undefined);
  request.on('error', () => undefined);
  try {
    const answered = await options.dispatch(readRequest(options.clock, pair, gone.signal));
    await send(options, running, { ...pair, answered, gone });
  } catch {
    response.destroy();
  }
}

function readRequest(clock: Clock, { request, response, continues }: Pair, signal: AbortSignal): ApiRequest {
  const { method = 'GET', url = '/', socket } = request;
  const body = async (): Promise<Uint8Array> => {
    if (continues === true) response.writeContinue();
    return readAll(clock, request);
  };
  const empty = request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length'] ?? '0') === 0;
  return { method, target: url, headers: readHeaders(request), body: empty ? undefined : body, signal, from: socket.remoteAddress ?? '' };
}

function readHeaders(request: IncomingMessage): Record<string, string | undefined> {
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
function toWire(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function fromWire(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}

interface Sending extends Pair {
  readonly answered: ApiResponse;
  readonly gone: AbortController;
}

async function send(options: ListenerOptions, running: Running, sending: Sending): Promise<void> {
  const { request, response, answered } = sending;
  const { code, headers, body } = answered;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, typeof value === 'string' ? toWire(value) : value.map(toWire));
  // A body that was not read would be taken for the next request: such a connection is not used again.
  if (running.closing || !request.complete && hasBody(request)) response.setHeader('Connection', 'close');
  if (body.kind === 'stream') return stream(options, running, { ...sending, values: body.values });
  const bytes = body.kind === 'bytes' ? body.bytes : Buffer.from(`${JSON.stringify(body.value)}\n`);
  response.writeHead(code, code === 304 ? {} : { 'Content-Length': bytes.length });
  response.end(code === 304 ? undefined : bytes);
  return undefined;
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? '0') > 0;
}

async function stream(options: ListenerOptions, running: Running, { request, response, answered, gone, values }: Sending & { readonly values: AsyncIterable<Json> }): Promise<void> {
  running.streams.add(gone);
  // The watch behind it ends when the signal of its request does: so it is ended, and not left waiting.
  if (running.closing) gone.abort();
  try {
    response.writeHead(answered.code);
    response.flushHeaders();
    for await (const value of values) {
      if (!response.write(`${JSON.stringify(value)}\n`)) await drained(options.clock, response);
    }
  } finally {
    running.streams.delete(gone);
    // It was begun as one that may be used again; a server that goes away waits for no idle connections.
    response.end(() => running.closing && request.socket.end());
  }
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

/** A CONNECT has no response of its own in Node: it is refused like every other method, and then hung up on. */
async function answerTunnel({ dispatch }: ListenerOptions, request: IncomingMessage, socket: Duplex): Promise<void> {
  socket.on('error', () => undefined);
  const { method = '', url = '' } = request;
  const { code, body } = await dispatch({ method, target: url, headers: readHeaders(request), body: undefined, signal: new AbortController().signal });
  const text = body.kind === 'value' ? `${JSON.stringify(body.value)}\n` : body.kind === 'bytes' ? Buffer.from(body.bytes).toString('utf8') : '';
  socket.end(rawAnswer(code, text));
}

function rawAnswer(code: number, text: string): string {
  return `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`;
}

const REASONS: Readonly<Record<string, string>> = { HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large', ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout' };

const REQUEST_LINE = /^[!-~]+ \S+ HTTP\/1\.[01]\r\n/;

/** What is no HTTP gets a line in text, as from Go's server. */
function refuse(error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }, socket: NodeJS.WritableStream & { readonly writable: boolean; destroy(): void }): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // Node knows only the methods of the standards.
  if (error.code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(error.rawPacket?.toString('latin1') ?? '')) {
    socket.end(rawAnswer(405, `${JSON.stringify(wrongMethod().toStatus())}\n`));
    return;
  }
  const line = REASONS[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${line}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${line}`);
}

async function close(server: Server, running: Running, { clock, graceMs }: { readonly clock: Clock; readonly graceMs: number }): Promise<void> {
  running.closing = true;
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  for (const one of running.streams) one.abort();
  server.closeIdleConnections();
  const late = clock.after(graceMs, () => running.sockets.forEach((socket) => socket.destroy()));
  await closed;
  late.cancel();
}
