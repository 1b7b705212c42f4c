import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../clock.js';
import { Connections, listen, interceptParser, type Parse } from '../http/connections.js';
import { Handshakes } from '../http/handshakes.js';
import type { Logger } from '../logger.js';
import type { Admission } from './metricsaccess.js';
import type { Exposition } from '../metrics/registry.js';

interface HttpResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
}

/** Handles a GET; undefined leads to 404. */
export type Route = (url: URL) => HttpResponse | undefined | Promise<HttpResponse | undefined>;

interface EndpointOptions {
  /** Field in logs. */
  readonly name: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly route: Route;
  readonly clock: Clock;
  readonly log: Logger;
  /** HTTPS, for clients that `access` allows; undefined: plain HTTP for everybody. */
  readonly secure?: EndpointSecurity | undefined;
}

/** The protection of an endpoint. */
export interface EndpointSecurity {
  readonly access: { decide(authorization: string | undefined): Promise<Admission> };
  /** Passes the serving certificate, and each that replaces it; both PEM. Called before the endpoint listens. */
  readonly serve: (use: (cert: string, key: string) => void) => Promise<void>;
  /** Ends the replacement of certificates. */
  readonly stop: () => void;
}

const TEXT = 'text/plain; charset=utf-8';
/** Base for parsing a path as a URL. */
const BASE = 'http://localhost';
/** In ms. A slow client is disconnected. Node checks the first two each `connectionsCheckingInterval`. */
const TIMEOUTS = {
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 500,
};
const MAX_CONNECTIONS = 64;
/** A chunk may contain several requests. The parser gets this much of it at a time, so that the rest can be dropped. */
const PIECE_BYTES = 1024;
const NOTHING = Buffer.alloc(0);
/** Ms, for the first record of TLS and for the rest of the handshake. */
const HANDSHAKE_TIMEOUT = 5_000;
/** Scrapers have intervals of up to a minute, and keep their connections. */
const TLS_OPTIONS = {
  ...TIMEOUTS,
  keepAliveTimeout: 90_000,
  handshakeTimeout: HANDSHAKE_TIMEOUT,
  minVersion: 'TLSv1.2',
  ALPNProtocols: ['http/1.1'],
} as const;
const REFUSALS: Readonly<Record<Exclude<Admission, 'allowed'>, HttpResponse>> = {
  unauthenticated: text(401, 'a bearer token is required that the API server accepts\n'),
  forbidden: text(403, 'the verb get on the nonResourceURL /metrics is required\n'),
  busy: text(503, 'the token cannot be reviewed now\n'),
};

/** An HTTP or HTTPS server for GET and HEAD. */
export class Endpoint {
  readonly #options: EndpointOptions;
  readonly #server: Server | TlsServer;
  readonly #connections = new Connections(MAX_CONNECTIONS);
  /** Connections with a request that has no complete response yet. */
  readonly #inProgress = new WeakSet<Socket>();
  /** Connections that are closed after the response in progress, since their clients have sent more than one request. */
  readonly #lastResponse = new WeakSet<Socket>();

  constructor(options: EndpointOptions) {
    this.#options = options;
    const { secure, clock } = options;
    const answer = (request: IncomingMessage, response: ServerResponse): void => void this.#answer(request, response);
    this.#server = secure === undefined ? createServer(TIMEOUTS, answer) : createTlsServer(TLS_OPTIONS, answer);
    if (secure !== undefined) new Handshakes({ clock, timeoutMs: HANDSHAKE_TIMEOUT }).attach(this.#server);
    this.#server.on('checkExpectation', answer);
    this.#server.on('connection', (socket: Socket) => this.#connections.accept(socket));
    this.#server.on(secure === undefined ? 'connection' : 'secureConnection', (socket: Socket) =>
      interceptParser(socket, (chunk, parse) => this.#receive(socket, chunk, parse)),
    );
  }

  /** Resolves with the port (for port 0 a free one, which is logged) once it listens; rejects when the address cannot be bound. */
  async start(): Promise<number> {
    const { listen: at, log, name, secure } = this.#options;
    const server = this.#server;
    if ('setSecureContext' in server) await secure?.serve((cert, key) => server.setSecureContext({ cert, key }));
    const port = await listen(server, at);
    log.info({ endpoint: name, host: at.host, port }, 'listening');
    return port;
  }

  /** Closes the port and all connections. */
  async stop(): Promise<void> {
    this.#options.secure?.stop();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // Not closeAllConnections of the server: it knows none whose TLS handshake has not ended.
    this.#connections.closeAll();
    await closed;
  }

  /**
   * Passes a chunk to the parser, piece by piece. It drops what a client sends after a request that has no response yet, and lets
   * that response be the last. Returns what the parser has to get later, when the connection takes more.
   */
  #receive(socket: Socket, chunk: Buffer, parse: Parse): Buffer {
    for (let at = 0; at < chunk.length && !socket.destroyed; at += PIECE_BYTES) {
      if (this.#inProgress.has(socket)) this.#lastResponse.add(socket);
      if (this.#lastResponse.has(socket)) break;
      if (!parse(chunk.subarray(at, at + PIECE_BYTES))) return chunk.subarray(at + PIECE_BYTES);
    }
    return NOTHING;
  }

  /** Never rejects. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const { socket } = request;
    // Scrapers do not pipeline, and requests that wait for a review would pile up.
    if (this.#inProgress.has(socket)) return void socket.destroy();
    this.#inProgress.add(socket);
    response.once('close', () => this.#inProgress.delete(socket));
    const refusal = await this.#refusal(request);
    const answer = refusal ?? (await this.#route(request));
    if (refusal !== undefined || this.#lastResponse.has(socket)) response.shouldKeepAlive = false;
    const body = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;
    response.writeHead(answer.status, {
      'content-type': answer.contentType,
      'content-length': body.length,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(answer.status === 401 && { 'www-authenticate': 'Bearer' }),
      ...(answer.status === 405 && { allow: 'GET, HEAD' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  /** The response to a client that `access` does not allow; undefined for every other client. */
  async #refusal(request: IncomingMessage): Promise<HttpResponse | undefined> {
    const { secure } = this.#options;
    if (secure === undefined) return undefined;
    const admission = await secure.access.decide(request.headers.authorization);
    if (admission !== 'allowed') return REFUSALS[admission];
    this.#connections.markAccepted(request.socket);
    return undefined;
  }

  async #route(request: IncomingMessage): Promise<HttpResponse> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'only GET and HEAD\n');
    const path = request.url ?? '';
    if (!path.startsWith('/') || !URL.canParse(path, BASE)) return text(400, 'malformed path\n');
    const url = new URL(path, BASE);
    try {
      return (await this.#options.route(url)) ?? text(404, 'not found\n');
    } catch (error) {
      this.#options.log.error({ err: error, endpoint: this.#options.name }, 'endpoint failed');
      return text(500, 'failed\n');
    }
  }
}

/** The route `/metrics`. */
export function metricsRoute(metrics: Pick<Exposition, 'contentType' | 'text'>): Route {
  return async (url) => {
    if (url.pathname !== '/metrics') return undefined;
    return { status: 200, contentType: metrics.contentType, body: await metrics.text() };
  };
}

/**
 * The routes `/livez` and `/readyz`, as Kubernetes has them: 200 `ok`, or 500 with one line for each check. `?verbose` always lists
 * the checks; `/readyz/<check>` is a single check.
 */
export function healthRoute(checks: {
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}): Route {
  return (url) => {
    const [, name, one, ...more] = url.pathname.split('/');
    if (more.length > 0 || (name !== 'livez' && name !== 'readyz')) return undefined;
    return health(name, select(checks[name], one), url.searchParams.has('verbose'));
  };
}

function select(checks: readonly HealthCheck[], one: string | undefined): readonly HealthCheck[] | undefined {
  if (one === undefined) return checks;
  const check = checks.find((candidate) => candidate.name === one);
  return check && [check];
}

function health(name: string, checks: readonly HealthCheck[] | undefined, verbose: boolean): HttpResponse | undefined {
  if (checks === undefined) return undefined;
  const lines: string[] = [];
  let failed = false;
  for (const check of checks) {
    const reason = check.check();
    failed ||= reason !== undefined;
    lines.push(
      reason === undefined ? `[+]${check.name} ok` : `[-]${check.name} failed: ${reason.replace(/\s+/g, ' ')}`,
    );
  }
  if (!failed && !verbose) return text(200, 'ok');
  lines.push(`${name} check ${failed ? 'failed' : 'passed'}`);
  return text(failed ? 500 : 200, `${lines.join('\n')}\n`);
}

function text(status: number, body: string): HttpResponse {
  return { status, contentType: TEXT, body };
}

/** One named check of /livez or /readyz. */
export interface HealthCheck {
  /** Lower case, digits and dashes. */
  readonly name: string;
  /** Why the check fails; undefined when it passes. Must not throw or block. */
  check(): string | undefined;
}

/** The period in which stalls count. */
const WINDOW_MS = 30_000;
/** How long the stalls in it may be together. */
const ALLOWED_MS = 20_000;
const TICK_MS = 500;
/** A timer that is later than this counts as a stall. */
const LATE_MS = 500;

/**
 * Detects an event loop that is blocked most of the time. A single long stall is detected by the probe's own timeout; this
 * check is for a process that stalls repeatedly and responds to probes in between.
 */
export class StallDetector implements HealthCheck {
  readonly name = 'event-loop';
  readonly #clock: Clock;
  #stalls: { readonly from: number; readonly to: number }[] = [];
  #last = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(): void {
    this.#last = this.#clock.monotonic();
    this.#timer = this.#clock.after(TICK_MS, () => this.#tick());
  }

  stop(): void {
    this.#timer?.cancel();
  }

  check(): string | undefined {
    const stalled = Math.round(this.#stalledMs());
    return stalled > ALLOWED_MS ? `stalled for ${stalled} ms of the last ${WINDOW_MS} ms` : undefined;
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    if (now - this.#last > TICK_MS + LATE_MS) this.#stalls.push({ from: this.#last + TICK_MS, to: now });
    this.#stalls = this.#stalls.filter((stall) => stall.to > now - WINDOW_MS);
    this.#last = now;
    this.#timer = this.#clock.after(TICK_MS, () => this.#tick());
  }

  #stalledMs(): number {
    const begin = this.#clock.monotonic() - WINDOW_MS;
    let sum = 0;
    for (const stall of this.#stalls) sum += Math.max(0, stall.to - Math.max(stall.from, begin));
    return sum;
  }
}
