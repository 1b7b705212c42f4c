import type { KubeObject, ResourceType } from '../../api/meta.js';
import { keyOf } from '../../api/resources.js';
import { delay, type Clock, type Random } from '../../runtime/clock.js';
import { ApiError, asError, isFailure } from '../../runtime/errors.js';
import type { Logger } from '../../runtime/logger.js';
import { EventHandlers } from './eventhandlers.js';
import { aborted } from '../apierror.js';
import { ResourceVersionTracker, olderListError } from './resourceversiontracker.js';
import { deepFreeze } from '../../api/json.js';
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
  /** Runs on each object before it is stored, after managedFields were removed (unless `managedFields` is true). */
  readonly transform?: (object: T) => T;
  readonly managedFields?: boolean;
  /** Objects in one page of a list; default 100. */
  readonly pageSize?: number;
}

/**
 * A local copy of a collection, kept up to date by list and watch.
 *
 * Guarantees: `store` holds the result of one complete list and the watch events after it; a list replaces the content in
 * one step, and handlers get the difference. While the server cannot be reached, or does not serve the type, `current()`
 * is false and the store keeps its content: unknown is not empty.
 */
export interface Cache<T extends KubeObject> {
  readonly type: ResourceType;
  readonly store: Store<T>;
  /** Adds a handler that runs after each change of the store; it must not throw or block. Before `start` only. */
  onChange(handler: (change: Change<T>) => void): void;
  /** Adds a handler that runs when `current()` may have changed. */
  onState(handler: () => void): void;
  /** Starts to list and watch. A second call does nothing; a call after `stop` throws. */
  start(): void;
  /** Stops; resolves when no request, timer or socket is left. */
  stop(): Promise<void>;
  /** Whether decisions may use the store: a list was stored, and the last did not fail. True while a watch is resumed. */
  current(): boolean;
  /** Resolves after the first complete list; rejects with the signal's reason. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Why the cache is not current, for status and /readyz; undefined when it is. */
  failure(): Error | undefined;
  /** Monotonic ms at which the last complete list, event or bookmark arrived; undefined: none yet. */
  receivedAt(): number | undefined;
}

export interface CacheTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: CacheMetrics | undefined;
}

/** A cache of the collection that `options` describe. It is idle until `start` and cannot be started again after `stop`. */
export function createCache<T extends KubeObject>(
  transport: Transport,
  options: CacheOptions<T>,
  tools: CacheTools,
): Cache<T> {
  return new Reflector(transport, options, tools);
}

/** After this many malformed watches in a row the collection is listed again. */
const MALFORMED_RESUMES = 3;

/**
 * Flow: list → watch → watch from the last resourceVersion → …; another list when that version is too old, when the watch is
 * refused, when the server was restored from a backup, and once an hour. One request at a time.
 */
class Reflector<T extends KubeObject> implements Cache<T> {
  readonly type: ResourceType;
  readonly store: ObjectStore<T>;
  readonly #transport: Transport;
  readonly #options: CacheOptions<T>;
  readonly #tools: CacheTools;
  readonly #resource: string;
  readonly #backoff: Backoff;
  readonly #versions: ResourceVersionTracker;
  readonly #stopping = new AbortController();
  readonly #handlers = new EventHandlers<T>((key, error) => this.#reportThrown('handler', key, error));
  #running: Promise<void> | undefined;
  #synced = false;
  #failure: Error | undefined;
  /** The last watch ended early: the server may have been restored from a backup since. */
  #restoreSuspected = false;
  #handled = 0;
  #receivedAt: number | undefined;

  constructor(transport: Transport, options: CacheOptions<T>, tools: CacheTools) {
    this.type = options.type;
    this.#transport = transport;
    this.#options = options;
    this.#tools = tools;
    this.#resource = resourceOf(options.type);
    this.#backoff = new Backoff(tools.random);
    this.#versions = new ResourceVersionTracker(tools.clock);
    this.store = new ObjectStore(options.indexers ?? {}, (key, error) => this.#reportThrown('indexer', key, error));
  }

  onChange(handler: (change: Change<T>) => void): void {
    if (this.#running !== undefined)
      throw new Error('onChange: must be called before start, or changes would be missed');
    this.#handlers.addChangeHandler(handler);
  }

  onState(handler: () => void): void {
    this.#handlers.addStateHandler(handler);
  }

  start(): void {
    if (this.#stopping.signal.aborted) throw new Error('start: a stopped cache cannot be started again');
    this.#running ??= this.#run(this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort(aborted(collectionCall('watch', this.#options)));
    await this.#running;
  }

  current(): boolean {
    return this.#synced && this.#failure === undefined;
  }

  failure(): Error | undefined {
    if (this.#failure === undefined && !this.#synced) return new Error(`${this.#resource}: not listed yet`);
    return this.#failure;
  }

  receivedAt(): number | undefined {
    return this.#receivedAt;
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    const stopping = this.#stopping.signal;
    return this.#handlers.waitUntil(() => this.#synced, signal === undefined ? [stopping] : [signal, stopping]);
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
      const wait = this.#backoff.next({ durationMs: clock.monotonic() - startedAt, planned, atLeastMs });
      if (wait > 0) await delay(clock, wait, signal).catch(() => undefined);
    }
  }

  /** Lists if a list is due, checks for a restored server if one is suspected, then watches. Whether the watch ended on its timeout. */
  async #round(signal: AbortSignal): Promise<boolean> {
    if (this.#versions.relistDue) this.#versions.requireList();
    if (this.#versions.watchFrom !== undefined && this.#restoreSuspected) await this.#checkForBackup(signal);
    if (this.#versions.watchFrom === undefined) await this.#list(signal);
    const from = this.#versions.watchFrom;
    if (from === undefined) return false;
    const { clock, random } = this.#tools;
    this.#restoreSuspected = true;
    const planned = await watch<T>(
      this.#transport,
      { collection: this.#options, from, clock, random, signal },
      (event) => this.#handleEvent(event),
    );
    this.#restoreSuspected = !planned;
    return planned;
  }

  /** On a server restored from a backup, a watch from a later resourceVersion waits without an error. */
  async #checkForBackup(signal: AbortSignal): Promise<void> {
    const version = await currentResourceVersion(this.#transport, this.#options, signal);
    if (this.#versions.isBehind(version)) this.#versions.requireList();
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
    if (!this.#versions.accepts(listing.resourceVersion))
      throw olderListError(listing.resourceVersion, collectionCall('list', this.#options));
    const changes = this.store.replace(listing.objects);
    this.#versions.listed(listing.resourceVersion);
    metrics?.listed(this.#resource, listing.objects.size, (clock.monotonic() - startedAt) / 1000);
    for (const change of changes) {
      this.#handlers.notifyChange(change);
      if (++this.#handled % YIELD_EVERY === 0) await yieldToEventLoop();
      signal.throwIfAborted();
    }
    this.#receivedAt = clock.monotonic();
    this.#synced = true;
    this.#failure = undefined;
    this.#handlers.notifyState();
  }

  /** Applies one watch event; yields to the event loop from time to time. */
  #handleEvent(event: WatchEvent<T>): void | Promise<void> {
    this.#backoff.reset();
    this.#receivedAt = this.#tools.clock.monotonic();
    if (!this.#versions.advance(event.resourceVersion) || event.type === 'BOOKMARK') return;
    const key = keyOf(event.object.metadata);
    const change = event.type === 'DELETED' ? this.store.remove(key) : this.store.set(this.#prepare(event.object));
    if (change !== undefined) this.#handlers.notifyChange(change);
    return ++this.#handled % YIELD_EVERY === 0 ? yieldToEventLoop() : undefined;
  }

  /** Handles a failed round; returns the least time to wait before the next, in ms. */
  #failed(error: unknown): number {
    const failure = asError(error);
    const kind = failure instanceof ApiError ? failure.kind : 'unexpected';
    const listing = this.#versions.watchFrom === undefined;
    // These concern the collection, not the connection: a watch cannot be resumed after them.
    const refused = isFailure(failure, 'ResourceMissing', 'NotFound', 'Forbidden', 'Unauthorized', 'Invalid');
    const unreadable = kind === 'Malformed' && this.#backoff.failures >= MALFORMED_RESUMES;
    if (refused || unreadable || kind === 'Gone') this.#versions.requireList();
    this.#tools.metrics?.failed(this.#resource, kind);
    this.#tools.log.info(
      { resource: this.#resource, kind, error: failure.message, listing },
      'list or watch failed, retrying',
    );
    if (listing || refused) {
      this.#failure = failure;
      this.#handlers.notifyState();
    }
    return failure instanceof ApiError ? (failure.retryAfterMs ?? 0) : 0;
  }

  #prepare(object: T): T {
    const bare = this.#options.managedFields === true ? object : withoutManagedFields(object);
    try {
      return deepFreeze(this.#options.transform?.(bare) ?? bare);
    } catch (error) {
      this.#reportThrown('transform', keyOf(object.metadata), error);
      return deepFreeze(bare);
    }
  }

  /** A handler, transform or indexer threw: the error is logged and counted, and does not end the loop. */
  #reportThrown(part: string, key: string, error: unknown): void {
    this.#tools.metrics?.broken(this.#resource);
    this.#tools.log.error(
      { resource: this.#resource, part, key, error: String(error) },
      'a handler of a cache has thrown',
    );
  }
}
