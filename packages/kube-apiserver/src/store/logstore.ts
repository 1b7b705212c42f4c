import type { Clock } from '../clock.js';
import type { KubeObject } from '@multicluster-engine/values/object';
import { StatusError, internalError, unavailable } from '../status.js';
import { StoredEntry } from './memory/entry.js';
import { NoSpace, type Journal, type Written } from './log/journal.js';
import type { State } from './memory/state.js';
import type { Change, Entry, Store, Subscription } from './store.js';

interface Accepted extends Written {
  readonly entry: StoredEntry;
  readonly resolve: (entry: Entry) => void;
  readonly reject: (error: StatusError) => void;
}

interface Waiting {
  readonly revision: number;
  readonly resolve: () => void;
  readonly reject: (error: StatusError) => void;
}

export interface LogStoreOptions {
  readonly clock: Clock;
  /** Called where the journal fails and the content of the disk is unknown: the process has to end. */
  readonly onFatal: (error: unknown) => void;
  /** Called when writes begin to be refused for want of space, and when they are accepted again. */
  readonly warn: (text: string) => void;
}

/** Maximum size of one batch. */
const BATCH_RECORDS = 512;
const BATCH_BYTES = 4 * 1024 * 1024;
/** etcd's limit of a request, and so the size limit of objects. */
const LARGEST_OBJECT = 1536 * 1024;
const NOT_STORED = unavailable('the change was not stored');

/** The state in memory, and a single writer that makes batches of changes durable before readers see them. */
export class LogStore implements Store {
  readonly #state: State;
  readonly #journal: Journal;
  readonly #options: LogStoreOptions;
  readonly #queue: Accepted[] = [];
  #waiting: Waiting[] = [];
  /** The newest allocated revision. */
  #allocated: number;
  #writer: Promise<void> | undefined;
  #refusal: StatusError | undefined;
  #full = false;

  constructor(state: State, journal: Journal, options: LogStoreOptions) {
    this.#state = state;
    this.#journal = journal;
    this.#options = options;
    this.#allocated = state.revision;
  }

  get revision(): number {
    return this.#state.revision;
  }

  get(collection: string, key: string): Entry | undefined {
    return this.#state.find(collection)?.index.get(key);
  }

  newest(collection: string, key: string): Entry | undefined {
    const found = this.#state.find(collection);
    if (found === undefined) return undefined;
    const pending = found.pending.get(key);
    return pending === undefined ? found.index.get(key) : pending.entry;
  }

  list(collection: string, prefix: string): readonly Entry[] {
    return this.#state.find(collection)?.index.list(prefix) ?? [];
  }

  listAt(collection: string, prefix: string, revision: number): readonly Entry[] {
    return this.#state.collection(collection).listAt(prefix, revision);
  }

  count(collection: string): number {
    return this.#state.find(collection)?.index.size ?? 0;
  }

  collections(): readonly string[] {
    return this.#state.names();
  }

  put(collection: string, key: string, build: (revision: number) => KubeObject): Promise<Entry> {
    return this.#accept('put', collection, key, build);
  }

  remove(collection: string, key: string, build: (revision: number) => KubeObject): Promise<Entry> {
    return this.#accept('remove', collection, key, build);
  }

  durable(revision: number): Promise<void> {
    if (revision <= this.#state.revision) return Promise.resolve();
    if (revision > this.#allocated || this.#writer === undefined) return Promise.reject(NOT_STORED);
    return new Promise((resolve, reject) => this.#waiting.push({ revision, resolve, reject }));
  }

  watch(collection: string, after: number, listener: (change: Change) => void): Subscription {
    return this.#state.collection(collection).watch(after, listener);
  }

  compact(): void {
    this.#state.compact();
  }

  oldest(collection: string): number {
    return this.#state.collection(collection).history.floor;
  }

  async close(): Promise<void> {
    this.#refusal ??= unavailable('the store is closed');
    while (this.#writer !== undefined) await this.#writer;
    await this.#journal.close();
  }

  #accept(type: 'put' | 'remove', name: string, key: string, build: (revision: number) => KubeObject): Promise<Entry> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    const revision = this.#allocated + 1;
    let entry: StoredEntry;
    try {
      entry = StoredEntry.of(key, revision, build(revision), this.#state.cache);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    const { bytes } = entry;
    if (bytes.length > LARGEST_OBJECT) return Promise.reject(new StatusError(500, 'etcdserver: request is too large'));
    this.#allocated = revision;
    this.#state.collection(name).pending.set(key, { revision, entry: type === 'put' ? entry : undefined });
    return new Promise((resolve, reject) => {
      this.#queue.push({
        revision,
        type,
        collection: name,
        key,
        bytes,
        time: this.#options.clock.now(),
        entry,
        resolve,
        reject,
      });
      this.#wake();
    });
  }

  #wake(): void {
    this.#writer ??= this.#write().finally(() => {
      this.#writer = undefined;
      if (this.#queue.length > 0) this.#wake();
    });
  }

  /**
   * Writes batches until none is left. Yields first, so that one batch has all writes of one turn of the event loop.
   */
  async #write(): Promise<void> {
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#batch();
      try {
        await this.#journal.append(batch);
      } catch (error) {
        this.#refuse(batch, error);
        continue;
      }
      this.#reportSpace(false);
      for (const change of batch) this.#commit(change);
      this.#release();
      await this.#journal.maintain().catch((error: unknown) => this.#refuse([], error));
    }
    for (const waiting of this.#waiting.splice(0)) waiting.reject(NOT_STORED);
  }

  #batch(): Accepted[] {
    let bytes = 0;
    let count = 0;
    for (const change of this.#queue) {
      if (count === BATCH_RECORDS || (count > 0 && bytes + change.bytes.length > BATCH_BYTES)) break;
      bytes += change.bytes.length;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  #commit(written: Accepted): void {
    const { entry, type, revision } = written;
    const collection = this.#state.collection(written.collection);
    const change: Change = { revision, type, entry, previous: collection.index.get(entry.key) };
    this.#state.apply(collection, change, written.time);
    if (collection.pending.get(entry.key)?.revision === revision) collection.pending.delete(entry.key);
    collection.notify(change);
    written.resolve(entry);
  }

  /** Refuses a batch and all changes accepted after it, which may build upon it. */
  #refuse(batch: readonly Accepted[], error: unknown): void {
    const reason =
      error instanceof NoSpace
        ? unavailable('the store is full: no space left on device')
        : internalError('the store failed', error);
    if (error instanceof NoSpace) this.#reportSpace(true);
    else this.#refusal = reason;
    for (const change of [...batch, ...this.#queue.splice(0)]) {
      this.#state.collection(change.collection).pending.delete(change.key);
      change.reject(reason);
    }
    for (const waiting of this.#waiting.splice(0)) waiting.reject(reason);
    if (!(error instanceof NoSpace)) this.#options.onFatal(error);
  }

  #reportSpace(full: boolean): void {
    if (full === this.#full) return;
    this.#full = full;
    this.#options.warn(
      full
        ? 'no space left on device: changes are refused until there is some'
        : 'there is space again: changes are taken',
    );
  }

  #release(): void {
    const still: Waiting[] = [];
    for (const waiting of this.#waiting) {
      if (waiting.revision > this.#state.revision) still.push(waiting);
      else waiting.resolve();
    }
    this.#waiting = still;
  }
}
