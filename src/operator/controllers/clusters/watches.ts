import type { ManagedClusterSet } from '../../../api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../../api/generated/managedclustersetbinding.js';
import { keyOf } from '../../../runtime/vocabulary/names.js';
import { BY_SET, type ClusterCaches, type ClusterIndexes } from './caches.js';
import type { StatusReconciler } from './reconcile.js';
import type { ComplaintReconciler } from './complaints.js';

interface ClusterReconcilers {
  readonly sets: StatusReconciler<ManagedClusterSet>;
  readonly bindings: StatusReconciler<ManagedClusterSetBinding>;
  readonly complaints: ComplaintReconciler;
  readonly enqueueSet: (key: string) => void;
  readonly enqueueBinding: (key: string) => void;
  readonly enqueueCluster: (name: string) => void;
}

/**
 * Enqueues the sets, bindings and clusters whose status is outdated after a change of a set, a binding, a Placement or a
 * cluster. It has to be called after the owner of the indexes has subscribed to the caches: the status is computed from
 * the indexes.
 */
export function watchClusters(
  caches: ClusterCaches,
  { membership, usage, placements }: ClusterIndexes,
  reconcilers: ClusterReconcilers,
): void {
  const { sets, bindings, complaints, enqueueSet, enqueueBinding, enqueueCluster } = reconcilers;
  caches.clusters.onChange(({ key, after }) => {
    if (after !== undefined && complaints.isOutdated(after)) enqueueCluster(key);
  });
  caches.sets.onChange(({ key, before, after }) => {
    if ((before === undefined) !== (after === undefined))
      for (const cluster of membership.labelled(key)) enqueueCluster(cluster);
    if (after === undefined || sets.isOutdated(after)) enqueueSet(key);
    for (const binding of caches.bindings.store.byIndex(BY_SET, key))
      if (bindings.isOutdated(binding)) enqueueBinding(keyOf(binding.metadata));
  });
  caches.bindings.onChange(({ key, after }) => {
    if (after === undefined || bindings.isOutdated(after)) enqueueBinding(key);
  });
  for (const cache of [caches.sets, caches.bindings, placements]) {
    cache.onChange(() => {
      const changed = usage.takeChanges();
      for (const set of changed.sets) enqueueSet(set);
      for (const binding of changed.bindings) enqueueBinding(binding);
    });
  }
}
