import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { HealthCheck } from '../runtime/health.js';
import type { Logger } from '../runtime/logger.js';
import type { Exposition } from './registry.js';

export interface HttpResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Handles a GET; undefined leads to 404. */
export type Route = (url: URL) => HttpResponse | undefined | Promise<HttpResponse | undefined>;

export interface EndpointOptions {
  /** Field in logs. */
  readonly name: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly route: Route;
  readonly log: Logger;
}

const TEXT = 'text/plain; charset=utf-8';
/** Base for parsing a path as a URL. */
const BASE = 'http://localhost';
/** Ms; a slow client is disconnected. */
const TIMEOUTS = { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 30_000 };
const MAX_CONNECTIONS = 64;

/** A plain HTTP server for GET and HEAD. */
export class Endpoint {
  readonly #options: EndpointOptions;
  readonly #server: Server;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#server = createServer(TIMEOUTS);
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on('request', (request, response) => void this.#answer(request, response));
  }

  /** Resolves with the port (for port 0 a free one, which is logged) once it listens; rejects when the address cannot be bound. */
  async start(): Promise<number> {
    const { listen, log, name } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: listen.host, port: listen.port }, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const address = this.#server.address();
    const port = typeof address === 'object' && address !== null ? address.port : listen.port;
    log.info({ endpoint: name, host: listen.host, port }, 'listening');
    return port;
  }

  /** Closes the port and all connections. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Never rejects. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const answer = await this.#route(request);
    const body = Buffer.from(answer.body);
    response.writeHead(answer.status, {
      'content-type': answer.contentType,
      'content-length': body.length,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(answer.status === 405 && { allow: 'GET, HEAD' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
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

/** `/metrics`. */
export function metricsRoute(metrics: Pick<Exposition, 'contentType' | 'text'>): Route {
  return async (url) => {
    if (url.pathname !== '/metrics') return undefined;
    return { status: 200, contentType: metrics.contentType, body: await metrics.text() };
  };
}

/**
 * `/livez` and `/readyz` as in Kubernetes: 200 `ok`, or 500 with one line for each check; `?verbose` always lists the checks;
 * `/readyz/<check>` is a single check.
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
