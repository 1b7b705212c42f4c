import type { ClusterCondition, ManagedCluster } from '../../../api/generated/managedcluster.js';
import type { ManagedClusterSet } from '../../../api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../../api/generated/managedclustersetbinding.js';
import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets } from '../../../api/resources.js';
import { NO_USERS, bindingStatus, clusterSetStatus, type BindingStatusInput } from '../../../domain/clusters/status.js';
import { conditionsToWrite } from '../../../domain/clusters/complaints.js';
import { readClusterSelector } from '../../../domain/clusters/selector.js';
import { clusterSetOf } from '../../../domain/placement/select/eligible.js';
import type { ClusterCaches, ClusterIndexes } from './caches.js';
import type { StatusKind } from './reconcile.js';

/** The kinds whose status the clusters controller writes, each with the status that it should have. */

/**
 * ManagedClusterSets: the number of their clusters, without those that are being deleted, which are no candidates, and
 * whether a Placement may select from them.
 */
export function clusterSetKind(
  caches: ClusterCaches,
  { membership, usage, placements }: ClusterIndexes,
): StatusKind<ManagedClusterSet> {
  return {
    type: ManagedClusterSets,
    cache: caches.sets,
    inputs: [caches.clusters, caches.bindings, placements],
    withWantedStatus: (object, now) => {
      const { name, generation = 0 } = object.metadata;
      const selector = readClusterSelector(object.spec);
      const members = membership.count(name);
      // `members()` has those that are being deleted, too.
      const leaving = membership.members(name).size - members;
      const namespaces = usage.namespacesOf(name);
      const status = clusterSetStatus(
        { name, generation, selector, members, leaving, namespaces },
        object.status,
        now(),
      );
      return status === undefined ? undefined : { ...object, status };
    },
  };
}

/** ManagedClusterSetBindings: whether the set of each exists, and so whether a Placement may select from it. */
export function bindingKind(
  caches: ClusterCaches,
  { usage, placements }: ClusterIndexes,
): StatusKind<ManagedClusterSetBinding> {
  return {
    type: ManagedClusterSetBindings,
    cache: caches.bindings,
    inputs: [caches.sets, placements],
    withWantedStatus: (object, now) => {
      const { name, namespace = '', generation = 0, deletionTimestamp } = object.metadata;
      const clusterSet = clusterSetOf(object);
      const input: BindingStatusInput = {
        name,
        clusterSet,
        generation,
        deleting: deletionTimestamp !== undefined,
        set: stateOf(caches, clusterSet),
        // A binding whose name is not that of its set has no effect: Placements select from the set by the one that has its name.
        placements: name === clusterSet ? usage.placementsOf(clusterSet, namespace) : NO_USERS,
      };
      const status = bindingStatus(input, object.status, now());
      return status === undefined ? undefined : { ...object, status };
    },
  };
}

/**
 * ManagedClusters: the conditions ClusterSetMissing and ClaimsIgnored, and no other field of their status, which their agents
 * write. When the last condition goes, the list goes with it, and the status when nothing else is in it: the object is then as
 * before its first condition.
 */
export function clusterKind({ clusters, sets }: ClusterCaches): StatusKind<ManagedCluster> {
  const exists = (set: string): boolean => sets.store.get(set) !== undefined;
  return {
    type: ManagedClusters,
    cache: clusters,
    inputs: [sets],
    isPartial: true,
    withWantedStatus: (object, now) => {
      const conditions = conditionsToWrite(object, exists, now) as ClusterCondition[] | undefined;
      if (conditions === undefined) return undefined;
      const { status: before, ...cluster } = object;
      const { conditions: _replaced, ...others } = before ?? {};
      const status = conditions.length === 0 ? others : { ...others, conditions };
      return Object.keys(status).length === 0 ? cluster : { ...cluster, status };
    },
  };
}

function stateOf({ sets }: ClusterCaches, name: string): BindingStatusInput['set'] {
  const set = sets.store.get(name);
  if (set === undefined) return 'missing';
  return set.metadata.deletionTimestamp === undefined ? 'exists' : 'deleting';
}
