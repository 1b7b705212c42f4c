import { getHeapStatistics } from 'node:v8';

import type { Clock } from '../../clock.js';

/** A reader that accepts nothing for this long is disconnected. */
const STUCK_MS = 60_000;
/** Interval of that check. */
const CHECK_MS = 15_000;
/** Limit of the bytes that wait for readers in the whole process. */
const MAX_UNSENT = 256 * 1024 * 1024;

/** Share of the heap that may be in use while readers wait: not all the memory that they retain is counted here. */
const MAX_HEAP = 0.7;
/** Share of the readers that is disconnected above it, and the time until their memory is collected. */
const DISCONNECT_SHARE = 0.25;
const RELIEF_MS = 1000;

/** Whether so much of the heap is in use that readers must be disconnected. */
function heapIsScarce(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * MAX_HEAP;
}

/** A reader with unsent data. */
export interface WaitingReader {
  /** Data retained for the reader; readers with the same buffer share it. */
  readonly bytes: Uint8Array;
  /** Bytes retained for this reader alone. */
  readonly own: number;
  /** Closes the connection. */
  readonly disconnect: () => void;
}

/**
 * Counts the data that the process retains for slow readers. A reader that accepts nothing for a minute is
 * disconnected. Where the total exceeds the limit, the readers with the largest product of size and waiting time are
 * disconnected; the same happens while heap is scarce for any reason, because lists that are not sent yet retain
 * objects too.
 */
export class Backlog {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #isHeapScarce: () => boolean;
  /** Start of each reader's wait. */
  readonly #waiting = new Map<WaitingReader, number>();
  /** Number of readers that wait with the same buffer. */
  readonly #shared = new Map<Uint8Array, number>();
  #bytes = 0;
  #checkScheduled = false;
  #relievedAt = -RELIEF_MS;

  constructor(clock: Clock, limit = MAX_UNSENT, scarce = heapIsScarce) {
    this.#clock = clock;
    this.#limit = limit;
    this.#isHeapScarce = scarce;
  }

  /** Bytes that are waiting now. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Counts a waiting reader until the returned function is called. Disconnects readers, this one included, where the
   * total exceeds the limit.
   */
  add(one: WaitingReader): () => void {
    const others = this.#shared.get(one.bytes) ?? 0;
    this.#shared.set(one.bytes, others + 1);
    this.#bytes += one.own + (others === 0 ? one.bytes.length : 0);
    this.#waiting.set(one, this.#clock.monotonic());
    this.#scheduleCheck();
    if (this.#bytes > this.#limit) this.#shrink();
    else this.#relieveHeap();
    return () => this.#remove(one);
  }

  #remove(one: WaitingReader): void {
    if (!this.#waiting.delete(one)) return;
    const others = (this.#shared.get(one.bytes) ?? 1) - 1;
    if (others === 0) this.#shared.delete(one.bytes);
    else this.#shared.set(one.bytes, others);
    this.#bytes -= one.own + (others === 0 ? one.bytes.length : 0);
  }

  #scheduleCheck(): void {
    if (this.#checkScheduled || this.#waiting.size === 0) return;
    this.#checkScheduled = true;
    this.#clock.after(CHECK_MS, () => this.#disconnectStuck());
  }

  #disconnectStuck(): void {
    const now = this.#clock.monotonic();
    for (const [one, since] of this.#waiting) if (now - since >= STUCK_MS) this.#disconnect(one);
    this.#checkScheduled = false;
    this.#scheduleCheck();
  }

  /** Shrinks to well below the limit, so that not every new reader triggers it. */
  #shrink(): void {
    for (const one of this.#byWeight()) {
      if (this.#bytes <= this.#limit * 0.75) return;
      this.#disconnect(one);
    }
  }

  #relieveHeap(): void {
    const now = this.#clock.monotonic();
    if (now - this.#relievedAt < RELIEF_MS || !this.#isHeapScarce()) return;
    this.#relievedAt = now;
    for (const one of this.#byWeight().slice(0, Math.ceil(this.#waiting.size * DISCONNECT_SHARE)))
      this.#disconnect(one);
  }

  /** Readers in descending order of size times waiting time. */
  #byWeight(): WaitingReader[] {
    const now = this.#clock.monotonic();
    const weights = [...this.#waiting].map(([one, since]) => ({
      one,
      since,
      weight: (one.own + one.bytes.length) * (now - since),
    }));
    return weights.sort((a, b) => b.weight - a.weight || a.since - b.since).map(({ one }) => one);
  }

  #disconnect(one: WaitingReader): void {
    this.#remove(one);
    one.disconnect();
  }
}
