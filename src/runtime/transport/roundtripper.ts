import type { Client, Dispatcher } from 'undici';
import type { Clock } from '../clock.js';
import { asError, type ApiError } from '../errors.js';
import { Exchange, type ResponseHead } from '../http/exchange.js';
import type { RequestMetrics } from '../metrics/managermetrics.js';
import {
  isForeign,
  parseErrorBody,
  parseSuccess,
  tooLong,
  retryAfterKey,
  type ApiResponse,
  type Call,
} from './call.js';
import type { Credentials } from './credentials.js';
import type { Deadline } from './deadline.js';
import { aborted, errorFromResponse, malformed, unanswered, foreign, rejected } from './apierror.js';
import { failureOf } from '../connection/failure.js';
import { parseRetryAfter, type RetryAfter } from './retry.js';
import type { PoolKind, ConnectionPool } from './connectionpool.js';
import { Pinger } from './pinger.js';
import type { ServerClock } from './serverclock.js';

export interface RoundTripperOptions {
  /** Records the Retry-After of error responses. */
  readonly retryAfter: RetryAfter;
  readonly clock: Clock;
  /** Receives the `Date` of every response. */
  readonly serverClock?: ServerClock | undefined;
  readonly metrics?: RequestMetrics | undefined;
  readonly userAgent: string;
  readonly maxResponseBytes: number;
  readonly bodyTimeoutMs: number;
}

/** The error of one attempt, with what decides about the next one. */
export class AttemptError extends Error {
  readonly failure: ApiError;
  /** Certainly not received by the server. */
  readonly unsent: boolean;
  /** The credentials that the server or TLS rejected. */
  readonly rejectedCredentials: Credentials | undefined;

  constructor(failure: ApiError, unsent: boolean, suspect?: Credentials) {
    super(failure.message);
    this.failure = failure;
    this.unsent = unsent;
    this.rejectedCredentials = suspect;
  }
}

/** Performs one attempt of a call (Go's http.RoundTripper). */
export interface RoundTripper {
  /** The complete response. Throws AttemptError, ApiError Malformed, what `beforeAttempt` threw, or the deadline's reason. */
  call(call: Call, credentials: Credentials, deadline: Deadline): Promise<ApiResponse>;
  /** The body as a stream, until it ends or the call's own signal fires. */
  open(call: Call, credentials: Credentials, deadline: Deadline): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

/** Received bytes that nobody has read yet: above this the connection is paused. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** The head of a response with its body, which may not have been received yet. */
interface IncomingResponse extends ResponseHead {
  readonly body: Exchange;
}

/** Parts of the address of an API server. */
interface Address {
  readonly server: string;
  readonly origin: string;
  readonly host: string;
  /** Path under which the API is served; no slash at the end. */
  readonly prefix: string;
}

/** Round trips over HTTP/1.1 with keep-alive. */
export class HttpRoundTripper implements RoundTripper {
  readonly #pool: ConnectionPool;
  readonly #options: RoundTripperOptions;
  readonly #pinger: Pinger;
  /** The address of the last call, so that it is not parsed for each. */
  #address: Address | undefined;

  constructor(pool: ConnectionPool, options: RoundTripperOptions) {
    this.#pool = pool;
    this.#options = options;
    this.#pinger = new Pinger({
      clock: options.clock,
      pool,
      ping: (client, credentials) => this.#ping(client, credentials),
    });
  }

  close(): Promise<void> {
    this.#pinger.close();
    return this.#pool.close();
  }

  async call(call: Call, credentials: Credentials, deadline: Deadline): Promise<ApiResponse> {
    const response = await this.#send('calls', call, credentials, deadline);
    return this.#read(call, response, credentials);
  }

  async open(call: Call, credentials: Credentials, deadline: Deadline): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#send('streams', call, credentials, deadline);
    if (response.status !== 200) await this.#read(call, response, credentials);
    const { body } = response;
    const end = (): void => body.abort(aborted(call.target));
    if (call.signal?.aborted === true) end();
    else call.signal?.addEventListener('abort', end, { once: true });
    return this.#chunksOf(call, body, credentials, () => call.signal?.removeEventListener('abort', end));
  }

  async #send(kind: PoolKind, call: Call, credentials: Credentials, deadline: Deadline): Promise<IncomingResponse> {
    const { clock, metrics, serverClock, bodyTimeoutMs } = this.#options;
    const { origin, host, prefix } = this.#addressOf(credentials);
    call.beforeAttempt?.();
    const started = clock.monotonic();
    const count = (code: string): void =>
      metrics?.requested(call.method, host, code, (clock.monotonic() - started) / 1000);
    try {
      const options = {
        origin,
        path: `${prefix}${requestTarget(call)}`,
        method: call.method,
        headers: this.#headers(call, credentials),
        body: call.body ?? null,
        bodyTimeout: kind === 'streams' ? 0 : bodyTimeoutMs,
      };
      const dispatcher = this.#pool.dispatcher(credentials, kind);
      const onOver = kind === 'streams' ? this.#pinger.begin(credentials) : undefined;
      const response = await send(dispatcher, options, deadline, onOver);
      count(String(response.status));
      serverClock?.observe(response.headers.date, started);
      return response;
    } catch (error) {
      count('<error>');
      const { unsent, suspectsCredentials } = failureOf(error);
      const failure = unanswered(call.target, error, credentials, this.#options.clock.now());
      throw new AttemptError(failure, unsent, suspectsCredentials ? credentials : undefined);
    }
  }

  /** Everybody may read /version, which costs the server nothing. */
  async #ping(client: Client, credentials: Credentials): Promise<void> {
    const { origin, prefix } = this.#addressOf(credentials);
    const headers = this.#headers({}, credentials);
    const answer = new Exchange({ maxUnreadBytes: MAX_UNREAD_BYTES, onOver: () => undefined });
    client.dispatch({ origin, path: `${prefix}/version`, method: 'GET', headers }, answer);
    await answer.head;
    answer.bytes(MAX_UNREAD_BYTES).catch(() => undefined);
  }

  #addressOf({ server }: Credentials): Address {
    if (this.#address?.server !== server) {
      const { origin, host, pathname } = new URL(server);
      this.#address = { server, origin, host, prefix: pathname.replace(/\/$/, '') };
    }
    return this.#address;
  }

  #headers(call: Pick<Call, 'accept' | 'body' | 'contentType'>, credentials: Credentials): Record<string, string> {
    return {
      ...credentials.headers,
      'user-agent': this.#options.userAgent,
      accept: call.accept ?? 'application/json',
      ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
    };
  }

  async #read(call: Call, { status, headers, body }: IncomingResponse, credentials: Credentials): Promise<ApiResponse> {
    const bytes = await this.#bytesOf(call, body, credentials);
    if (bytes === undefined) throw tooLong(call.target, this.#options.maxResponseBytes);
    const raw = { status, contentType: headers['content-type'] ?? '', bytes };
    const isSuccess = status >= 200 && status < 300;
    if (isSuccess && !isForeign(raw)) return parseSuccess(raw, call.target);
    if (isSuccess) throw foreign(malformed(call.target, 'a page', status), credentials);
    const retryAfterMs = parseRetryAfter(headers['retry-after'], this.#options.clock.now());
    if (retryAfterMs !== undefined) this.#options.retryAfter.set(retryAfterKey(call), retryAfterMs);
    const parsed = parseErrorBody(raw);
    const failure = errorFromResponse({ status: raw.status, body: parsed, retryAfterMs }, call.target);
    if (failure.kind === 'Unauthorized')
      throw new AttemptError(rejected(failure, credentials, this.#options.clock.now()), false, credentials);
    // A TLS server of Go answers so to a request without TLS.
    const wantsTls = status === 400 && parsed === undefined && credentials.server.startsWith('http:');
    throw new AttemptError(wantsTls || isForeign(raw) ? foreign(failure, credentials, wantsTls) : failure, false);
  }

  async #bytesOf(call: Call, body: Exchange, credentials: Credentials): Promise<Buffer | undefined> {
    try {
      return await body.bytes(this.#options.maxResponseBytes);
    } catch (error) {
      throw new AttemptError(unanswered(call.target, error, credentials, this.#options.clock.now()), false);
    }
  }

  async *#chunksOf(call: Call, body: Exchange, credentials: Credentials, onEnd: () => void): AsyncIterable<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      if (call.signal?.aborted === true) throw aborted(call.target);
      throw unanswered(call.target, error, credentials, this.#options.clock.now());
    } finally {
      onEnd();
    }
  }
}

/**
 * Sends a request; resolves with the head of the response. Rejects with the error of the connection, or with the reason of
 * `deadline`, which ends the response too.
 */
async function send(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  deadline: Deadline,
  onOver?: () => void,
): Promise<IncomingResponse> {
  const end = (): void => body.abort(asError(deadline.reason));
  const body = new Exchange({
    maxUnreadBytes: MAX_UNREAD_BYTES,
    onOver: () => {
      deadline.removeEventListener('abort', end);
      onOver?.();
    },
  });
  if (deadline.aborted) end();
  else deadline.addEventListener('abort', end);
  dispatcher.dispatch(options, body);
  const { status, headers } = await body.head;
  return { status, headers, body };
}

/** Path and query of a call. */
export function requestTarget(call: Call): string {
  if (call.query === undefined) return call.path;
  const query = new URLSearchParams(call.query).toString();
  return query === '' ? call.path : `${call.path}?${query}`;
}
