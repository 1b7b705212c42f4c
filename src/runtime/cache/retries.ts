import { backoffMs, type BackoffOptions } from '../backoff.js';
import type { Random } from '../clock.js';
import { ApiError } from '../errors.js';
import type { Logger } from '../logger.js';

/** From 1 to 1.5 s after the first failure, up to 30 to 45 s. */
const BACKOFF: BackoffOptions = { baseMs: 1_500, maxMs: 45_000, jitter: 1 / 3 };
/** A watch that lasted this long resets the backoff. */
const HEALTHY_MS = 60_000;

/**
 * The delay before the next list or watch: none after a watch of a minute or more that ended on its timeout, else one that
 * doubles while nothing is received.
 */
export class Backoff {
  readonly #random: Random;
  #failures = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Rounds in a row in which nothing was received. */
  get failures(): number {
    return this.#failures;
  }

  /** Something was received: the next failure counts as the first. */
  reset(): void {
    this.#failures = 0;
  }

  /** Ms to wait after a round of `durationMs`; `planned`: the watch ended on its timeout. Never less than `atLeastMs`. */
  next(round: { readonly durationMs: number; readonly planned: boolean; readonly atLeastMs: number }): number {
    if (round.durationMs >= HEALTHY_MS) this.#failures = 0;
    if (round.planned && round.durationMs >= HEALTHY_MS) return round.atLeastMs;
    this.#failures += 1;
    return Math.max(backoffMs(this.#failures, this.#random, BACKOFF), round.atLeastMs);
  }
}

/** What is logged of a failed list or watch. */
interface LoggedFailure {
  readonly resource: string;
  readonly kind: string;
  readonly error: string;
  /** Whether the whole collection has to be listed. */
  readonly listing: boolean;
}

/** The log of the failures of one cache: each cause once, and again after something was received. */
export class FailureLog {
  readonly #log: Logger;
  #last = '';

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Something was received. */
  received(): void {
    this.#last = '';
  }

  failed(failure: LoggedFailure): void {
    const level = failure.error === this.#last ? 'debug' : 'info';
    this.#last = failure.error;
    this.#log[level](failure, 'list or watch failed, retrying');
  }
}

/** As metrics and logs name it. */
export function failureKind(failure: Error): string {
  return failure instanceof ApiError ? failure.kind : 'unexpected';
}
