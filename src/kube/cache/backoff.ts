import type { Random } from '../../runtime/clock.js';

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** A round that lived this long was a good one. */
const HEALTHY_MS = 60_000;

/**
 * How soon a watch may be opened, or a list read, again: at once after a good round that ended as planned, else after a
 * second, doubling to 30 s while nothing is gained, and up to half as much again by chance.
 */
export class Backoff {
  readonly #random: Random;
  #failures = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Rounds in a row that gained nothing. */
  get failures(): number {
    return this.#failures;
  }

  /** Something was gained: the next failure is the first again. */
  reset(): void {
    this.#failures = 0;
  }

  /** Ms to wait after a round that lived `livedMs`; `planned`: it ended as agreed with the server. Never less than `atLeastMs`. */
  next(round: { readonly livedMs: number; readonly planned: boolean; readonly atLeastMs: number }): number {
    if (round.livedMs >= HEALTHY_MS) this.#failures = 0;
    if (round.planned && round.livedMs >= HEALTHY_MS) return round.atLeastMs;
    const wait = Math.min(FIRST_MS * 2 ** this.#failures, LONGEST_MS);
    this.#failures += 1;
    return Math.max(wait * (1 + this.#random() / 2), round.atLeastMs);
  }
}
