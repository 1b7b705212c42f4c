import type { KubeObject, ResourceType } from '../vocabulary/meta.js';
import type { Clock, Random } from '../clock.js';
import type { Logger } from '../logger.js';
import type { CacheMetrics } from '../metrics/managermetrics.js';
import type { Change, Indexers, Store } from './store.js';
import { asError } from '../errors.js';

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
  /** Keep managedFields. */
  readonly managedFields?: boolean;
  /** Objects in one page of a list; default 100. */
  readonly pageSize?: number;
  /**
   * Gets all objects as the first events of the watch (`sendInitialEvents`), and lists them where the server does not send
   * these: for large collections. An event is parsed alone and is garbage at once; a page of a list is a text and a tree of
   * 100 objects, which outlive the young generation.
   */
  readonly watchList?: boolean;
}

/**
 * A local copy of a collection, kept up to date by list and watch.
 *
 * Guarantees: `store` holds the result of one complete list and the watch events after it. A later list replaces it object by
 * object, and handlers get each difference when the store has it. While the server cannot be reached, or does not serve the
 * type, `current()` is false and the store keeps its content: unknown is not empty.
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
  /** Why the last list or watch failed; undefined when it did not, and while the first one is under way. */
  failure(): Error | undefined;
  /** Monotonic ms at which the last complete list, event or bookmark arrived; undefined: none yet. */
  receivedAt(): number | undefined;
}

/** Makes a cache that is not started. */
export type OpenCache = <T extends KubeObject>(options: CacheOptions<T>) => Cache<T>;

export interface CacheTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: CacheMetrics | undefined;
}

/** The handlers of a cache. An error that a handler throws is reported; the cache and the other handlers continue. */
export class EventHandlers<T extends KubeObject> {
  readonly #onError: (key: string, error: unknown) => void;
  readonly #changeHandlers = new Set<(change: Change<T>) => void>();
  readonly #stateHandlers = new Set<() => void>();

  constructor(onError: (key: string, error: unknown) => void) {
    this.#onError = onError;
  }

  addChangeHandler(handler: (change: Change<T>) => void): void {
    this.#changeHandlers.add(handler);
  }

  addStateHandler(handler: () => void): void {
    this.#stateHandlers.add(handler);
  }

  /** Resolves once `reached` returns true; rejects with the reason of the first signal that has fired. */
  waitUntil(reached: () => boolean, signals: readonly AbortSignal[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const aborted = signals.find((signal) => signal.aborted);
        if (!reached() && aborted === undefined) return;
        this.#stateHandlers.delete(check);
        for (const signal of signals) signal.removeEventListener('abort', check);
        if (reached()) resolve();
        else reject(asError(aborted?.reason));
      };
      this.#stateHandlers.add(check);
      for (const signal of signals) signal.addEventListener('abort', check, { once: true });
      check();
    });
  }

  notifyChange(change: Change<T>): void {
    for (const handler of this.#changeHandlers) this.#call(() => handler(change), change.key);
  }

  notifyState(): void {
    for (const handler of this.#stateHandlers) this.#call(handler, '');
  }

  #call(handler: () => void, key: string): void {
    try {
      handler();
    } catch (error) {
      this.#onError(key, error);
    }
  }
}
