import type { ManagedClusterSet } from '../../api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../api/generated/managedclustersetbinding.js';
import { keyOf } from '../../api/resources.js';
import { BY_SET, type PlacementCaches } from '../placement/caches.js';
import type { StatusReconciler } from './status.js';

export interface ClusterReconcilers {
  readonly sets: StatusReconciler<ManagedClusterSet>;
  readonly bindings: StatusReconciler<ManagedClusterSetBinding>;
}

export interface ClusterQueues {
  readonly sets: (key: string) => void;
  readonly bindings: (key: string) => void;
}

/**
 * Asks for a pass over a set or binding whose status is due. A set is asked for by its own changes here, and by those of
 * its members through `Membership`. To be called after the inventory watches, whose folding this relies on.
 */
export function watchClusters(
  caches: PlacementCaches,
  { sets, bindings }: ClusterReconcilers,
  ask: ClusterQueues,
): void {
  caches.sets.onChange(({ key, after }) => {
    if (after === undefined || sets.isDue(after)) ask.sets(key);
    for (const binding of caches.bindings.store.byIndex(BY_SET, key))
      if (bindings.isDue(binding)) ask.bindings(keyOf(binding.metadata));
  });
  caches.bindings.onChange(({ key, after }) => {
    if (after === undefined || bindings.isDue(after)) ask.bindings(key);
  });
}
