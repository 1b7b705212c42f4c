import { Compacted, type Change, type Entry } from '../store.js';

export interface HistoryLimits {
  /** JSON bytes of one collection. */
  readonly bytes: number;
  /** Ms for which a change is kept, within the limit of bytes. */
  readonly age: number;
}

/** Approximate memory of a change beside its JSON. */
const OVERHEAD = 300;

/** The recent changes of one collection, in order. Old ones are dropped when a new one arrives. */
export class History {
  readonly #limits: HistoryLimits;
  #changes: Change[] = [];
  #times: number[] = [];
  #head = 0;
  #bytes = 0;
  #floor: number;

  /** @param floor revision before which no history is available */
  constructor(limits: HistoryLimits, floor: number) {
    this.#limits = limits;
    this.#floor = floor;
  }

  /** All changes above this revision are available. */
  get floor(): number {
    return this.#floor;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @param time when the change was made, ms since the epoch. */
  append(change: Change, time: number): void {
    this.#changes.push(change);
    this.#times.push(time);
    this.#bytes += cost(change);
    this.prune(time);
  }

  /** Drops changes beyond the limits. */
  prune(now: number): void {
    const oldest = now - this.#limits.age;
    while (
      this.#head < this.#changes.length &&
      (this.#bytes > this.#limits.bytes || (this.#times[this.#head] ?? now) < oldest)
    )
      this.#drop();
    if (this.#head < 64 || this.#head * 2 < this.#changes.length) return;
    this.#changes = this.#changes.slice(this.#head);
    this.#times = this.#times.slice(this.#head);
    this.#head = 0;
  }

  /** Drops all changes up to a revision, which must not be below any change. */
  clear(revision: number): void {
    this.#changes = [];
    this.#times = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#floor = revision;
  }

  /** The changes above a revision. Throws {@link Compacted}. */
  after(revision: number): readonly Change[] {
    if (revision < this.#floor) throw new Compacted(revision, this.#floor);
    return this.#changes.slice(this.#indexAfter(revision));
  }

  /** The state at a revision of each key that changed since; undefined where it did not exist. */
  undo(revision: number): ReadonlyMap<string, Entry | undefined> {
    const states = new Map<string, Entry | undefined>();
    for (const change of this.after(revision)) {
      if (!states.has(change.entry.key)) states.set(change.entry.key, change.previous);
    }
    return states;
  }

  #drop(): void {
    const change = this.#changes[this.#head];
    if (change === undefined) return;
    this.#bytes -= cost(change);
    this.#floor = change.revision;
    this.#head += 1;
  }

  #indexAfter(revision: number): number {
    let low = this.#head;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.revision ?? Infinity) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function cost(change: Change): number {
  return change.entry.bytes.length + OVERHEAD;
}
