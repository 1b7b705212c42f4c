import type { KubeObject } from '../vocabulary/meta.js';
import { keyOf } from '../vocabulary/names.js';

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
