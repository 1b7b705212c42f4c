import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { Backlog } from './backlog.js';
import { respondOnSocket, readUnknownMethod } from './socketresponse.js';
import { framingError } from './framing.js';
import { type NodeExchange, readRequest } from './incoming.js';
import { type RunningResponses, send } from './outgoing.js';
import { refusePlainHttp } from './plainhttp.js';
import type { KeyPair } from '@multicluster-engine/values/certificates';
import type { ApiRequest, ApiResponse } from '../../request.js';
import type { Clock } from '../../clock.js';

export interface ListenerOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly serving: KeyPair;
  readonly clock: Clock;
  /** Limit of the bytes that wait for readers. */
  readonly mostUnsent?: number;
  readonly dispatch: (request: ApiRequest) => Promise<ApiResponse>;
}

export interface Listener {
  readonly port: number;
  /** Bytes that wait for slow readers. */
  readonly unsent: number;
  /**
   * Refuses new connections, ends the watches, waits for the other responses, and closes what is left after `graceMs`.
   */
  close(graceMs: number): Promise<void>;
}

// Clients keep idle connections for 90 s; closing one earlier would fail a write.
const KEEP_ALIVE_MS = 150_000;
const HEADERS_MS = 30_000;
const MAX_HEADER_BYTES = 1024 * 1024;
const MAX_CONNECTIONS = 10_000;
/** Time for sending the last bytes. */
const FLUSH_MS = 100;

/** Serves HTTPS until it is closed. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { serving, host, port } = options;
  const running: RunningResponses = {
    streams: new Set(),
    sockets: new Set(),
    backlog: new Backlog(options.clock, options.mostUnsent),
    busy: new Set(),
    closing: false,
    idle: () => undefined,
  };
  const server = createServer({
    cert: serving.certificate,
    key: serving.privateKey,
    minVersion: 'TLSv1.2',
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_MS,
    requestTimeout: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    noDelay: true,
    requireHostHeader: false,
  });
  server.maxConnections = MAX_CONNECTIONS;
  refusePlainHttp(server, options.clock);
  server.on('request', (request, response) => void answer(options, running, { request, response }));
  server.on(
    'checkContinue',
    (request, response) => void answer(options, running, { request, response, expectsContinue: true }),
  );
  server.on('connection', (socket: Socket) => {
    running.sockets.add(socket);
    socket.once('close', () => running.sockets.delete(socket));
  });
  server.on(
    'connect',
    (request: IncomingMessage, socket: Duplex) => void respondOnSocket(options.dispatch, request, socket),
  );
  server.on('clientError', (error: BadRequest, socket: Duplex) => refuse(options, error, socket));
  server.on('tlsClientError', () => undefined);
  // Without a listener, Node reads past the socket and passes bytes to its parser while that is paused for a slow
  // reader, which fails (HPE_PAUSED).
  server.on('secureConnection', (socket: Duplex) => void socket.on('data', () => undefined));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => resolve(server.off('error', reject) && undefined));
  });
  return {
    port: portOf(server),
    get unsent() {
      return running.backlog.bytes;
    },
    close: (graceMs) => close(server, running, { clock: options.clock, graceMs }),
  };
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function answer(options: ListenerOptions, running: RunningResponses, nodeExchange: NodeExchange): Promise<void> {
  const { request, response } = nodeExchange;
  const disconnected = new AbortController();
  running.busy.add(response);
  response.once('close', () => {
    if (!response.writableFinished) disconnected.abort();
    running.busy.delete(response);
    if (running.busy.size === 0) running.idle();
  });
  // An error of a connection closes it; there is no client left to inform.
  response.on('error', () => undefined);
  request.on('error', () => undefined);
  const fault = framingError(request);
  if (fault !== undefined) {
    response
      .writeHead(fault.code, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
      .end(fault.text);
    return;
  }
  try {
    const answered = await options.dispatch(readRequest(options.clock, nodeExchange, disconnected));
    await send(options.clock, running, { ...nodeExchange, answered, disconnected });
  } catch {
    response.destroy();
  }
}

const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Input that is not HTTP gets a text response, as from Go's server, except for methods that only Node does not know.
 */
function refuse({ dispatch }: ListenerOptions, error: BadRequest, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const head = error.code === 'HPE_INVALID_METHOD' ? readUnknownMethod(error.rawPacket) : undefined;
  if (head !== undefined) return void respondOnSocket(dispatch, head, socket);
  const line = REASONS[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${line}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${line}`);
}

interface BadRequest extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

async function close(
  server: Server,
  running: RunningResponses,
  { clock, graceMs }: { readonly clock: Clock; readonly graceMs: number },
): Promise<void> {
  const cut = (): void => running.sockets.forEach((socket) => socket.destroy());
  running.closing = true;
  // Connections that are left when all responses are sent are idle, or have only started a request.
  running.idle = () => void clock.after(FLUSH_MS, cut);
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  for (const one of running.streams) one.abort();
  server.closeIdleConnections();
  if (running.busy.size === 0) running.idle();
  const late = clock.after(graceMs, cut);
  await closed;
  late.cancel();
}
