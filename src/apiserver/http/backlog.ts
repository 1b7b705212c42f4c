import type { Clock } from '../../runtime/clock.js';

/** A reader that takes nothing for this long is cut off. */
const STUCK_MS = 60_000;
/** How often that is looked at. */
const LOOK_MS = 15_000;
/** Bytes that may wait for readers in the whole process. */
export const MOST_UNSENT = 256 * 1024 * 1024;

/** Somebody who has not taken yet what is to be sent. */
export interface Waiting {
  /** What is kept for the reader; readers that wait with the same bytes hold them together. */
  readonly bytes: Uint8Array;
  /** Bytes that are kept for this reader alone. */
  readonly own: number;
  /** Ends the connection. */
  readonly cut: () => void;
}

/**
 * Counts what the process keeps for readers that do not take it. Whoever takes nothing for a minute is cut off; where
 * all of it together is more than the limit, those are that have made the most wait for the longest time.
 */
export class Backlog {
  readonly #clock: Clock;
  readonly #limit: number;
  /** Since when each waits. */
  readonly #waiting = new Map<Waiting, number>();
  /** How many wait with the same bytes. */
  readonly #shared = new Map<Uint8Array, number>();
  #bytes = 0;
  #looking = false;

  constructor(clock: Clock, limit = MOST_UNSENT) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Bytes that wait now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a reader that waits, until the function that comes back is called. It is cut off, if not others, if it is too much. */
  add(one: Waiting): () => void {
    const others = this.#shared.get(one.bytes) ?? 0;
    this.#shared.set(one.bytes, others + 1);
    this.#bytes += one.own + (others === 0 ? one.bytes.length : 0);
    this.#waiting.set(one, this.#clock.monotonic());
    this.#look();
    if (this.#bytes > this.#limit) this.#shrink();
    return () => this.#remove(one);
  }

  #remove(one: Waiting): void {
    if (!this.#waiting.delete(one)) return;
    const others = (this.#shared.get(one.bytes) ?? 1) - 1;
    if (others === 0) this.#shared.delete(one.bytes);
    else this.#shared.set(one.bytes, others);
    this.#bytes -= one.own + (others === 0 ? one.bytes.length : 0);
  }

  #look(): void {
    if (this.#looking || this.#waiting.size === 0) return;
    this.#looking = true;
    this.#clock.after(LOOK_MS, () => this.#cutStuck());
  }

  #cutStuck(): void {
    const now = this.#clock.monotonic();
    for (const [one, since] of this.#waiting) if (now - since >= STUCK_MS) this.#cut(one);
    this.#looking = false;
    this.#look();
  }

  /** To well below the limit, so that it is not done for every reader that comes. */
  #shrink(): void {
    const now = this.#clock.monotonic();
    const weights = [...this.#waiting].map(([one, since]) => ({ one, since, weight: (one.own + one.bytes.length) * (now - since) }));
    weights.sort((a, b) => b.weight - a.weight || a.since - b.since);
    for (const { one } of weights) {
      if (this.#bytes <= this.#limit * 0.75) return;
      this.#cut(one);
    }
  }

  #cut(one: Waiting): void {
    this.#remove(one);
    one.cut();
  }
}
