import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { Backlog } from './backlog.js';
import { type Pair, readHeaders, readRequest } from './incoming.js';
import { type Running, send } from './outgoing.js';
import { refusePlain } from './plain.js';
import { wrongMethod } from './route.js';
import type { KeyPair } from './tls.js';
import type { ApiRequest, ApiResponse } from '../server.js';
import type { Clock } from '../../runtime/clock.js';

export interface ListenerOptions {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  readonly serving: KeyPair;
  readonly clock: Clock;
  /** Bytes that may wait for readers in all. */
  readonly mostUnsent?: number;
  readonly dispatch: (request: ApiRequest) => Promise<ApiResponse>;
}

export interface Listener {
  readonly port: number;
  /** Bytes that wait for readers who do not take them. */
  readonly unsent: number;
  /** Takes no more connections, ends the watches, waits for the other answers, and cuts off what is left after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

// Clients keep idle connections for 90 s; one that is closed under them fails a write.
const KEEP_ALIVE_MS = 150_000;
const HEADERS_MS = 30_000;
const MAX_HEADER_BYTES = 1024 * 1024;
const MAX_CONNECTIONS = 10_000;
/** Time for the last bytes to leave. */
const LEAVING_MS = 100;

/** Serves HTTPS until it is closed. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { serving, host, port } = options;
  const running: Running = { streams: new Set(), sockets: new Set(), backlog: new Backlog(options.clock, options.mostUnsent), busy: new Set(), closing: false, idle: () => undefined };
  const server = createServer({
    cert: serving.certificate, key: serving.privateKey, minVersion: 'TLSv1.2',
    keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: HEADERS_MS, requestTimeout: 0, maxHeaderSize: MAX_HEADER_BYTES, noDelay: true,
  });
  server.maxConnections = MAX_CONNECTIONS;
  refusePlain(server, options.clock);
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
  return { port: portOf(server), get unsent() { return running.backlog.bytes; }, close: (graceMs) => close(server, running, { clock: options.clock, graceMs }) };
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function answer(options: ListenerOptions, running: Running, pair: Pair): Promise<void> {
  const { request, response } = pair;
  const gone = new AbortController();
  running.busy.add(response);
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
    running.busy.delete(response);
    if (running.busy.size === 0) running.idle();
  });
  // What is wrong with a connection ends it, and there is nobody to tell.
  response.on('error', () => undefined);
  request.on('error', () => undefined);
  try {
    const answered = await options.dispatch(readRequest(options.clock, pair, gone));
    await send(options.clock, running, { ...pair, answered, gone });
  } catch {
    response.destroy();
  }
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
  const cut = (): void => running.sockets.forEach((socket) => socket.destroy());
  running.closing = true;
  // What is left when nothing is answered any more asks for nothing, or has only begun to.
  running.idle = () => void clock.after(LEAVING_MS, cut);
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  for (const one of running.streams) one.abort();
  server.closeIdleConnections();
  if (running.busy.size === 0) running.idle();
  const late = clock.after(graceMs, cut);
  await closed;
  late.cancel();
}
