import { getHeapStatistics } from 'node:v8';

import type { Clock } from '../clock.js';

/** A reader that takes nothing for this long is cut off. */
const STUCK_MS = 60_000;
/** How often that is looked at. */
const LOOK_MS = 15_000;
/** Bytes that may wait for readers in the whole process. */
export const MOST_UNSENT = 256 * 1024 * 1024;

/** Share of the heap that may be in use while readers wait: what they hold is not all counted here. */
const MOST_HEAP = 0.7;
/** Readers that are cut off when more is in use, and how long what they held may take to be collected. */
const CUT_SHARE = 0.25;
const RELIEF_MS = 1000;

/** Whether so much of the heap is in use that readers have to go. */
export function heapIsScarce(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * MOST_HEAP;
}

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
 * all of it together is more than the limit, those are that have made the most wait for the longest time; so they are
 * while memory is scarce for whatever reason, as a list that is not sent yet keeps objects too.
 */
export class Backlog {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #scarce: () => boolean;
  /** Since when each waits. */
  readonly #waiting = new Map<Waiting, number>();
  /** How many wait with the same bytes. */
  readonly #shared = new Map<Uint8Array, number>();
  #bytes = 0;
  #looking = false;
  #relieved = -RELIEF_MS;

  constructor(clock: Clock, limit = MOST_UNSENT, scarce = heapIsScarce) {
    this.#clock = clock;
    this.#limit = limit;
    this.#scarce = scarce;
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
    else this.#relieve();
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
    for (const one of this.#heaviest()) {
      if (this.#bytes <= this.#limit * 0.75) return;
      this.#cut(one);
    }
  }

  #relieve(): void {
    const now = this.#clock.monotonic();
    if (now - this.#relieved < RELIEF_MS || !this.#scarce()) return;
    this.#relieved = now;
    for (const one of this.#heaviest().slice(0, Math.ceil(this.#waiting.size * CUT_SHARE))) this.#cut(one);
  }

  /** Who has made the most wait for the longest time comes first. */
  #heaviest(): Waiting[] {
    const now = this.#clock.monotonic();
    const weights = [...this.#waiting].map(([one, since]) => ({
      one,
      since,
      weight: (one.own + one.bytes.length) * (now - since),
    }));
    return weights.sort((a, b) => b.weight - a.weight || a.since - b.since).map(({ one }) => one);
  }

  #cut(one: Waiting): void {
    this.#remove(one);
    one.cut();
  }
}
