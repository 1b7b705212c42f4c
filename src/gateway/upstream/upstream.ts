import { X509Certificate } from 'node:crypto';
import { buildConnector, Pool, type Dispatcher } from 'undici';
import type { Clock } from '../../runtime/clock.js';
import type { GatewayMetrics } from '../../runtime/metrics.js';
import type { Method } from '../request/routes.js';

export interface UpstreamRequest {
  readonly method: Method;
  readonly path: string;
  readonly token: string;
  /** JSON. */
  readonly body?: string;
}

/** The head of an answer, and its body as it comes. */
export interface UpstreamResponse {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly body: AsyncGenerator<Buffer>;
}

/**
 * Why there is no answer. `unreachable`: there was no connection, or no trust in who is at its end, so that nothing was
 * sent. Holds no text of the other side and no header: it may be logged.
 */
export type UpstreamErrorReason = 'timeout' | 'unreachable' | 'broken' | 'abandoned';

export class UpstreamError extends Error {
  readonly reason: UpstreamErrorReason;
  /** The error's code, such as ECONNRESET. */
  readonly code: string;

  constructor(failure: UpstreamErrorReason, code: string) {
    super(`no usable answer of the API server: ${failure} (${code})`);
    this.name = 'UpstreamError';
    this.reason = failure;
    this.code = code;
  }
}

/** Made once: the trace of an error costs more than many a request. */
const CLIENT_GONE = new UpstreamError('abandoned', 'CLIENT_GONE');
const UNREAD = new UpstreamError('broken', 'UNREAD');

export interface UpstreamOptions {
  /** `https://host:port`: fixed for the life of the process. */
  readonly origin: string;
  readonly clock: Clock;
  /** For the whole of a call: connection, head and body. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly metrics: GatewayMetrics;
}

const CONNECTIONS = 256;
const CONNECT_TIMEOUT_MS = 5_000;
/** Far below the time after which an API server closes an idle connection, so that no request meets a closing one. */
const KEEP_ALIVE_MS = 4_000;
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const CODE = /^[A-Z0-9_]{1,64}$/;

/**
 * The one server behind the gateway.
 *
 * Guarantees: a call is sent at most once, with the caller's token and headers of ours alone; no redirect is followed;
 * the server is verified by the given CA. The call ends when its time is over or `gone` fires, whichever comes first.
 */
export class Upstream {
  readonly #options: UpstreamOptions;
  #pool: Pool | undefined;
  #connect: buildConnector.connector | undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  /**
   * Trusts these authorities (PEM) from now on. Calls under way end on the old connections.
   * @throws Error for what is no certificate
   */
  trust(ca: string): void {
    checkAuthorities(ca);
    const before = this.#pool;
    this.#connect = connectorTrusting(ca);
    this.#pool = new Pool(this.#options.origin, {
      connections: CONNECTIONS,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: MAX_RESPONSE_BYTES,
      connect: this.#connect,
    });
    before?.close().catch(() => undefined);
  }

  /**
   * Sends a call and hands its answer to `use`, within the call's time.
   * @throws UpstreamFailure, and whatever `use` throws
   */
  async call<T>(call: UpstreamRequest, gone: AbortSignal, use: (answer: UpstreamResponse) => Promise<T>): Promise<T> {
    const { clock, timeoutMs, metrics } = this.#options;
    if (gone.aborted) throw CLIENT_GONE;
    const stop = new AbortController();
    const leave = (): void => stop.abort(CLIENT_GONE);
    gone.addEventListener('abort', leave, { once: true });
    const timer = clock.after(timeoutMs, () => stop.abort(new UpstreamError('timeout', 'TIMEOUT')));
    const begun = clock.monotonic();
    let code = '<error>';
    try {
      const answer = await this.#send(call, stop.signal);
      code = String(answer.status);
      return await use(answer);
    } catch (error) {
      if (error instanceof UpstreamError) code = '<error>';
      throw error;
    } finally {
      timer.cancel();
      gone.removeEventListener('abort', leave);
      stop.abort(UNREAD);
      metrics.upstream(call.method, code, (clock.monotonic() - begun) / 1000);
    }
  }

  /**
   * Connects and lets go again, without a request.
   * @throws UpstreamFailure `unreachable`, when no server of that address can be had or trusted
   */
  checkConnection(): Promise<void> {
    const { hostname, host, protocol, port } = new URL(this.#options.origin);
    const plain = hostname.replace(/^\[|\]$/g, '');
    return new Promise((resolve, reject) => {
      if (this.#connect === undefined) throw new UpstreamError('unreachable', 'NO_CA');
      this.#connect({ hostname: plain, host, protocol, port }, (...[error, socket]) => {
        socket?.destroySoon();
        if (error === null) resolve();
        else reject(error);
      });
    });
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = undefined;
  }

  async #send(call: UpstreamRequest, signal: AbortSignal): Promise<UpstreamResponse> {
    const pool = this.#pool;
    if (pool === undefined) throw new UpstreamError('unreachable', 'NO_CA');
    const { method, path, body } = call;
    const response = await this.#guard(() =>
      pool.request({ method, path, signal, headers: this.#headers(call), ...(body !== undefined && { body }) }),
    );
    const { statusCode, headers } = response;
    if (Number(headers['content-length'] ?? 0) > MAX_RESPONSE_BYTES) throw new UpstreamError('broken', 'TOO_LARGE');
    return {
      status: statusCode,
      contentType: text(headers['content-type']),
      retryAfter: text(headers['retry-after']) || undefined,
      body: this.#chunks(response),
    };
  }

  /** Everything that is sent beside host and connection. */
  #headers({ token, body }: UpstreamRequest): Record<string, string> {
    return {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'user-agent': this.#options.userAgent,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
    };
  }

  async *#chunks(response: Dispatcher.ResponseData): AsyncGenerator<Buffer> {
    const reader = response.body[Symbol.asyncIterator]();
    for (;;) {
      const next = await this.#guard(() => reader.next());
      if (next.done === true) return;
      const chunk: Buffer = next.value;
      yield chunk;
    }
  }

  async #guard<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw toUpstreamError(error);
    }
  }
}

/** Whatever goes wrong before the server is there and trusted is told apart from what comes after: nothing was sent yet. */
function connectorTrusting(ca: string): buildConnector.connector {
  const connect = buildConnector({ ca, rejectUnauthorized: true, timeout: CONNECT_TIMEOUT_MS, allowH2: false });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else callback(toUpstreamError(error, 'unreachable'), null);
    });
}

/** Errors of the client library may hold what the other side has sent, so only their code is kept. */
function toUpstreamError(error: unknown, failure: UpstreamErrorReason = 'broken'): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const given = errorCode(error);
  return new UpstreamError(failure, CODE.test(given) ? given : 'UNKNOWN');
}

/** An error that stands for several, one an address, is told by the first. */
function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) return errorCode(error.errors[0]);
  return 'code' in error ? String(error.code) : '';
}

function text(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}

function checkAuthorities(pem: string): void {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error('holds no certificate in PEM');
  for (const block of blocks) {
    try {
      new X509Certificate(block);
    } catch {
      throw new Error('holds a certificate that cannot be read');
    }
  }
}
