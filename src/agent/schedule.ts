import type { Random, Clock, Timer } from '../runtime/clock.js';
import { asError } from '../runtime/errors.js';

/** When the agent sends what: values in, milliseconds out. */

/** The duration of a lease until the hub has named another one. */
export const DEFAULT_LEASE_SECONDS = 60;

/** One failure is no problem yet: an API server that restarts refuses for a moment. */
export const FAILURES_OF_A_PROBLEM = 2;
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 60_000;
const ROTATION_SHARE = 5;

/** The time from the start to the first renewal: random, so that agents that were started together do not renew together. */
export function firstRenewalMs(leaseMs: number, random: Random): number {
  return leaseMs * random();
}

/** The period, less a random part of a tenth at most, so that agents that were started together do not stay in step. */
export function jittered(periodMs: number, random: Random): number {
  return periodMs * (1 - 0.1 * random());
}

/** What bounds the wait before a request is sent again, in ms. */
interface RetryBounds {
  readonly leaseMs?: number;
  /** The server's Retry-After. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The time until a failed request is sent again, after `failures` (1, 2, …) in a row: random, below 2 s, 4 s, … 60 s, so that after
 * an outage of an hour 10,000 agents together send 333 requests a second. It is at least the server's Retry-After.
 * A shorter lease ends the increase earlier: the hub taints a cluster after four lease durations, and an agent that waited for
 * six of them would be tainted after a much shorter outage. That is twice as many requests as renewals, for any duration.
 */
export function retryMs(failures: number, random: Random, bounds: RetryBounds = {}): number {
  const { leaseMs = LONGEST_RETRY_MS, retryAfterMs = 0 } = bounds;
  const longest = Math.min(LONGEST_RETRY_MS, leaseMs);
  const limit = Math.min(longest, FIRST_RETRY_MS * 2 ** (Math.max(failures, 1) - 1));
  return Math.max(limit * random(), retryAfterMs);
}

/** The time from the request for a token to the request for the next one: a fifth of the lifetime that the hub has granted. */
export function rotationMs(lifetimeSeconds: number): number {
  return (lifetimeSeconds * 1000) / ROTATION_SHARE;
}

/** The time until an unchanged report is applied again: an hour, less up to a tenth. */
export function reapplyMs(random: Random): number {
  return jittered(3_600_000, random);
}

/** A delay that can be shortened while a caller waits for it. One wait at a time. */
export class ShortenableDelay {
  readonly #clock: Clock;
  #timer: Timer | undefined;
  /** Monotonic ms of the end of the current wait; undefined while no caller waits. */
  #due: number | undefined;
  #end: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after `ms`, or earlier as {@link shortenTo} says; rejects with the signal's reason. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (how: () => void): void => {
        this.#timer?.cancel();
        this.#due = undefined;
        signal.removeEventListener('abort', stop);
        how();
      };
      const stop = (): void => finish(() => reject(asError(signal.reason)));
      if (signal.aborted) {
        stop();
        return;
      }
      signal.addEventListener('abort', stop, { once: true });
      this.#end = () => finish(resolve);
      this.#arm(ms);
    });
  }

  /** Ends the current wait after `ms` unless it ends earlier. Does nothing while no caller waits. */
  shortenTo(ms: number): void {
    if (this.#due !== undefined && this.#clock.monotonic() + ms < this.#due) this.#arm(ms);
  }

  #arm(ms: number): void {
    this.#timer?.cancel();
    this.#due = this.#clock.monotonic() + ms;
    this.#timer = this.#clock.after(ms, () => this.#end());
  }
}
