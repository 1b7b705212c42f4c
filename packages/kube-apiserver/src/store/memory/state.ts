import type { Clock } from '../../clock.js';
import { Collection } from './collection.js';
import { ParsedCache } from './entry.js';
import type { HistoryLimits } from './history.js';
import type { Change, Entry } from '../store.js';

export interface Limits {
  /** Limits of each collection's history. */
  readonly history: HistoryLimits;
  /** JSON bytes of the parsed objects in each of two generations. */
  readonly parsed: number;
}

export const LIMITS: Limits = { history: { bytes: 16 * 1024 * 1024, age: 5 * 60_000 }, parsed: 16 * 1024 * 1024 };

/** Revision of an empty store. */
export const FIRST_REVISION = 1;
const PRUNE_EVERY_MS = 30_000;
/** Approximate size of a record beside its object. */
const RECORD_BYTES = 120;

/** The durable state: the collections and the newest revision. */
export class State {
  readonly cache: ParsedCache;
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #collections = new Map<string, Collection>();
  #revision: number;
  /** The history of a collection that has not changed since is complete from here. */
  #floor: number;
  #pruned: number;

  /** @param revision of the state that is about to be filled in; older states are not available */
  constructor(clock: Clock, limits: Limits, revision: number, frozen = false) {
    this.cache = new ParsedCache(limits.parsed, frozen);
    this.#limits = limits;
    this.#clock = clock;
    this.#revision = revision;
    this.#floor = revision;
    this.#pruned = clock.now();
  }

  get revision(): number {
    return this.#revision;
  }

  /** Approximate size of a snapshot in bytes. */
  get size(): number {
    let size = 0;
    for (const { bytes, index } of this.#collections.values()) size += bytes + index.size * RECORD_BYTES;
    return size;
  }

  /** Names of the collections that are not empty, sorted. */
  names(): string[] {
    return [...this.#collections.values()]
      .filter((one) => one.index.size > 0)
      .map((one) => one.name)
      .sort();
  }

  find(name: string): Collection | undefined {
    return this.#collections.get(name);
  }

  /** The collection of a name; created where it is missing. */
  collection(name: string): Collection {
    const found = this.#collections.get(name);
    if (found !== undefined) return found;
    const made = new Collection(name, this.#limits.history, this.#floor);
    this.#collections.set(name, made);
    return made;
  }

  /** Adds an object of a snapshot. */
  load(name: string, entry: Entry): void {
    const collection = this.collection(name);
    collection.bytes += entry.bytes.length;
    collection.index.set(entry);
  }

  /**
   * Applies a durable change; its revision becomes the newest.
   * @param time ms since the epoch
   */
  apply(collection: Collection, change: Change, time: number): void {
    collection.apply(change, time);
    this.#revision = change.revision;
    const now = this.#clock.now();
    if (Math.abs(now - this.#pruned) < PRUNE_EVERY_MS) return;
    this.#pruned = now;
    for (const one of this.#collections.values()) one.history.prune(now);
  }

  compact(): void {
    this.#floor = this.#revision;
    for (const one of this.#collections.values()) one.history.clear(this.#revision);
  }
}
