import { delay, type Clock, type Random } from '../clock.js';
import { connectionCode } from '../connection/failure.js';
import { ApiError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { RequestMetrics } from '../metrics/managermetrics.js';
import { retryAfterKey, type ApiResponse, type Bucket, type Call } from './call.js';
import { CachedCredentials, CredentialsError, type CredentialLoader, type Credentials } from './credentials.js';
import { Deadline, rejectOnAbort } from './deadline.js';
import { aborted, describeCall, failedCall, noResponse, notSent, lateError } from './apierror.js';
import { RetryAfter, waitBeforeRetry, TokenBucket, type RateLimit } from './retry.js';
import type { ServerClock } from './serverclock.js';
import { ConnectionPool } from './connectionpool.js';
import { HttpRoundTripper, AttemptError, type RoundTripper, type RoundTripperOptions } from './roundtripper.js';

/** Sends calls to the API server with retries and rate limits; does not interpret objects. */
export interface Transport {
  /** Sends a call and reads the whole response. Throws ApiError. */
  call(call: Call): Promise<ApiResponse>;
  /**
   * Sends a call and returns the body as a stream, until it ends or the call's signal fires; a caller that stops reading
   * earlier has to fire it. The deadline covers the response headers only. Throws ApiError.
   */
  open(call: Call): Promise<AsyncIterable<Uint8Array>>;
  /** Closes all connections; current calls fail. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly clock: Clock;
  /** Receives the `Date` of every response over HTTP. */
  readonly serverClock?: ServerClock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: RequestMetrics;
  readonly userAgent: string;
  /** Default: 100/s burst 200; events 10/s burst 50; leases 5/s burst 20; reviews 20/s burst 40. */
  readonly limits?: Partial<Readonly<Record<Bucket, RateLimit>>>;
  /** Connections for calls; default 32. */
  readonly connections?: number;
  /** Longest time a call may take after the wait for the rate limit, in ms; default and most 15,000. */
  readonly deadlineMs?: number;
  /** Longest response body, in bytes; default 64 MiB. */
  readonly maxResponseBytes?: number;
}

/** Upper limit for a call, retries included. */
const LONGEST_CALL_MS = 15_000;

const ATTEMPTS = 4;
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const LIMITS: Readonly<Record<Bucket, RateLimit>> = {
  default: { qps: 100, burst: 200 },
  events: { qps: 10, burst: 50 },
  leases: { qps: 5, burst: 20 },
  reviews: { qps: 20, burst: 40 },
};

/**
 * The transport over HTTP/1.1 and kept-alive connections.
 *
 * Guarantees: every call ends within its deadline, which begins when the rate limit admits it; no call is sent before the last
 * Retry-After for its method and path (at most 60 s) has passed; a call that may have been applied is retried only when it is
 * idempotent, and only after the previous attempt has ended; after a 401 or a TLS error the credentials are read again for one more attempt.
 */
export function createTransport(loader: CredentialLoader, options: TransportOptions): Transport {
  const pool = new ConnectionPool({ connections: options.connections ?? 32, headersTimeoutMs: deadlineOf(options) });
  return new RetryingTransport(loader, options, (settings) => new HttpRoundTripper(pool, settings));
}

/** A transport over another round tripper, such as one to a server in this process. Default of `loader`: no credentials. */
export function createTransportWith(
  roundTripper: (options: RoundTripperOptions) => RoundTripper,
  options: TransportOptions,
  loader: CredentialLoader = { load: async () => NO_CREDENTIALS },
): Transport {
  return new RetryingTransport(loader, options, roundTripper);
}

const NO_CREDENTIALS: Credentials = { server: 'https://localhost', headers: {}, tls: { rejectUnauthorized: true } };

type Attempt<T> = (credentials: Credentials, deadline: Deadline) => Promise<T>;

/** A call with all its attempts. */
interface OngoingCall {
  readonly call: Call;
  readonly deadline: Deadline;
  /** The longest time that the call may take. */
  readonly ms: number;
  /** The credentials of the last attempt. */
  credentials?: Credentials;
  /** The error of the last attempt that has ended. */
  failure?: ApiError;
}

class RetryingTransport implements Transport {
  readonly #options: TransportOptions;
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #credentials: CachedCredentials;
  readonly #retryAfter: RetryAfter;
  readonly #buckets: Readonly<Record<Bucket, TokenBucket>>;
  readonly #roundTripper: RoundTripper;

  constructor(
    loader: CredentialLoader,
    options: TransportOptions,
    roundTripper: (options: RoundTripperOptions) => RoundTripper,
  ) {
    const { clock, limits } = options;
    const bucket = (name: Bucket): TokenBucket => new TokenBucket(clock, limits?.[name] ?? LIMITS[name]);
    this.#options = options;
    this.#clock = clock;
    this.#deadlineMs = deadlineOf(options);
    this.#credentials = new CachedCredentials(loader, clock, options.log);
    this.#retryAfter = new RetryAfter(clock);
    this.#buckets = {
      default: bucket('default'),
      events: bucket('events'),
      leases: bucket('leases'),
      reviews: bucket('reviews'),
    };
    this.#roundTripper = roundTripper({
      retryAfter: this.#retryAfter,
      clock,
      serverClock: options.serverClock,
      metrics: options.metrics,
      userAgent: options.userAgent,
      maxResponseBytes: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
      bodyTimeoutMs: this.#deadlineMs,
    });
  }

  call(call: Call): Promise<ApiResponse> {
    return this.#callWithRetries(call, (credentials, deadline) => this.#roundTripper.call(call, credentials, deadline));
  }

  open(call: Call): Promise<AsyncIterable<Uint8Array>> {
    return this.#callWithRetries(call, (credentials, deadline) => this.#roundTripper.open(call, credentials, deadline));
  }

  close(): Promise<void> {
    return this.#roundTripper.close();
  }

  /** Attempts the call until it succeeds, must not be retried, or reaches its deadline. */
  async #callWithRetries<T>(call: Call, attempt: Attempt<T>): Promise<T> {
    await this.#admit(call, call.signal);
    const ms = Math.min(call.deadlineMs ?? this.#deadlineMs, LONGEST_CALL_MS);
    const ongoing: OngoingCall = { call, ms, deadline: new Deadline(this.#clock, ms, call.signal) };
    try {
      return await this.#attemptUntilDone(ongoing, attempt);
    } catch (error) {
      throw asAttemptError(error, ongoing).failure;
    } finally {
      ongoing.deadline.close();
    }
  }

  async #attemptUntilDone<T>(ongoing: OngoingCall, attempt: Attempt<T>): Promise<T> {
    const { call, deadline } = ongoing;
    let refreshed = false;
    for (let attempts = 1; ;) {
      try {
        const credentials =
          this.#credentials.cached() ?? (await rejectOnAbort(this.#credentials.current(), deadline.signal));
        ongoing.credentials = credentials;
        return await attempt(credentials, deadline);
      } catch (error) {
        // The credentials cannot be used, as was found by reading them just now: a plugin might ask a person again.
        if (error instanceof CredentialsError) throw error;
        const failed = asAttemptError(error, ongoing);
        if (deadline.reason === undefined) ongoing.failure = failed.failure;
        const { rejectedCredentials } = failed;
        if (rejectedCredentials !== undefined && !refreshed) {
          refreshed = true;
          await rejectOnAbort(this.#credentials.refresh(rejectedCredentials), deadline.signal);
        } else await this.#waitForRetry(call, failed, attempts++, deadline);
      }
      await this.#admit(call, deadline.signal);
    }
  }

  /** Waits before the next attempt; throws the error when there must be none. */
  async #waitForRetry(call: Call, failed: AttemptError, attempts: number, deadline: Deadline): Promise<void> {
    const { failure, unsent } = failed;
    if (attempts >= (call.attempts ?? ATTEMPTS)) throw failed;
    const wait = waitBeforeRetry({ error: failure, attempt: attempts, unsent }, call.idempotent, this.#options.random);
    if (wait === undefined || wait >= deadline.remainingMs) throw failed;
    this.#options.log.debug({ call: describeCall(call.target), kind: failure.kind, waitMs: wait }, 'retrying a call');
    await delay(this.#clock, wait, deadline.signal);
  }

  /** Waits for the server's Retry-After and for the rate limit. */
  async #admit(call: Call, signal: AbortSignal | undefined): Promise<void> {
    const bucket = call.bucket ?? 'default';
    const retryAfterMs = (): number => this.#retryAfter.remainingMs(retryAfterKey(call));
    const started = this.#clock.monotonic();
    try {
      for (let left = retryAfterMs(); left > 0; left = retryAfterMs()) {
        if (left > this.#deadlineMs) throw retryAfterError(call, left);
        await delay(this.#clock, left, signal);
      }
      await this.#buckets[bucket].take(signal);
    } catch (error) {
      throw error instanceof ApiError ? error : aborted(call.target);
    }
    this.#options.metrics?.limited(bucket, (this.#clock.monotonic() - started) / 1000);
  }
}

function deadlineOf(options: TransportOptions): number {
  return Math.min(options.deadlineMs ?? LONGEST_CALL_MS, LONGEST_CALL_MS);
}

function asAttemptError(error: unknown, { call, deadline, ms, credentials, failure }: OngoingCall): AttemptError {
  if (error instanceof AttemptError && deadline.reason === undefined) return error;
  if (deadline.expired)
    return new AttemptError(lateError({ call: call.target, ms, credentials, previous: failure }), false);
  if (call.signal?.aborted === true) return new AttemptError(aborted(call.target), false);
  if (error instanceof ApiError) return new AttemptError(error, false);
  if (error instanceof CredentialsError) return new AttemptError(notSent(call.target, error.message), false);
  return new AttemptError(noResponse(call.target, connectionCode(error)), false);
}

function retryAfterError(call: Call, leftMs: number): ApiError {
  const wait = `retry after ${Math.ceil(leftMs / 1000)} s`;
  const more = { retryAfterMs: leftMs };
  return failedCall('Throttled', call.target, `not sent: the API server is overloaded (429); ${wait}`, more);
}
