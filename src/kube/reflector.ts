import type { KubeObject, ResourceType } from '../api/meta.js';
import type { Change, Indexers, Store } from './store.js';

export interface CacheOptions<T extends KubeObject> {
  readonly type: ResourceType;
  /** Namespaced types only; absent = all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Keep metadata only (asks the server for no more). */
  readonly metadataOnly?: boolean;
  readonly indexers?: Indexers<T>;
  /** Trims an object before it is stored; managedFields are always dropped. */
  readonly transform?: (object: T) => T;
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
