import { constants } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock } from '../../runtime/clock.js';
import { rawResponse, errorResponse } from '../response/response.js';
import { errorForConnect, errorForClientError } from '../response/parseerror.js';
import type { ServingPair } from '../tls/certificate.js';
import { Connections } from './connections.js';
import type { GatewayMetrics } from '../../runtime/metrics.js';
import type { StatusError } from '../statuserror.js';

export interface ServerLimits {
  readonly maxConnections: number;
  /** From the first byte, or the opening of the connection, to the end of the head. Ms, like the others. */
  readonly headerTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

export interface ServerOptions {
  readonly limits: ServerLimits;
  readonly strict: boolean;
  readonly clock: Clock;
  readonly metrics: GatewayMetrics;
  /** Answers one request; never rejects. */
  readonly handler: (arrival: IncomingRequest) => Promise<void>;
}

/** One request as the server hands it over. */
export interface IncomingRequest {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** The client waits to be asked for the body. */
  readonly expectsContinue: boolean;
  /** Does what the client waits for; meanwhile its connection gives way to no other. */
  readonly atWork: <T>(work: () => Promise<T>) => Promise<T>;
  /** The code with which the server has refused a request whose rest was none, or did not come in time. */
  readonly cutShort: () => number | undefined;
}

const KEEP_ALIVE_MS = 15_000;
const TIMEOUT_CHECK_MS = 500;
/** How long a client has for taking an answer to what was no request. */
const ERROR_RESPONSE_MS = 5_000;
const MAX_HEAD_BYTES = 16 * 1024;
/** Forward secrecy and authenticated encryption alone. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');
const TLS = {
  minVersion: 'TLSv1.2',
  ciphers: CIPHERS,
  honorCipherOrder: true,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const;

/**
 * The HTTPS server: HTTP/1.1 over TLS 1.2 or newer, one request at a time on a connection, every wait bounded.
 *
 * Guarantees: bytes that are no well-formed request reach nobody; a client that asks for more before it is answered has
 * its connection closed after the answer under way.
 */
export class GatewayServer {
  readonly #options: ServerOptions;
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #answering = new Map<Socket, IncomingRequest>();
  /** Those with a request that waits for the end of the answer before. */
  readonly #queued = new WeakSet<Socket>();
  /** Those that are closed after the answer under way. */
  readonly #leaving = new WeakSet<Socket>();
  /** With which code requests were refused before they had come whole. */
  readonly #cut = new WeakMap<ServerResponse, number>();
  #closing = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    const { limits, metrics } = options;
    this.#connections = new Connections(limits.maxConnections, () => metrics.dropped('capacity'));
    this.#server = createServer({
      ...TLS,
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: limits.headerTimeoutMs,
      headersTimeout: limits.headerTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: Math.min(KEEP_ALIVE_MS, limits.requestTimeoutMs),
      connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, limits.headerTimeoutMs),
      maxHeaderSize: MAX_HEAD_BYTES,
      requireHostHeader: false,
      insecureHTTPParser: false,
      noDelay: true,
    });
    this.#server.maxHeadersCount = 0;
    metrics.connections(() => this.#connections.open);
    this.#listen();
  }

  /** Shows this certificate from the next handshake on; open connections go on as they are. */
  setCertificate({ cert, key }: ServingPair): void {
    this.#server.setSecureContext({ ...TLS, cert, key });
  }

  /** Resolves with the port; rejects when the address cannot be had. */
  async start(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  /** Takes no more connections, lets what is under way end within `graceMs`, then cuts what is left. */
  async stop(graceMs: number): Promise<void> {
    this.#closing = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const timer = this.#options.clock.after(graceMs, () => this.#server.closeAllConnections());
    await closed;
    timer.cancel();
  }

  /** Every answer whose head is not sent yet is the last of its connection, and says so. */
  beginDrain(): void {
    this.#closing = true;
    for (const { response } of this.#answering.values()) {
      if (!response.headersSent) response.shouldKeepAlive = false;
    }
  }

  #listen(): void {
    const { metrics } = this.#options;
    this.#server.on('connection', (socket: Socket) => {
      if (!this.#connections.accept(socket)) metrics.dropped('capacity');
    });
    this.#server.on('tlsClientError', () => metrics.dropped('tls'));
    // With nobody who listens, Node hands its parser bytes past the socket, also while that one waits for a slow reader: a fault.
    this.#server.on('secureConnection', (socket: Socket) => void socket.on('data', () => undefined));
    this.#server.on('request', (message, response) => void this.#take(message, response, false));
    this.#server.on('checkContinue', (message, response) => void this.#take(message, response, true));
    this.#server.on('checkExpectation', (message, response) => void this.#take(message, response, true));
    this.#server.on('connect', ({ url = '' }, socket: Socket) => this.#refuseRaw(socket, errorForConnect(url)));
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
      this.#onClientError(error, socket),
    );
    // Failures of accepting: out of file descriptors. The server goes on by itself.
    this.#server.on('error', () => metrics.dropped('capacity'));
  }

  async #take(message: IncomingMessage, response: ServerResponse, expectant: boolean): Promise<void> {
    const { socket } = message;
    const current = this.#answering.get(socket);
    if (current !== undefined && !(await this.#isOver(current.response, socket))) {
      message.resume();
      return;
    }
    if (this.#closing) response.shouldKeepAlive = false;
    const arrival: IncomingRequest = {
      message,
      response,
      expectsContinue: expectant,
      atWork: (work) => this.#atWork(socket, work),
      cutShort: () => this.#cut.get(response),
    };
    this.#answering.set(socket, arrival);
    await this.#options.handler(arrival);
    if (this.#answering.get(socket) === arrival) this.#answering.delete(socket);
    this.#connections.markIdle(socket);
    // Who was not told of the end may have asked on: that is answered too, as long as connections are taken in.
    if (this.#closing && !(response.shouldKeepAlive && this.#server.listening)) socket.destroySoon();
  }

  /**
   * Whether the answer under way has come to its end. What a client asks before it can have read that answer is not
   * answered: answers that nobody takes would pile up.
   */
  async #isOver(current: ServerResponse, socket: Socket): Promise<boolean> {
    if (current.writableEnded && !this.#queued.has(socket)) {
      // All of it is written; whether the system has it all, or the client has stopped reading, shows in a moment.
      this.#queued.add(socket);
      await new Promise<void>((resolve) => {
        current.once('finish', resolve);
        current.once('close', resolve);
        if (current.writableFinished || current.destroyed) resolve();
      });
      this.#queued.delete(socket);
      return current.writableFinished && socket.writable;
    }
    this.#leave(current, socket);
    return false;
  }

  /** Closes a connection after the answer under way. */
  #leave(current: ServerResponse, socket: Socket): void {
    if (this.#leaving.has(socket)) return;
    this.#leaving.add(socket);
    current.shouldKeepAlive = false;
    current.once('finish', () => socket.destroySoon());
  }

  async #atWork<T>(socket: Socket, work: () => Promise<T>): Promise<T> {
    this.#connections.markActive(socket);
    try {
      return await work();
    } finally {
      this.#connections.markIdle(socket);
    }
  }

  /** What the parser refuses, and requests that did not arrive in time. */
  #onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const refusal = errorForClientError(error);
    const current = this.#answering.get(socket);
    const behind = current !== undefined && current.message.complete && !current.response.writableFinished;
    if (refusal === undefined || !socket.writable || (current?.response.headersSent === true && !behind)) {
      socket.destroy();
      return;
    }
    this.#options.metrics.dropped(refusal.kind === 'slow' ? 'timeout' : 'protocol');
    // What follows a whole request must not be answered in its place: a write that is done would look refused.
    if (behind) this.#leave(current.response, socket);
    else this.#refuseRaw(socket, refusal, current?.response);
  }

  #refuseRaw(socket: Socket, refusal: StatusError, response?: ServerResponse): void {
    const answer = errorResponse(refusal, this.#options.strict);
    if (response !== undefined) this.#cut.set(response, answer.code);
    const timer = this.#options.clock.after(ERROR_RESPONSE_MS, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.once('close', () => timer.cancel());
    socket.end(rawResponse(answer), () => socket.destroy());
  }
}
