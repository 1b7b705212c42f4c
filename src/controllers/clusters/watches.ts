import type { ManagedClusterSet } from '../../api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../api/generated/managedclustersetbinding.js';
import { keyOf } from '../../api/resources.js';
import { BY_SET, type ClusterCaches, type ClusterIndexes } from './caches.js';
import type { StatusReconciler } from './reconcile.js';

interface ClusterReconcilers {
  readonly sets: StatusReconciler<ManagedClusterSet>;
  readonly bindings: StatusReconciler<ManagedClusterSetBinding>;
  readonly enqueueSet: (key: string) => void;
  readonly enqueueBinding: (key: string) => void;
}

/**
 * Enqueues the sets and bindings whose status is outdated after a change of a set, a binding or a Placement. It has to be
 * called after the owner of the indexes has subscribed to the caches: the status is computed from the indexes.
 */
export function watchClusters(
  caches: ClusterCaches,
  { usage, placements }: ClusterIndexes,
  reconcilers: ClusterReconcilers,
): void {
  const { sets, bindings, enqueueSet, enqueueBinding } = reconcilers;
  caches.sets.onChange(({ key, after }) => {
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
