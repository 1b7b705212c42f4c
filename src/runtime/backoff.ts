import type { Random } from './clock.js';

/** The delay before a retry, by the number of failures in a row. */
export interface BackoffOptions {
  /** Wait after the first failure, ms. */
  readonly baseMs: number;
  /** Longest wait, ms, jitter included. */
  readonly maxMs: number;
  /** Random share of the delay, 0..1: 0.2 takes off up to a fifth, so that keys that failed together are not retried together. */
  readonly jitter: number;
}

export const DEFAULT_BACKOFF: BackoffOptions = Object.freeze({ baseMs: 5, maxMs: 60_000, jitter: 0.2 });

/** Ms to wait after `failures` (1, 2, …) in a row: doubles from `baseMs` to `maxMs`, less a random share. */
export function backoffMs(failures: number, random: Random, options: BackoffOptions = DEFAULT_BACKOFF): number {
  const exponent = Math.max(failures, 1) - 1;
  const full = Math.min(options.baseMs * 2 ** exponent, options.maxMs);
  return full * (1 - options.jitter * random());
}
