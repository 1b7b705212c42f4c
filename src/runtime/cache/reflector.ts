import type { KubeObject, ResourceType } from '../vocabulary/meta.js';
import { keyOf } from '../vocabulary/names.js';
import { delay, yieldToEventLoop } from '../clock.js';
import { ApiError, asError, isFailure } from '../errors.js';
import { aborted, noResponse } from '../transport/apierror.js';
import { deepFreeze } from '../vocabulary/json.js';
import {
  YIELD_EVERY,
  currentResourceVersion,
  readCompleteList,
  collectionCall,
  type CompleteList,
} from '../client/list.js';
import { withoutManagedFields } from '../client/object.js';
import { Backoff, FailureLog, failureKind } from './retries.js';
import { type Cache, type CacheOptions, type CacheTools, EventHandlers } from './cache.js';
import { InitialEvents, watch, type WatchEvent } from './watch.js';
import { resourceOf } from '../client/path.js';
import { ObjectStore, type Change, ResourceVersionTracker, olderListError } from './store.js';
import type { Transport } from '../transport/transport.js';

/** A cache of the collection that `options` describe. It is idle until `start` and cannot be started again after `stop`. */
export function createCache<T extends KubeObject>(
  transport: Transport,
  options: CacheOptions<T>,
  tools: CacheTools,
): Cache<T> {
  return new Reflector(transport, options, tools);
}

/** The request that has brought all objects. */
interface ListRequest {
  readonly verb: 'list' | 'watch';
  /** Monotonic ms. */
  readonly startedAt: number;
  readonly signal: AbortSignal;
}

/** After this many malformed watches in a row the collection is listed again. */
const MALFORMED_RESUMES = 3;

/**
 * Flow: list (or the initial events of a watch) → watch → watch from the last resourceVersion → …; another list when that
 * version is too old, when the watch is refused, when the server was restored from a backup, and once an hour. One request at
 * a time.
 */
class Reflector<T extends KubeObject> implements Cache<T> {
  readonly type: ResourceType;
  readonly store: ObjectStore<T>;
  readonly #transport: Transport;
  readonly #options: CacheOptions<T>;
  readonly #tools: CacheTools;
  readonly #resource: string;
  readonly #backoff: Backoff;
  readonly #failureLog: FailureLog;
  readonly #versions: ResourceVersionTracker;
  readonly #stopping = new AbortController();
  readonly #handlers = new EventHandlers<T>((key, error) => this.#reportThrown('handler', key, error));
  #running: Promise<void> | undefined;
  #synced = false;
  #failure: Error | undefined;
  /** Whether the objects are asked for as the first events of a watch; false permanently when that has failed once. */
  #watchList: boolean;
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
    this.#watchList = options.watchList === true;
    this.#backoff = new Backoff(tools.random);
    this.#failureLog = new FailureLog(tools.log);
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
      let endedOnTimeout = false;
      let atLeastMs = 0;
      try {
        endedOnTimeout = await this.#round(signal);
      } catch (error) {
        if (signal.aborted) return;
        atLeastMs = this.#failed(error);
      }
      const wait = this.#backoff.next({ durationMs: clock.monotonic() - startedAt, endedOnTimeout, atLeastMs });
      if (wait > 0) await delay(clock, wait, signal).catch(() => undefined);
    }
  }

  /** Lists if a list is due, checks for a restored server if one is suspected, then watches. Whether the watch ended on its timeout. */
  async #round(signal: AbortSignal): Promise<boolean> {
    if (this.#versions.relistDue) this.#versions.requireList();
    if (this.#versions.watchFrom !== undefined && this.#restoreSuspected) await this.#checkForBackup(signal);
    if (this.#versions.watchFrom === undefined && this.#watchList) {
      const endedOnTimeout = await this.#watchWithInitialEvents(signal);
      if (endedOnTimeout !== undefined) return endedOnTimeout;
    }
    if (this.#versions.watchFrom === undefined) await this.#list(signal);
    const from = this.#versions.watchFrom;
    return from === undefined ? false : this.#watch(from, (event) => this.#handleEvent(event), signal);
  }

  async #watch(
    from: string | undefined,
    onEvent: (event: WatchEvent<T>) => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { clock, random } = this.#tools;
    this.#restoreSuspected = true;
    const endedOnTimeout = await watch<T>(
      this.#transport,
      { collection: this.#options, from, clock, random, signal },
      onEvent,
    );
    this.#restoreSuspected = !endedOnTimeout;
    return endedOnTimeout;
  }

  /**
   * A watch that begins with all objects. Whether it ended on its timeout; undefined when the server did not send them,
   * whatever the reason: then they are listed, now and later.
   */
  async #watchWithInitialEvents(signal: AbortSignal): Promise<boolean | undefined> {
    const startedAt = this.#tools.clock.monotonic();
    const initial = new InitialEvents<T>((object) => this.#prepare(object));
    const onEvent = (event: WatchEvent<T>): void | Promise<void> => {
      if (initial.complete) return this.#handleEvent(event);
      initial.add(event);
      if (!initial.complete) return this.#afterObject();
      const { objects } = initial;
      const { resourceVersion } = event;
      return this.#replace({ objects, resourceVersion }, { verb: 'watch', startedAt, signal });
    };
    try {
      const endedOnTimeout = await this.#watch(undefined, onEvent, signal);
      if (initial.complete) return endedOnTimeout;
      this.#logNoInitialEvents(noResponse(collectionCall('watch', this.#options), 'the watch has ended'));
    } catch (error) {
      if (initial.complete || signal.aborted) throw error;
      this.#logNoInitialEvents(asError(error));
    }
    this.#watchList = false;
    return undefined;
  }

  #logNoInitialEvents(failure: Error): void {
    const fields = { resource: this.#resource, kind: failureKind(failure), error: failure.message };
    this.#tools.metrics?.failed(fields.resource, fields.kind);
    this.#tools.log.info(fields, 'the watch did not send the state: listing it, now and later');
  }

  /** On a server restored from a backup, a watch from a later resourceVersion waits without an error. */
  async #checkForBackup(signal: AbortSignal): Promise<void> {
    const version = await currentResourceVersion(this.#transport, this.#options, signal);
    if (this.#versions.isBehind(version)) this.#versions.requireList();
  }

  async #list(signal: AbortSignal): Promise<void> {
    const startedAt = this.#tools.clock.monotonic();
    const { pageSize } = this.#options;
    const listing = await readCompleteList<T>(this.#transport, this.#options, {
      signal,
      pageSize,
      prepare: (object) => this.#prepare(object),
    });
    await this.#replace(listing, { verb: 'list', startedAt, signal });
  }

  /**
   * Replaces the content of the store, one change after the other, with other work in between: the store and what its handlers
   * derive from it agree all the time, and both hold old and new objects until the end.
   */
  async #replace(
    { objects, resourceVersion }: CompleteList<T>,
    { verb, startedAt, signal }: ListRequest,
  ): Promise<void> {
    const { clock, metrics } = this.#tools;
    if (!this.#versions.accepts(resourceVersion))
      throw olderListError(resourceVersion, collectionCall(verb, this.#options));
    this.#versions.listed(resourceVersion);
    metrics?.listed(this.#resource, objects.size, (clock.monotonic() - startedAt) / 1000);
    for (const change of this.store.replace(objects)) {
      this.#handlers.notifyChange(change);
      if (++this.#handled % YIELD_EVERY === 0) await yieldToEventLoop();
      signal.throwIfAborted();
    }
    this.#receivedAt = clock.monotonic();
    this.#synced = true;
    this.#failureLog.received();
    this.#failure = undefined;
    this.#handlers.notifyState();
  }

  /** Applies one watch event; yields to the event loop from time to time. */
  #handleEvent(event: WatchEvent<T>): void | Promise<void> {
    this.#backoff.reset();
    this.#failureLog.received();
    this.#receivedAt = this.#tools.clock.monotonic();
    if (!this.#versions.advance(event.resourceVersion) || event.type === 'BOOKMARK') return;
    const key = keyOf(event.object.metadata);
    const change = event.type === 'DELETED' ? this.store.remove(key) : this.store.set(this.#prepare(event.object));
    if (change !== undefined) this.#handlers.notifyChange(change);
    return this.#afterObject();
  }

  /** Counts an object that was handled; lets other work of the event loop run after every `YIELD_EVERY`. */
  #afterObject(): void | Promise<void> {
    return ++this.#handled % YIELD_EVERY === 0 ? yieldToEventLoop() : undefined;
  }

  /** Handles a failed round; returns the least time to wait before the next, in ms. */
  #failed(error: unknown): number {
    const failure = asError(error);
    const kind = failureKind(failure);
    const listing = this.#versions.watchFrom === undefined;
    // These concern the collection, not the connection: a watch cannot be resumed after them.
    const refused = isFailure(failure, 'ResourceMissing', 'NotFound', 'Forbidden', 'Unauthorized', 'Invalid');
    const unreadable = kind === 'Malformed' && this.#backoff.failures >= MALFORMED_RESUMES;
    if (refused || unreadable || kind === 'Gone') this.#versions.requireList();
    this.#tools.metrics?.failed(this.#resource, kind);
    this.#failureLog.failed({ resource: this.#resource, kind, error: failure.message, listing });
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
