/** How many Placements whose status turns in one settle window are explained in their events. */
const MOST_EXPLAINED = 10;

/**
 * Bounds the explanations in events: each costs the size of the candidate pool, and one change of the fleet can turn
 * thousands of Placements. The first ten of a settle window are explained.
 */
export class TurnWindow {
  readonly #windowMs: number;
  #began = -Infinity;
  #turns = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Counts a turn; whether it is explained. `requestedAt`: monotonic ms at which the change was seen, not when its turn came. */
  admits(requestedAt: number): boolean {
    if (requestedAt > this.#began + this.#windowMs) {
      this.#began = requestedAt;
      this.#turns = 0;
    }
    this.#turns += 1;
    return this.#turns <= MOST_EXPLAINED;
  }
}
