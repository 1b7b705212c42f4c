import type { KubeObject } from '@multicluster-engine/values/object';
import type { Entry } from '../store.js';

/**
 * One state of one object. Its JSON lives as long as the entry; the parsed form is cached for a while, and shared by
 * all readers that still hold it, so that many slow readers of a list do not hold many copies.
 */
export class StoredEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly bytes: Buffer;
  readonly #cache: ParsedCache;
  #parsed: KubeObject | undefined;
  #dropped: WeakRef<KubeObject> | undefined;

  constructor(key: string, revision: number, bytes: Buffer, cache: ParsedCache) {
    this.key = key;
    this.revision = revision;
    this.bytes = bytes;
    this.#cache = cache;
  }

  /** The entry of an object that is parsed already. */
  static of(key: string, revision: number, object: KubeObject, cache: ParsedCache): StoredEntry {
    const entry = new StoredEntry(key, revision, encode(object), cache);
    entry.#parsed = cache.prepare(object);
    cache.keep(entry);
    return entry;
  }

  get object(): KubeObject {
    this.#parsed ??=
      this.#dropped?.deref() ?? this.#cache.prepare(JSON.parse(this.bytes.toString('utf8')) as KubeObject);
    this.#cache.keep(this);
    return this.#parsed;
  }

  /** Drops the parsed form from the cache; readers that hold it keep it. */
  forget(): void {
    if (this.#parsed !== undefined) this.#dropped = new WeakRef(this.#parsed);
    this.#parsed = undefined;
  }
}

/**
 * Bounds the parsed objects in memory: it keeps those used in the current or the previous generation, and a new
 * generation begins when the JSON size of the current one exceeds the limit. Cheaper than an exact LRU list, because
 * most reads update nothing.
 */
export class ParsedCache {
  readonly #limit: number;
  readonly #frozen: boolean;
  #young = new Set<StoredEntry>();
  #old = new Set<StoredEntry>();
  #bytes = 0;

  /**
   * @param limit JSON bytes of one generation
   * @param frozen deep-freezes objects, so that a change in place throws
   */
  constructor(limit: number, frozen: boolean) {
    this.#limit = limit;
    this.#frozen = frozen;
  }

  prepare(object: KubeObject): KubeObject {
    if (this.#frozen) freeze(object);
    return object;
  }

  keep(entry: StoredEntry): void {
    if (this.#young.has(entry)) return;
    this.#young.add(entry);
    this.#bytes += entry.bytes.length;
    if (this.#bytes > this.#limit) this.#nextGeneration();
  }

  #nextGeneration(): void {
    for (const entry of this.#old) if (!this.#young.has(entry)) entry.forget();
    this.#old = this.#young;
    this.#young = new Set();
    this.#bytes = 0;
  }
}

/** Not from Node's buffer pool: a long-lived entry would keep a whole pool slab. */
function encode(object: KubeObject): Buffer {
  const text = JSON.stringify(object);
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text, 'utf8');
  return bytes;
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const child of Object.values(value)) freeze(child);
}
