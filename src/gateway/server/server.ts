import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../runtime/clock.js';
import { HttpsServer, type HttpsLimits } from '../../runtime/http/httpsserver.js';
import { rawResponse, errorResponse } from '../response/response.js';
import { errorForConnect, errorForClientError } from '../response/parseerror.js';
import type { ServingPair } from '../../runtime/tls/serving.js';
import { type Connections, interceptParser } from '../../runtime/http/connections.js';
import { HeadScanner, MAX_HEAD_BYTES } from './headscanner.js';
import type { GatewayMetrics } from '../metrics.js';
import type { StatusError } from '../statuserror.js';

export interface ServerLimits extends HttpsLimits {
  readonly maxConnections: number;
}

interface ServerOptions {
  readonly limits: HttpsLimits;
  readonly connections: Connections;
  readonly strict: boolean;
  readonly clock: Clock;
  readonly metrics: GatewayMetrics;
  /** Answers one request; never rejects. */
  readonly handler: (incoming: IncomingRequest) => Promise<void>;
}

/** One request, whose head has been parsed. */
export interface IncomingRequest {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** The client sends the body after `100 Continue`. */
  readonly expectsContinue: boolean;
  /** The status code that the server has sent by itself: the rest of the request was malformed or too late. */
  rejectedWith?: number;
}

/** How long a client has for taking the response to malformed bytes. */
const ERROR_RESPONSE_MS = 5_000;
/** How long a client may continue to send after that: closed earlier, the connection would be reset and the response lost. */
const LINGER_MS = 1_000;
/**
 * The HTTPS server: HTTP/1.1 over TLS 1.2 or newer, one request at a time on a connection, every wait bounded.
 *
 * Guarantees: only well-formed requests reach the handler; the connection of a client that sends further requests
 * without reading the responses is closed after the response in progress.
 */
export class GatewayServer {
  readonly #options: ServerOptions;
  readonly #server: HttpsServer;
  readonly #connections: Connections;
  /** The newest request of each connection that is served now. */
  readonly #inProgress = new Map<Socket, IncomingRequest>();
  /** Each ends with the handler of a request: later than its response, whose end the access log has. */
  readonly #handlers = new Set<Promise<void>>();
  /** Connections with a request that waits for the end of the previous response. */
  readonly #waiting = new WeakSet<Socket>();
  /** Connections that are closed after the response in progress. */
  readonly #lastResponse = new WeakSet<Socket>();
  readonly #scanners = new WeakMap<Socket, HeadScanner>();
  #closing = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    const { limits, metrics, connections, clock } = options;
    this.#connections = connections;
    const onDropped = (cause: string): void => metrics.dropped(cause);
    this.#server = new HttpsServer({ limits, connections, clock, onDropped, maxHeadBytes: MAX_HEAD_BYTES });
    metrics.connections(() => this.#connections.open);
    this.#listen();
  }

  /** Node's server: whatever it is told of a connection happens as if it were one over TCP. */
  get node(): Server {
    return this.#server.node;
  }

  /** Uses this certificate from the next handshake on; open connections keep theirs. */
  setCertificate(pair: ServingPair): void {
    this.#server.setCertificate(pair);
  }

  /** Listens. Resolves with the port; rejects when the address cannot be used. */
  start(host: string, port: number): Promise<number> {
    return this.#server.start(host, port);
  }

  /**
   * Accepts no more connections, waits up to `graceMs` for requests in progress, then closes the connections left.
   * Resolves when all handlers have ended: no line of the access log is written later. `onClosed` is called before, when
   * the connections are closed: it ends what a handler may wait for that does not end with its connection.
   */
  async stop(graceMs: number, onClosed?: () => Promise<void>): Promise<void> {
    this.#closing = true;
    await this.#server.stop(graceMs);
    await onClosed?.();
    await Promise.all(this.#handlers);
  }

  /** From now on every response whose head is not sent yet is the last one of its connection and says so. */
  beginDrain(): void {
    this.#closing = true;
    for (const { response } of this.#inProgress.values()) {
      if (!response.headersSent) response.shouldKeepAlive = false;
    }
  }

  #listen(): void {
    const server = this.#server.node;
    server.on('secureConnection', (socket: Socket) => this.#scan(socket));
    const onExpect = (message: IncomingMessage, response: ServerResponse): void =>
      void this.#onRequest({ message, response, expectsContinue: true });
    server.on('checkContinue', onExpect);
    server.on('checkExpectation', onExpect);
    server.on('request', (message, response) => void this.#onRequest({ message, response, expectsContinue: false }));
    server.on('connect', ({ url = '' }, socket: Socket) => this.#reject(errorForConnect(url), socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => this.#onClientError(error, socket));
  }

  #scan(socket: Socket): void {
    const scanner = new HeadScanner({
      clock: this.#options.clock,
      headTimeoutMs: this.#options.limits.headerTimeoutMs,
      onError: (error) => this.#reject(error, socket),
      onPipelined: () => this.#closeAfter(socket),
    });
    this.#scanners.set(socket, scanner);
    interceptParser(socket, (chunk, parse) => scanner.receive(chunk, parse));
    socket.once('close', () => scanner.stop());
  }

  async #onRequest(incoming: IncomingRequest): Promise<void> {
    const { message, response } = incoming;
    const { socket } = message;
    if (this.#scanners.get(socket)?.accepts(message) !== true) {
      message.resume();
      this.#closeAfter(socket);
      return;
    }
    const previous = this.#inProgress.get(socket);
    if (previous !== undefined && !(await this.#isWritten(previous.response, socket))) {
      message.resume();
      return;
    }
    if (this.#closing) response.shouldKeepAlive = false;
    this.#inProgress.set(socket, incoming);
    await this.#handle(incoming);
    if (this.#inProgress.get(socket) === incoming) this.#inProgress.delete(socket);
    this.#connections.markIdle(socket);
    // A client whose last response did not announce the end may have sent another request. It is served as long as
    // connections are accepted.
    if (this.#closing && !(response.shouldKeepAlive && this.#server.node.listening)) socket.destroySoon();
  }

  async #handle(incoming: IncomingRequest): Promise<void> {
    const handler = this.#options.handler(incoming);
    this.#handlers.add(handler);
    await handler;
    this.#handlers.delete(handler);
  }

  /**
   * Whether the previous response has been written completely. A request that its client sent before it can have read
   * that response is not served: responses that nobody reads would pile up.
   */
  async #isWritten(previous: ServerResponse, socket: Socket): Promise<boolean> {
    if (!previous.writableEnded || this.#waiting.has(socket)) {
      this.#closeAfter(socket);
      return false;
    }
    // The response has ended; whether the client still reads shows when the operating system has taken all of it.
    this.#waiting.add(socket);
    await new Promise<void>((resolve) => {
      previous.once('finish', resolve);
      previous.once('close', resolve);
      if (previous.writableFinished || previous.destroyed) resolve();
    });
    this.#waiting.delete(socket);
    return previous.writableFinished && socket.writable;
  }

  /** Closes a connection after the response in progress, if any, and serves no further request of it. */
  #closeAfter(socket: Socket): void {
    if (this.#lastResponse.has(socket)) return;
    this.#lastResponse.add(socket);
    this.#scanners.get(socket)?.stop();
    const current = this.#inProgress.get(socket)?.response;
    if (current === undefined || current.writableFinished) {
      socket.destroySoon();
      return;
    }
    current.shouldKeepAlive = false;
    current.once('finish', () => socket.destroySoon());
  }

  /** Handles what the parser rejects, and requests that do not arrive in time. */
  #onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const scanner = this.#scanners.get(socket);
    const statusError = errorForClientError(error, scanner?.received());
    scanner?.stop();
    if (statusError === undefined) socket.destroy();
    else this.#reject(statusError, socket);
  }

  /** Answers bytes that cannot be served, once, and serves no further request of the connection. */
  #reject(error: StatusError, socket: Socket): void {
    // The parser continues to report the bytes that follow.
    if (this.#lastResponse.has(socket)) return;
    const current = this.#inProgress.get(socket);
    const follows = current !== undefined && current.message.complete && !current.response.writableFinished;
    if (!socket.writable || (current?.response.headersSent === true && !follows)) {
      // The rest of a body that is too large is dropped until the response to it has been written.
      if (error.kind !== 'tooLarge') socket.destroy();
      return;
    }
    this.#options.metrics.dropped(error.kind === 'slow' ? 'timeout' : 'protocol');
    // The error of bytes that follow a complete request is not sent in place of the response to that request: a write
    // that was done would look rejected.
    if (follows) this.#closeAfter(socket);
    else this.#writeRawError(error, socket);
  }

  #writeRawError(error: StatusError, socket: Socket): void {
    this.#lastResponse.add(socket);
    this.#scanners.get(socket)?.stop();
    const answer = errorResponse(error, this.#options.strict);
    const current = this.#inProgress.get(socket);
    if (current !== undefined) current.rejectedWith = answer.code;
    const closeIn = (ms: number): Timer => this.#options.clock.after(ms, () => socket.destroy());
    let timer = closeIn(ERROR_RESPONSE_MS);
    socket.on('error', () => undefined);
    socket.once('close', () => timer.cancel());
    socket.end(rawResponse(answer), () => {
      timer.cancel();
      if (!socket.destroyed) timer = closeIn(LINGER_MS);
    });
  }
}
