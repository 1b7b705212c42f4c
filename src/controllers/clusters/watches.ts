import type { ManagedClusterSet } from '../../api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../api/generated/managedclustersetbinding.js';
import { keyOf } from '../../api/resources.js';
import { BY_SET, type ClusterCaches } from './caches.js';
import type { StatusReconciler } from './reconcile.js';

interface ClusterReconcilers {
  readonly sets: StatusReconciler<ManagedClusterSet>;
  readonly bindings: StatusReconciler<ManagedClusterSetBinding>;
  readonly enqueueSet: (key: string) => void;
  readonly enqueueBinding: (key: string) => void;
}

/**
 * Enqueues the sets and bindings whose status is outdated after a change of a set or binding. It has to be called after
 * the membership index has subscribed to the caches: the status of a set is computed from it.
 */
export function watchClusters(caches: ClusterCaches, reconcilers: ClusterReconcilers): void {
  const { sets, bindings, enqueueSet, enqueueBinding } = reconcilers;
  caches.sets.onChange(({ key, after }) => {
    if (after === undefined || sets.isOutdated(after)) enqueueSet(key);
    for (const binding of caches.bindings.store.byIndex(BY_SET, key))
      if (bindings.isOutdated(binding)) enqueueBinding(keyOf(binding.metadata));
  });
  caches.bindings.onChange(({ key, after }) => {
    if (after === undefined || bindings.isOutdated(after)) enqueueBinding(key);
  });
}
