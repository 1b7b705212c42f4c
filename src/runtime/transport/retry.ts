import type { Random, Clock, Timer } from '../clock.js';
import { type ApiError, asError } from '../errors.js';

/** Upper limit for a Retry-After. */
export const LONGEST_RETRY_AFTER_MS = 60_000;

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;
const DEFAULT_THROTTLE_MS = 1_000;

interface FailedAttempt {
  readonly error: ApiError;
  /** 1 for the first. */
  readonly attempt: number;
  /** Certainly not received by the server: there was no connection. */
  readonly unsent: boolean;
}

/**
 * Ms to wait before the call is retried; undefined when it must not be.
 *
 * A call that was certainly not applied (no connection, 429) is always retried. One that may have been applied (reset, 5xx,
 * incomplete response) is retried only when it is idempotent.
 */
export function waitBeforeRetry(failed: FailedAttempt, idempotent: boolean, random: Random): number | undefined {
  const { error, attempt, unsent } = failed;
  const backoff = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS) * (0.5 + random());
  switch (error.kind) {
    case 'Throttled':
      return jittered(Math.max(error.retryAfterMs ?? DEFAULT_THROTTLE_MS, backoff), random);
    case 'Unavailable':
      return idempotent ? jittered(Math.max(error.retryAfterMs ?? 0, backoff), random) : undefined;
    case 'Malformed':
      return idempotent ? backoff : undefined;
    case 'Transport':
      return unsent || idempotent ? backoff : undefined;
    default:
      return undefined;
  }
}

/** Adds up to a tenth, so that many clients do not retry at the same time. */
function jittered(ms: number, random: Random): number {
  return ms + ms * 0.1 * random();
}

/**
 * Ms of a Retry-After header, at most {@link LONGEST_RETRY_AFTER_MS}; undefined when it is missing or invalid.
 * RFC 9110: whole seconds, or an HTTP date, which is compared with `now` (ms since the epoch).
 */
export function parseRetryAfter(header: string | readonly string[] | undefined, now: number): number | undefined {
  const value = (typeof header === 'string' ? header : header?.[0])?.trim();
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, LONGEST_RETRY_AFTER_MS);
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.min(Math.max(date - now, 0), LONGEST_RETRY_AFTER_MS);
}

const SWEEP_SIZE = 1_000;

/** The calls for which the server has sent a Retry-After, each with its end; other calls are not delayed. */
export class RetryAfter {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#until.size;
  }

  set(key: string, ms: number): void {
    if (this.#until.size >= SWEEP_SIZE) this.#sweep();
    const until = this.#clock.monotonic() + ms;
    this.#until.set(key, Math.max(until, this.#until.get(key) ?? 0));
  }

  /** Ms that `key` still has to wait; zero when it may be sent. */
  remainingMs(key: string): number {
    const until = this.#until.get(key);
    if (until === undefined) return 0;
    const remaining = until - this.#clock.monotonic();
    if (remaining > 0) return remaining;
    this.#until.delete(key);
    return 0;
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const [key, until] of this.#until) {
      if (until <= now) this.#until.delete(key);
    }
  }
}

export interface RateLimit {
  /** Calls a second on average. */
  readonly qps: number;
  /** Calls that may be sent at once after a pause. */
  readonly burst: number;
}

/** A token bucket on the monotonic clock; waiting calls are served in order. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  readonly #waiting = new Set<() => void>();
  #tokens: number;
  #filledAt: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock;
    this.#limit = limit;
    this.#tokens = limit.burst;
    this.#filledAt = clock.monotonic();
  }

  /** Resolves when the call may be sent; rejects with the signal's reason and takes no token then. */
  async take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#fill();
    if (this.#waiting.size === 0 && this.#tokens >= 1) {
      this.#tokens -= 1;
      return;
    }
    await this.#queue(signal);
  }

  #queue(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(send);
        if (this.#waiting.size === 0) this.#disarm();
        reject(asError(signal?.reason));
      };
      const send = (): void => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      this.#waiting.add(send);
      signal?.addEventListener('abort', stop, { once: true });
      this.#arm();
    });
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    const gained = ((now - this.#filledAt) / 1000) * this.#limit.qps;
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + gained);
    this.#filledAt = now;
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0) return;
    const wait = Math.ceil((Math.max(0, 1 - this.#tokens) / this.#limit.qps) * 1000);
    this.#timer = this.#clock.after(wait, () => this.#serve());
  }

  #serve(): void {
    this.#timer = undefined;
    this.#fill();
    for (const send of this.#waiting) {
      if (this.#tokens < 1) break;
      this.#tokens -= 1;
      this.#waiting.delete(send);
      send();
    }
    this.#arm();
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
