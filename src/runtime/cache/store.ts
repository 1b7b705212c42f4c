import { type KubeObject, isNotNewer, isOlder } from '../vocabulary/meta.js';
import { keyOf } from '../vocabulary/names.js';
import type { Clock } from '../clock.js';
import { ApiError, type FailedCall } from '../errors.js';

/** One change of a cached object. No `before`: created; no `after`: deleted; different uids: deleted and created again. */
export interface Change<T extends KubeObject> {
  readonly key: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** The objects of a reflector by key, with indexes. Objects are frozen and shared. */
export interface Store<T extends KubeObject> {
  readonly size: number;
  get(key: string): T | undefined;
  /** The keys of all objects, in no defined order. */
  keys(): Iterable<string>;
  /** All objects, in no defined order. */
  values(): Iterable<T>;
  /** The objects for which `indexers[index]` returned `value`, sorted by key. */
  byIndex(index: string, value: string): readonly T[];
}

/** The values under which an object is found. Pure. */
type Indexer<T extends KubeObject> = (object: T) => readonly string[];

/** By the name of the index. */
export type Indexers<T extends KubeObject> = Readonly<Record<string, Indexer<T>>>;

interface IndexEntry<T> {
  readonly keys: Set<string>;
  /** The result of `byIndex`; undefined after a change of `keys`. */
  sorted: readonly T[] | undefined;
}

interface Index<T extends KubeObject> {
  readonly indexer: Indexer<T>;
  /** By value. */
  readonly entries: Map<string, IndexEntry<T>>;
}

/** The store that a reflector writes. */
export class ObjectStore<T extends KubeObject> implements Store<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes: ReadonlyMap<string, Index<T>>;
  readonly #onIndexerFailed: (key: string, error: unknown) => void;

  /** `onIndexerFailed`: an indexer threw on an object; the object is stored and not found by that index. */
  constructor(indexers: Indexers<T>, onIndexerFailed: (key: string, error: unknown) => void) {
    this.#onIndexerFailed = onIndexerFailed;
    this.#indexes = new Map(
      Object.entries(indexers).map(([name, indexer]) => [name, { indexer, entries: new Map() }] as const),
    );
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  values(): Iterable<T> {
    return this.#objects.values();
  }

  byIndex(index: string, value: string): readonly T[] {
    const found = this.#indexes.get(index);
    if (found === undefined) throw new RangeError(`index: "${index}": this store has no such index`);
    const entry = found.entries.get(value);
    if (entry === undefined) return [];
    entry.sorted ??= this.#sorted(entry.keys);
    return entry.sorted;
  }

  /** Adds `object`, or replaces the one with its key. */
  set(object: T): Change<T> {
    const key = keyOf(object.metadata);
    const before = this.#objects.get(key);
    if (before !== undefined) this.#removeFromIndexes(key, before);
    this.#objects.set(key, object);
    this.#addToIndexes(key, object);
    return { key, before, after: object };
  }

  /** Removes the object with `key`; undefined when there is none. */
  remove(key: string): Change<T> | undefined {
    const before = this.#objects.get(key);
    if (before === undefined) return undefined;
    this.#removeFromIndexes(key, before);
    this.#objects.delete(key);
    return { key, before, after: undefined };
  }

  /**
   * Replaces the whole content, change by change as the result is iterated: to the end, or the content is a mixture. An object
   * with unchanged uid and resourceVersion keeps its identity.
   */
  *replace(objects: ReadonlyMap<string, T>): Generator<Change<T>, void, undefined> {
    for (const key of this.#objects.keys()) {
      const change = objects.has(key) ? undefined : this.remove(key);
      if (change !== undefined) yield change;
    }
    for (const [key, object] of objects) {
      const stored = this.#objects.get(key);
      if (stored === undefined || !isSame(stored, object)) yield this.set(object);
    }
  }

  #addToIndexes(key: string, object: T): void {
    for (const { indexer, entries } of this.#indexes.values()) {
      for (const value of this.#valuesOf(indexer, key, object)) {
        const entry = entries.get(value);
        if (entry === undefined) {
          entries.set(value, { keys: new Set([key]), sorted: undefined });
          continue;
        }
        entry.keys.add(key);
        entry.sorted = undefined;
      }
    }
  }

  #removeFromIndexes(key: string, object: T): void {
    for (const { indexer, entries } of this.#indexes.values()) {
      for (const value of this.#valuesOf(indexer, key, object)) {
        const entry = entries.get(value);
        if (entry === undefined) continue;
        entry.keys.delete(key);
        entry.sorted = undefined;
        if (entry.keys.size === 0) entries.delete(value);
      }
    }
  }

  /** Indexers are pure, so an object is removed from the indexes under the values it was added with. */
  #valuesOf(indexer: Indexer<T>, key: string, object: T): readonly string[] {
    try {
      return indexer(object);
    } catch (error) {
      this.#onIndexerFailed(key, error);
      return [];
    }
  }

  #sorted(keys: ReadonlySet<string>): readonly T[] {
    const objects: T[] = [];
    for (const key of [...keys].sort()) {
      const object = this.#objects.get(key);
      if (object !== undefined) objects.push(object);
    }
    return Object.freeze(objects);
  }
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  const { uid, resourceVersion } = a.metadata;
  if (uid === undefined || resourceVersion === undefined) return false;
  return uid === b.metadata.uid && resourceVersion === b.metadata.resourceVersion;
}

/** An older list may come from a replica that lags; when it stays older for this long, the server was restored from a backup. */
const BACKUP_AFTER_MS = 30_000;
/** The collection is listed again after this long, in case an event was lost unnoticed. */
const RELIST_MS = 3_600_000;

/** Which resourceVersion a reflector has observed, and whether the next request is a list or a watch. */
export class ResourceVersionTracker {
  readonly #clock: Clock;
  #watchFrom: string | undefined;
  /** The newest resourceVersion that was accepted. */
  #newest = '';
  #behindSince: number | undefined;
  #listedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The resourceVersion from which the next watch starts; undefined when a list has to come first. */
  get watchFrom(): string | undefined {
    return this.#watchFrom;
  }

  /** Makes the next request a list. */
  requireList(): void {
    this.#watchFrom = undefined;
  }

  /** Whether the last list is an hour old. */
  get relistDue(): boolean {
    return this.#clock.monotonic() - this.#listedAt >= RELIST_MS;
  }

  /**
   * Whether a list of this resourceVersion may replace the store. One that is older than an accepted one may not, unless
   * the server has returned older ones for 30 s.
   */
  accepts(resourceVersion: string): boolean {
    if (!this.isBehind(resourceVersion)) {
      this.#behindSince = undefined;
      return true;
    }
    const now = this.#clock.monotonic();
    this.#behindSince ??= now;
    return now - this.#behindSince >= BACKUP_AFTER_MS;
  }

  /** Whether this resourceVersion is older than one that was accepted. */
  isBehind(resourceVersion: string): boolean {
    return this.#newest !== '' && isOlder(resourceVersion, this.#newest);
  }

  /** Records a list that was stored: the next watch starts from it. */
  listed(resourceVersion: string): void {
    this.#watchFrom = resourceVersion;
    this.#newest = resourceVersion;
    this.#behindSince = undefined;
    this.#listedAt = this.#clock.monotonic();
  }

  /** Records the resourceVersion of an event or bookmark; false when it is not newer than the last: a replay. */
  advance(resourceVersion: string): boolean {
    if (this.#watchFrom !== undefined && isNotNewer(resourceVersion, this.#watchFrom)) return false;
    this.#watchFrom = resourceVersion;
    this.#newest = resourceVersion;
    return true;
  }
}

/** The error for a list that is not accepted. */
export function olderListError(resourceVersion: string, call: FailedCall): ApiError {
  const message = `list ${call.resource}: resourceVersion ${resourceVersion} is older than one observed before: the replica lags, or the server was restored from a backup`;
  return new ApiError({ kind: 'Unavailable', message, call });
}
