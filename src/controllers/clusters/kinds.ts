import type { ManagedClusterSet } from '../../api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../api/generated/managedclustersetbinding.js';
import { ManagedClusterSetBindings, ManagedClusterSets } from '../../api/resources.js';
import { readClusterSelector } from '../../domain/clusters/selector.js';
import { bindingStatus, setStatus, type BindingStatusInput } from '../../domain/clusters/status.js';
import { clusterSetOf } from '../../domain/placement/eligible.js';
import type { MembershipIndex } from '../../index/membershipindex.js';
import type { ClusterCaches } from './caches.js';
import type { StatusKind } from './reconcile.js';

/** ManagedClusterSets: the number of their clusters, without those that are being deleted, which are no candidates. */
export function setKind(caches: ClusterCaches, membership: MembershipIndex): StatusKind<ManagedClusterSet> {
  return {
    type: ManagedClusterSets,
    cache: caches.sets,
    inputs: [caches.clusters],
    withWantedStatus: (object, now) => {
      const { name, generation = 0 } = object.metadata;
      const selector = readClusterSelector(object.spec);
      const members = membership.count(name);
      const leaving = membership.members(name).size - members;
      const status = setStatus({ name, generation, selector, members, leaving }, object.status, now);
      return status === undefined ? undefined : { ...object, status };
    },
  };
}

/** ManagedClusterSetBindings: whether each binds an existing set. */
export function bindingKind(caches: ClusterCaches): StatusKind<ManagedClusterSetBinding> {
  return {
    type: ManagedClusterSetBindings,
    cache: caches.bindings,
    inputs: [caches.sets],
    withWantedStatus: (object, now) => {
      const { name, generation = 0, deletionTimestamp } = object.metadata;
      const clusterSet = clusterSetOf(object);
      const deleting = deletionTimestamp !== undefined;
      const input = { name, clusterSet, generation, deleting, set: stateOf(caches, clusterSet) };
      const status = bindingStatus(input, object.status, now);
      return status === undefined ? undefined : { ...object, status };
    },
  };
}

function stateOf({ sets }: ClusterCaches, name: string): BindingStatusInput['set'] {
  const set = sets.store.get(name);
  if (set === undefined) return 'missing';
  return set.metadata.deletionTimestamp === undefined ? 'exists' : 'deleting';
}
