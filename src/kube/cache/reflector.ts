import type { KubeObject, ResourceType } from '../../api/meta.js';
import { keyOf } from '../../api/resources.js';
import type { Clock, Random } from '../../runtime/clock.js';
import { delay } from '../../runtime/clock.js';
import { ApiError, isFailure } from '../../runtime/errors.js';
import type { Logger } from '../../runtime/logger.js';
import { EventHandlers } from './eventhandlers.js';
import { aborted } from '../apierror.js';
import { ResourceVersionTracker, olderListError } from './resourceversiontracker.js';
import { deepFreeze } from '../json.js';
import { YIELD_EVERY, currentResourceVersion, yieldToEventLoop, readCompleteList } from '../client/completelist.js';
import type { CacheMetrics } from '../../runtime/metrics.js';
import { withoutManagedFields } from '../client/object.js';
import { Backoff } from './backoff.js';
import { collectionCall } from '../client/pages.js';
import { resourceOf } from '../client/path.js';
import { ObjectStore, type Change, type Indexers, type Store } from './store.js';
import type { Transport } from '../transport/transport.js';
import { watch } from './watch.js';
import type { WatchEvent } from './watchevent.js';

export interface CacheOptions<T extends KubeObject> {
  readonly type: ResourceType;
  /** Namespaced types only; absent = all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Keep metadata only (asks the server for no more). */
  readonly metadataOnly?: boolean;
  readonly indexers?: Indexers<T>;
  /** Trims an object before it is stored; managedFields are dropped before, unless `managedFields` asks for them. */
  readonly transform?: (object: T) => T;
  readonly managedFields?: boolean;
  /** Objects asked for at once; default 500. */
  readonly pageSize?: number;
}

/**
 * A local copy of a collection, kept fresh by list and watch.
 *
 * Guarantees: `store` only ever holds what one list and the events after it said; a list is published at once, as its
 * difference to what was there, and only when it was read to the end. While the server cannot be asked, or says that the
 * type is not served, `current()` is false and the store keeps what it had: unknown is not empty.
 */
export interface Cache<T extends KubeObject> {
  readonly type: ResourceType;
  readonly store: Store<T>;
  /** Calls back after the store has changed; must not throw and not block. Before `start` only. */
  onChange(handler: (change: Change<T>) => void): void;
  /** Calls back when `current()` may have changed. */
  onState(handler: () => void): void;
  /** Begins to list and watch. A second call does nothing; one after `stop` throws. */
  start(): void;
  /** Stops; resolves when no request, timer or socket of it is left. */
  stop(): Promise<void>;
  /** Whether a list has been read to the end since `start`. */
  synced(): boolean;
  /** Whether the store may be decided on: synced, and the last list did not fail. A watch that is being resumed is current; a relist that fails is not. */
  current(): boolean;
  /** Resolves with the first full list; rejects with the signal's reason. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Why it is not current, for status and /readyz; undefined when it is. */
  failure(): Error | undefined;
}

export interface CacheTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: CacheMetrics | undefined;
}

/** A cache of the collection that `options` describe. It does nothing before `start`, and lives once. */
export function createCache<T extends KubeObject>(
  transport: Transport,
  options: CacheOptions<T>,
  tools: CacheTools,
): Cache<T> {
  return new Reflector(transport, options, tools);
}

/** Unreadable watches in a row after which a list is read instead. */
const MALFORMED_RESUMES = 3;

/**
 * Flow: list → watch → watch again from where it ended → … ; a list again when the server says that this is too old, when
 * it refuses the watch, when it has gone back in time, and once an hour. One request at a time.
 */
class Reflector<T extends KubeObject> implements Cache<T> {
  readonly type: ResourceType;
  readonly store: ObjectStore<T>;
  readonly #transport: Transport;
  readonly #options: CacheOptions<T>;
  readonly #tools: CacheTools;
  readonly #resource: string;
  readonly #pace: Backoff;
  readonly #history: ResourceVersionTracker;
  readonly #stopping = new AbortController();
  readonly #audience = new EventHandlers<T>((key, error) => this.#broke('handler', key, error));
  #running: Promise<void> | undefined;
  #synced = false;
  #failure: Error | undefined;
  /** The last watch broke off, so the server may have gone back in time since. */
  #unsure = false;
  #handled = 0;

  constructor(transport: Transport, options: CacheOptions<T>, tools: CacheTools) {
    this.type = options.type;
    this.#transport = transport;
    this.#options = options;
    this.#tools = tools;
    this.#resource = resourceOf(options.type);
    this.#pace = new Backoff(tools.random);
    this.#history = new ResourceVersionTracker(tools.clock);
    this.store = new ObjectStore(options.indexers ?? {}, (key, error) => this.#broke('indexer', key, error));
  }

  onChange(handler: (change: Change<T>) => void): void {
    if (this.#running !== undefined) throw new Error('onChange: after start: changes would be missed');
    this.#audience.addChangeHandler(handler);
  }

  onState(handler: () => void): void {
    this.#audience.addStateHandler(handler);
  }

  start(): void {
    if (this.#stopping.signal.aborted) throw new Error('start: after stop: a cache lives once');
    this.#running ??= this.#run(this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort(aborted(collectionCall('watch', this.#options)));
    await this.#running;
  }

  synced(): boolean {
    return this.#synced;
  }

  current(): boolean {
    return this.#synced && this.#failure === undefined;
  }

  failure(): Error | undefined {
    if (this.#failure === undefined && !this.#synced) return new Error(`${this.#resource}: not listed yet`);
    return this.#failure;
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    const stopping = this.#stopping.signal;
    return this.#audience.waitUntil(() => this.#synced, signal === undefined ? [stopping] : [signal, stopping]);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#tools;
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      let planned = false;
      let atLeastMs = 0;
      try {
        planned = await this.#round(signal);
      } catch (error) {
        if (signal.aborted) return;
        atLeastMs = this.#failed(error);
      }
      const wait = this.#pace.next({ livedMs: clock.monotonic() - startedAt, planned, atLeastMs });
      if (wait > 0) await delay(clock, wait, signal).catch(() => undefined);
    }
  }

  /** A list where one is due, else a check that the server has not gone back in time; then a watch. Whether that lasted as long as agreed. */
  async #round(signal: AbortSignal): Promise<boolean> {
    if (this.#history.relistDue) this.#history.requireList();
    if (this.#history.watchFrom !== undefined && this.#unsure) await this.#checkForBackup(signal);
    if (this.#history.watchFrom === undefined) await this.#list(signal);
    const from = this.#history.watchFrom;
    if (from === undefined) return false;
    const { clock, random } = this.#tools;
    this.#unsure = true;
    const planned = await watch<T>(
      this.#transport,
      { collection: this.#options, from, clock, random, signal },
      (event) => this.#take(event),
    );
    this.#unsure = !planned;
    return planned;
  }

  /** A server restored from a backup would let a watch from the future wait without a word. */
  async #checkForBackup(signal: AbortSignal): Promise<void> {
    const version = await currentResourceVersion(this.#transport, this.#options, signal);
    if (this.#history.isBehind(version)) this.#history.requireList();
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { clock, metrics } = this.#tools;
    const startedAt = clock.monotonic();
    const { pageSize } = this.#options;
    const listing = await readCompleteList<T>(this.#transport, this.#options, {
      signal,
      pageSize,
      prepare: (object) => this.#prepare(object),
    });
    if (!this.#history.accepts(listing.resourceVersion))
      throw olderListError(listing.resourceVersion, collectionCall('list', this.#options));
    const changes = this.store.replace(listing.objects);
    this.#history.listed(listing.resourceVersion);
    metrics?.listed(this.#resource, listing.objects.size, (clock.monotonic() - startedAt) / 1000);
    for (const change of changes) {
      this.#audience.notifyChange(change);
      if (++this.#handled % YIELD_EVERY === 0) await yieldToEventLoop();
      signal.throwIfAborted();
    }
    this.#synced = true;
    this.#failure = undefined;
    this.#audience.notifyState();
  }

  /** One event of the watch. Every few hundred the event loop gets its turn. */
  #take(event: WatchEvent<T>): void | Promise<void> {
    this.#pace.reset();
    if (!this.#history.advance(event.resourceVersion) || event.type === 'BOOKMARK') return;
    const key = keyOf(event.object.metadata);
    const change = event.type === 'DELETED' ? this.store.remove(key) : this.store.set(this.#prepare(event.object));
    if (change !== undefined) this.#audience.notifyChange(change);
    return ++this.#handled % YIELD_EVERY === 0 ? yieldToEventLoop() : undefined;
  }

  /** Ends a round that failed; the least time to wait before the next, in ms. */
  #failed(error: unknown): number {
    const failure = error instanceof Error ? error : new Error(String(error));
    const kind = failure instanceof ApiError ? failure.kind : 'unexpected';
    const listing = this.#history.watchFrom === undefined;
    // These say something of the collection, not of the connection: only a list can tell what holds now.
    const refused = isFailure(failure, 'ResourceMissing', 'NotFound', 'Forbidden', 'Unauthorized', 'Invalid');
    const unreadable = kind === 'Malformed' && this.#pace.failures >= MALFORMED_RESUMES;
    if (refused || unreadable || kind === 'Gone') this.#history.requireList();
    this.#tools.metrics?.failed(this.#resource, kind);
    this.#tools.log.info(
      { resource: this.#resource, kind, error: failure.message, listing },
      'list or watch has failed and is tried again',
    );
    if (listing || refused) {
      this.#failure = failure;
      this.#audience.notifyState();
    }
    return failure instanceof ApiError ? (failure.retryAfterMs ?? 0) : 0;
  }

  #prepare(object: T): T {
    const bare = this.#options.managedFields === true ? object : withoutManagedFields(object);
    try {
      return deepFreeze(this.#options.transform?.(bare) ?? bare);
    } catch (error) {
      this.#broke('transform', keyOf(object.metadata), error);
      return deepFreeze(bare);
    }
  }

  /** Foreign code threw: told, counted, and not let into the loop. */
  #broke(part: string, key: string, error: unknown): void {
    this.#tools.metrics?.broken(this.#resource);
    this.#tools.log.error(
      { resource: this.#resource, part, key, error: String(error) },
      'code that watches a cache has thrown',
    );
  }
}
