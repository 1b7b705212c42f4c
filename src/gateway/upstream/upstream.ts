import { Client, Pool, type buildConnector } from 'undici';
import { LightAbortSignal } from '../../runtime/transport/deadline.js';
import type { AbortSignalLike, Clock } from '../../runtime/clock.js';
import { Exchange, WaitLimit, type ResponseBody } from '../../runtime/http/exchange.js';
import { Slots } from '../../runtime/http/slots.js';
import { connectorOf } from '../../runtime/transport/connectionpool.js';
import type { GatewayMetrics } from '../metrics.js';
import type { Method } from '../request/routes.js';
import { toUpstreamError, UpstreamError } from './error.js';

export interface UpstreamRequest {
  readonly method: Method;
  readonly path: string;
  readonly token: string;
  /** Whether the API server has accepted the token within the last hour. */
  readonly known: boolean;
  /** Called when the request has a slot and goes to the pool: from now on it may have been sent. */
  readonly onStart?: () => void;
  /** JSON. */
  readonly body?: string | undefined;
  /** Header of that name, made by the gateway; undefined without traces. */
  readonly traceparent?: string | undefined;
}

/** The head of a response, and its body as it arrives. */
export interface UpstreamResponse {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  /** Values of the header `Warning`. */
  readonly warnings?: string | readonly string[] | undefined;
  readonly body: ResponseBody;
}

/** One call to the API server. Whoever begins a call ends it, whatever happens. */
export interface UpstreamCall {
  /**
   * Sends the request, once. The body of the response is read while the call lasts.
   * @throws UpstreamError
   */
  send(): Promise<UpstreamResponse>;
  /** Drops what is unread and counts the call. `failure`: the error with which its use has failed. */
  end(failure?: unknown): void;
}

/** Constants: a new Error costs more, by its stack trace, than the rest of many a call. */
const CLIENT_GONE = new UpstreamError('abandoned', 'CLIENT_GONE');
const UNREAD = new UpstreamError('broken', 'UNREAD');

export interface UpstreamOptions {
  /** `https://host:port`: fixed for the life of the process. */
  readonly origin: string;
  readonly clock: Clock;
  /**
   * From the beginning of a call to the first byte of the response's body, whatever the call waits for. After that, for
   * a read, each wait for further bytes; for a write, whose result is known by then, the whole of the body still.
   */
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly metrics: GatewayMetrics;
  /** Makes the connections to a server that these authorities (PEM) verify; absent: over TCP. */
  readonly createPool?: ((ca: string) => UpstreamPool) | undefined;
}

/** What requests are dispatched to. */
export type UpstreamPool = Pick<Pool, 'dispatch' | 'close' | 'destroy'>;

/** For calls with a token that was accepted within the last hour, and for all others: these keep no such call waiting. */
const CONNECTIONS = { known: 192, unknown: 64 } as const;
/** The longest body of a response. A response that announces a longer one fails before its first chunk. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** What is received of a body before it is asked for. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** The longest head of a response. Warnings of admission may exceed Node's default, and must not fail a write that was done. */
const MAX_HEAD_BYTES = 64 * 1024;
const MAX_CONNECT_MS = 5_000;
/** Far below the idle timeout of an API server, so that no request is sent on a connection that the server closes. */
const KEEP_ALIVE_MS = 4_000;

/**
 * The one API server behind the gateway.
 *
 * Guarantees: a request is sent at most once, with the caller's token and headers of the gateway only; no redirect is followed;
 * the server is verified by the configured CA. A call fails at once when its time is over or `clientGone` fires, also
 * while it waits for a connection, and is not sent later.
 */
export class Upstream {
  readonly #options: UpstreamOptions;
  /** Requests wait here for a connection: in the pool's own queue, one whose caller has gone would stay. */
  readonly #slots = { known: new Slots(CONNECTIONS.known), unknown: new Slots(CONNECTIONS.unknown) };
  #pool: UpstreamPool | undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  /**
   * Trusts these certificate authorities (PEM) from now on. Calls in progress end on the old connections.
   * @throws Error when they are no certificates
   */
  trust(ca: string): void {
    const previous = this.#pool;
    const { createPool = (authorities: string) => poolOf(authorities, this.#options) } = this.#options;
    this.#pool = createPool(ca);
    previous?.close().catch(() => undefined);
  }

  /**
   * Begins a call: its time runs from now on.
   * @throws UpstreamError `abandoned` when the client is gone already
   */
  begin(request: UpstreamRequest, clientGone: AbortSignalLike): UpstreamCall {
    if (clientGone.aborted) throw CLIENT_GONE;
    const { clock, timeoutMs, metrics } = this.#options;
    const slots = request.known ? this.#slots.known : this.#slots.unknown;
    let waiting: LightAbortSignal | undefined;
    const abort = (error: UpstreamError): void => {
      waiting?.abort(error);
      exchange.abort(error);
    };
    const exceeded = (): void => abort(new UpstreamError('timeout', 'TIMEOUT'));
    const limit = new WaitLimit({ clock, ms: timeoutMs, exceeded });
    const waits = request.method === 'GET' ? limit : undefined;
    // The slot of a connection that is being made is taken until that is open or has failed, also when its call has ended.
    const exchange = new Exchange({
      maxUnreadBytes: MAX_UNREAD_BYTES,
      waits,
      onOver: () => slots.release(),
      errorFor: (error) => toUpstreamError(error),
    });
    const onClientGone = (): void => abort(CLIENT_GONE);
    clientGone.addEventListener('abort', onClientGone, { once: true });
    limit.start();
    const startedAt = clock.monotonic();
    let status = '<error>';
    return {
      send: async () => {
        if (!slots.tryTake()) await slots.take((waiting = new LightAbortSignal()));
        this.#dispatch(request, exchange);
        const head = await exchange.head;
        status = String(head.status);
        if (Number(head.headers['content-length'] ?? 0) > MAX_RESPONSE_BYTES)
          exchange.abort(new UpstreamError('broken', 'TOO_LARGE'));
        return {
          status: head.status,
          contentType: text(head.headers['content-type']),
          retryAfter: text(head.headers['retry-after']) || undefined,
          warnings: head.headers['warning'],
          body: exchange,
        };
      },
      end: (failure) => {
        limit.stop();
        clientGone.removeEventListener('abort', onClientGone);
        abort(UNREAD);
        const code = failure instanceof UpstreamError ? '<error>' : status;
        metrics.upstream(request.method, code, (clock.monotonic() - startedAt) / 1000);
      },
    };
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = undefined;
  }

  #dispatch(request: UpstreamRequest, exchange: Exchange): void {
    if (this.#pool === undefined || exchange.failed) {
      // An error that it has already is kept.
      exchange.onResponseError(undefined, new UpstreamError('unreachable', 'NO_CA'));
      return;
    }
    request.onStart?.();
    const { method, path, body } = request;
    this.#pool.dispatch({ method, path, headers: this.#headers(request), body: body ?? null }, exchange);
  }

  /** All headers that are sent, beside host and connection. */
  #headers({ token, body, traceparent }: UpstreamRequest): Record<string, string> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'user-agent': this.#options.userAgent,
    };
    if (traceparent !== undefined) headers['traceparent'] = traceparent;
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = String(Buffer.byteLength(body));
    }
    return headers;
  }
}

function poolOf(ca: string, options: UpstreamOptions): Pool {
  return new Pool(options.origin, {
    connections: CONNECTIONS.known + CONNECTIONS.unknown,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_RESPONSE_BYTES,
    maxHeaderSize: MAX_HEAD_BYTES,
    connect: verifyingConnector(ca, options),
    factory: (origin: URL, settings: Client.Options) => withoutReconnect(new Client(origin, settings)),
  });
}

/** Errors before the server is connected and verified have a reason of their own: nothing was sent yet. */
function verifyingConnector(ca: string, { origin, timeoutMs }: UpstreamOptions): buildConnector.connector {
  const credentials = { server: origin, headers: {}, tls: { ca, rejectUnauthorized: true } };
  const connect = connectorOf(credentials, Math.min(MAX_CONNECT_MS, timeoutMs));
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else callback(toUpstreamError(error, 'unreachable'), null);
    });
}

/**
 * The client, which leaves its pool when its request is aborted. undici would open another connection for that request,
 * and only then find that nobody waits for it: each caller that leaves would cost a handshake with the API server. No
 * other request is lost, since a client of a pool has one at a time.
 */
function withoutReconnect(client: Client): Client {
  return client.on('disconnect', (origin, targets, error) => {
    if (error.code !== 'UND_ERR_INFO' || error.message !== 'aborted') return;
    client.emit('connectionError', origin, targets, error);
    void client.destroy();
  });
}

function text(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}
