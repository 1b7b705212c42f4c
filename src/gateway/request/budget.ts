import type { Clock } from '../../runtime/clock.js';

interface BudgetOptions {
  /** Bytes in all. */
  readonly limit: number;
  /** Bytes of each reservation that are not counted, so that large ones never keep a small one out. */
  readonly uncounted: number;
  readonly clock: Clock;
}

/** The bytes that one body holds. */
export interface Reservation {
  /**
   * Grows the reservation to `total` bytes; false, and unchanged, when the budget is exhausted. `onEvicted`, of a body
   * that is still arriving: called when its bytes were given to another reservation.
   */
  readonly grow: (total: number, onEvicted?: () => void) => boolean;
  /** From now on the reservation is not evicted: all of its bytes have arrived. */
  readonly complete: () => void;
  readonly release: () => void;
}

interface Entry {
  counted: number;
  grownAt: number;
  onEvicted: (() => void) | undefined;
}

/** A reservation that has not grown for this long gives its bytes up when others need them, ms. */
const STALLED_MS = 1_000;

/** Limits the bytes that all bodies hold at a time, so that many large ones cannot exhaust the memory. */
export class Budget {
  readonly #options: BudgetOptions;
  /** The reservations that are still growing; the one that has not grown for the longest time comes first. */
  readonly #growing = new Set<Entry>();
  #reserved = 0;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** Bytes that are reserved now. */
  get reserved(): number {
    return this.#reserved;
  }

  /** A new reservation of zero bytes. */
  reserve(): Reservation {
    const entry: Entry = { counted: 0, grownAt: this.#options.clock.monotonic(), onEvicted: undefined };
    return {
      grow: (total, onEvicted) => this.#grow(entry, total, onEvicted),
      complete: () => void this.#growing.delete(entry),
      release: () => this.#remove(entry),
    };
  }

  #grow(entry: Entry, total: number, onEvicted: (() => void) | undefined): boolean {
    const { limit, uncounted, clock } = this.#options;
    const wanted = Math.max(total - uncounted, entry.counted);
    const added = wanted - entry.counted;
    if (added > 0 && !this.#makeRoom(added, entry)) return false;
    if (this.#reserved + added > limit) return false;
    this.#reserved += added;
    entry.counted = wanted;
    entry.grownAt = clock.monotonic();
    entry.onEvicted = onEvicted;
    this.#growing.delete(entry);
    if (onEvicted !== undefined) this.#growing.add(entry);
    return true;
  }

  /** Evicts stalled reservations, the longest stalled first, until `added` bytes fit. */
  #makeRoom(added: number, grower: Entry): boolean {
    const { limit, clock } = this.#options;
    const before = clock.monotonic() - STALLED_MS;
    for (const entry of this.#growing) {
      if (this.#reserved + added <= limit || entry.grownAt > before) break;
      if (entry === grower) continue;
      this.#remove(entry);
      entry.onEvicted?.();
    }
    return this.#reserved + added <= limit;
  }

  #remove(entry: Entry): void {
    this.#growing.delete(entry);
    this.#reserved -= entry.counted;
    entry.counted = 0;
  }
}
