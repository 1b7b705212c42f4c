import type { ManagedCluster } from '../../../api/generated/managedcluster.js';
import { ManagedClusters } from '../../../api/resources.js';
import { originOf } from '../../../domain/inventories/managedcluster.js';
import type { Cache } from '../../../runtime/cache/cache.js';
import type { EventRecorder } from '../../../runtime/events/recorder.js';
import type { Controller } from '../../../runtime/controller/controller.js';
import type { CacheSource } from '../../../runtime/manager/manager.js';
import { MutationCache } from '../../../runtime/controller/mutationcache.js';
import type { ClusterControllerOptions } from '../clusters/controller.js';
import { newController, optionalSource } from '../controller.js';
import { DeletionCheck } from '../deletions.js';
import { InventoryReconciler } from './reconcile.js';
import type { InventoryCache, InventoryContext } from './gather.js';

/** `client` is guarded by `inventoryRights`. */
export interface InventoryOptions extends Omit<ClusterControllerOptions, 'caches'> {
  /** All ManagedClusters, with labels and annotations. Not started yet. */
  readonly clusters: Cache<ManagedCluster>;
  /** In the order in which they count for a cluster that several have. */
  readonly inventories: readonly InventoryCache[];
  readonly recorder: EventRecorder;
  readonly workers: number;
}

export interface InventoryControllers {
  readonly controllers: readonly Controller[];
  readonly sources: readonly CacheSource[];
  /** To be called each time the lease is acquired, before the controllers start. */
  readonly onStartedLeading: () => void;
}

/** The controller that makes ManagedClusters from the objects of other inventories. It never writes to these. */
export function createInventoryControllers(options: InventoryOptions): InventoryControllers {
  const { client, clock, clusters, inventories, recorder, workers, settleWindowMs, log } = options;
  const deletions = new Map(
    inventories.map(({ inventory }) => [inventory, new DeletionCheck(client, clock, [inventory.type])] as const),
  );
  const mutations = new MutationCache<ManagedCluster>(clock);
  const context: InventoryContext = { client, clock, clusters, inventories, recorder, mutations, deletions };
  const controller = newController(options, {
    name: 'inventory',
    kind: ManagedClusters.kind,
    reconciler: new InventoryReconciler(context),
    keys: () => namesIn(context),
    workers,
  });
  const enqueue = (name: string): void => controller.addAfter(name, settleWindowMs);
  clusters.onChange((change) => {
    if (mutations.observe(change)) enqueue(change.key);
  });
  const enqueueAll = (): void => {
    for (const name of namesIn(context)) enqueue(name);
  };
  for (const { inventory, cache, scores } of inventories) {
    const noteDeletion = (): void => deletions.get(inventory)?.noteDeletion();
    cache.onChange(({ before, after }) => {
      if (after === undefined) noteDeletion();
      enqueue((after ?? before)?.metadata.name ?? '');
    });
    cache.onState(() => {
      noteDeletion();
      if (cache.current()) enqueueAll();
    });
    scores?.onChange(({ before, after }) => enqueue((after ?? before)?.metadata.namespace ?? ''));
    scores?.onState(() => {
      if (scores.current()) enqueueAll();
    });
  }
  return {
    controllers: [controller],
    sources: [
      clusters,
      ...inventories
        .flatMap(({ cache, scores }) => [cache, ...(scores === undefined ? [] : [scores])])
        .map((cache) => optionalSource(cache, log)),
    ],
    onStartedLeading: () => mutations.clear(),
  };
}

/** The clusters of all inventories, and those that one has had. */
function namesIn({ clusters, inventories }: InventoryContext): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { cache } of inventories) for (const { metadata } of cache.store.values()) names.add(metadata.name);
  for (const cluster of clusters.store.values())
    if (originOf(cluster).kind === 'sourced') names.add(cluster.metadata.name);
  return names;
}
