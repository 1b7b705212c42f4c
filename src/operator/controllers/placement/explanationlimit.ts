import type { Clock } from '../../../runtime/clock.js';

/** How many Placements whose status changes in one window are explained in their events. */
const MOST_EXPLAINED = 10;
/** A window is longer by this many times the time that its explanations took: they take a tenth of the time at most. */
const REST = 9;

/**
 * Bounds the explanations in events: each costs the size of the candidate pool, and one change of the fleet can change the
 * status of thousands of Placements. The first ten of a settle window are explained.
 */
export class ExplanationLimit {
  readonly #clock: Clock;
  readonly #windowMs: number;
  #endsAt = -Infinity;
  #wanted = 0;

  constructor(clock: Clock, windowMs: number) {
    this.#clock = clock;
    this.#windowMs = windowMs;
  }

  /**
   * Returns what `make` returns; undefined for an explanation that is one too many. `requestedAt`: monotonic ms at which the
   * change was seen, not when its pass began.
   */
  explain<T>(requestedAt: number, make: () => T): T | undefined {
    if (requestedAt > this.#endsAt) {
      this.#endsAt = requestedAt + this.#windowMs;
      this.#wanted = 0;
    }
    this.#wanted += 1;
    if (this.#wanted > MOST_EXPLAINED) return undefined;
    const began = this.#clock.monotonic();
    const made = make();
    this.#endsAt += REST * (this.#clock.monotonic() - began);
    return made;
  }
}
