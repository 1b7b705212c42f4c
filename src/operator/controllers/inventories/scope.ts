import type { ManagedCluster } from '../../../api/generated/managedcluster.js';
import type { InventoryCount, Inventory, SourceObject } from '../../../domain/inventories/source.js';
import type { Cache } from '../../../runtime/cache/cache.js';
import type { KubeClient } from '../../../runtime/client/client.js';
import type { EventRecorder } from '../../../runtime/events/recorder.js';
import type { Clock } from '../../../runtime/clock.js';
import type { MutationCache } from '../../../runtime/controller/mutationcache.js';
import type { Pass } from '../../../runtime/controller/result.js';
import type { DeletionCheck } from '../deletions.js';

/** One inventory and its objects. */
export interface InventoryCache {
  readonly inventory: Inventory;
  /** The cache of the inventory's type, which is not started yet. */
  readonly cache: Cache<SourceObject>;
  /** The namespace that the cache is of; undefined for a cluster-scoped type. */
  readonly namespace: string | undefined;
  /** What add-ons say of its clusters, with the index {@link BY_NAMESPACE}; undefined for an inventory without. Not started yet. */
  readonly scores?: Cache<SourceObject>;
}

/** Index of scores by their namespace, which is that of the cluster. */
export const BY_NAMESPACE = 'namespace';

/** What all reconciles share. */
export interface InventoryContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly clusters: Cache<ManagedCluster>;
  readonly inventories: readonly InventoryCache[];
  readonly recorder: EventRecorder;
  /** Own writes that the cache may not show yet. */
  readonly mutations: MutationCache<ManagedCluster>;
  /** For the definition of each inventory's type. */
  readonly deletions: ReadonlyMap<Inventory, DeletionCheck>;
}

/** What is kept of clusters between reconciles, by name. */
export interface InventoryMemory {
  /** Those that were reported as taken by others. */
  readonly taken: Set<string>;
  /** Monotonic ms since when the source is missing, and unavailable. */
  readonly missingSince: Map<string, number>;
  readonly unavailableSince: Map<string, number>;
}

/** What one reconcile of one cluster works with. */
export interface Scope extends InventoryContext {
  readonly name: string;
  readonly pass: Pass;
  readonly memory: InventoryMemory;
  readonly counts: { of(inventory: InventoryCache): InventoryCount };
}
