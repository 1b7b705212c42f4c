import type { Random } from '../clock.js';
import { withoutLocalTime } from '../connection/certificatetext.js';
import { ApiError } from '../errors.js';
import type { Logger } from '../logger.js';

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** A watch that lasted this long resets the backoff. */
const HEALTHY_MS = 60_000;

/**
 * The delay before the next list or watch: none after a watch of a minute or more that ended on its timeout, else one
 * second, doubling to 30 s while nothing is received, plus a random share of up to one half.
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

  /** Ms to wait after a round of `durationMs`; `endedOnTimeout`: its watch did. Never less than `atLeastMs`. */
  next(round: { readonly durationMs: number; readonly endedOnTimeout: boolean; readonly atLeastMs: number }): number {
    if (round.durationMs >= HEALTHY_MS) this.#failures = 0;
    if (round.endedOnTimeout && round.durationMs >= HEALTHY_MS) return round.atLeastMs;
    const wait = Math.min(FIRST_MS * 2 ** this.#failures, LONGEST_MS);
    this.#failures += 1;
    return Math.max(wait * (1 + this.#random() / 2), round.atLeastMs);
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
    const cause = withoutLocalTime(failure.error);
    const level = cause === this.#last ? 'debug' : 'info';
    this.#last = cause;
    this.#log[level](failure, 'list or watch failed, retrying');
  }
}

/** As metrics and logs name it. */
export function failureKind(failure: Error): string {
  return failure instanceof ApiError ? failure.kind : 'unexpected';
}
