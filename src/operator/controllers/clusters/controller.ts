import type { ManagedCluster, ClusterCondition } from '../../../api/generated/managedcluster.js';
import type { ManagedClusterSet } from '../../../api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../../api/generated/managedclustersetbinding.js';
import type { KubeClient } from '../../../runtime/client/client.js';
import type { Controller } from '../../../runtime/controller/controller.js';
import { keyOf } from '../../../runtime/vocabulary/names.js';
import { newController, type SharedOptions } from '../controller.js';
import { BY_SET, type ClusterCaches, type ClusterIndexes } from './caches.js';
import { StatusReconciler, type ObjectWithStatus, type StatusKind } from './reconcile.js';
import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets } from '../../../api/resources.js';
import { NO_USERS, bindingStatus, clusterSetStatus, type BindingStatusInput } from '../../../domain/clusters/status.js';
import { conditionsToWrite } from '../../../domain/clusters/complaints.js';
import { readClusterSelector } from '../../../domain/clusters/selector.js';
import { clusterSetOf } from '../../../domain/placement/select/eligible.js';

export interface ClusterControllerOptions extends SharedOptions {
  /** Guarded by `clusterRights`. */
  readonly client: KubeClient;
  /** Created with `clusterCacheOptions`, not started yet. */
  readonly caches: ClusterCaches;
  /** Ms that a change waits for others, so that one reconcile covers them all. */
  readonly settleWindowMs: number;
}

interface ClusterControllers {
  readonly controllers: readonly Controller[];
  readonly enqueueSet: (name: string) => void;
  /**
   * Subscribes to the caches: to be called after the owner of the indexes has subscribed to them, since the status is computed
   * from the indexes.
   */
  readonly watch: () => void;
  /** Drops what is known of earlier writes: to be called each time the lease is acquired. */
  readonly clear: () => void;
}

/** Ms until such a condition is written: a set may be created a moment after its clusters. */
export const COMPLAINT_DELAY_MS = 5_000;

/** The controllers that write the status of ManagedClusterSets and ManagedClusterSetBindings, and two conditions of ManagedClusters. */
export function createClusterControllers(
  options: ClusterControllerOptions,
  indexes: ClusterIndexes,
): ClusterControllers {
  const { caches, settleWindowMs } = options;
  const sets = statusController(options, 'clusterset', clusterSetKind(caches, indexes), settleWindowMs);
  const bindings = statusController(options, 'clustersetbinding', bindingKind(caches, indexes), settleWindowMs);
  const clusters = statusController(options, 'managedcluster', clusterKind(caches), COMPLAINT_DELAY_MS);
  const all = [sets, bindings, clusters];
  return {
    controllers: all.map(({ controller }) => controller),
    enqueueSet: (name) => sets.enqueue(name),
    watch: () => watch(caches, indexes, { sets, bindings, clusters }),
    clear: () => all.forEach(({ reconciler }) => reconciler.clear()),
  };
}

interface StatusController<T extends ObjectWithStatus> {
  readonly controller: Controller;
  readonly reconciler: StatusReconciler<T>;
  readonly enqueue: (key: string) => void;
}

function statusController<T extends ObjectWithStatus>(
  options: ClusterControllerOptions,
  name: string,
  kind: StatusKind<T>,
  delayMs: number,
): StatusController<T> {
  const reconciler = new StatusReconciler(kind, options.client, options.clock);
  const keys = (): Iterable<string> => reconciler.outdated();
  const controller = newController(options, { name, kind: kind.type.kind, reconciler, keys, workers: 1 });
  return { controller, reconciler, enqueue: (key) => controller.addAfter(key, delayMs) };
}

/** Enqueues the sets, bindings and clusters whose status is outdated after a change of a set, a binding, a Placement or a cluster. */
function watch(
  caches: ClusterCaches,
  { membership, usage, placements }: ClusterIndexes,
  of: {
    readonly sets: StatusController<ManagedClusterSet>;
    readonly bindings: StatusController<ManagedClusterSetBinding>;
    readonly clusters: StatusController<ManagedCluster>;
  },
): void {
  const { sets, bindings, clusters } = of;
  caches.clusters.onChange(({ key, after }) => {
    if (after !== undefined && clusters.reconciler.isOutdated(after)) clusters.enqueue(key);
  });
  caches.sets.onChange(({ key, before, after }) => {
    if ((before === undefined) !== (after === undefined))
      for (const cluster of membership.labelled(key)) clusters.enqueue(cluster);
    if (after === undefined || sets.reconciler.isOutdated(after)) sets.enqueue(key);
    for (const binding of caches.bindings.store.byIndex(BY_SET, key))
      if (bindings.reconciler.isOutdated(binding)) bindings.enqueue(keyOf(binding.metadata));
  });
  caches.bindings.onChange(({ key, after }) => {
    if (after === undefined || bindings.reconciler.isOutdated(after)) bindings.enqueue(key);
  });
  for (const cache of [caches.sets, caches.bindings, placements]) {
    cache.onChange(() => {
      const changed = usage.takeChanges();
      for (const set of changed.sets) sets.enqueue(set);
      for (const binding of changed.bindings) bindings.enqueue(binding);
    });
  }
}

/** The kinds whose status the clusters controller writes, each with the status that it should have. */

/**
 * ManagedClusterSets: the number of their clusters, without those that are being deleted, which are no candidates, and
 * whether a Placement may select from them.
 */
function clusterSetKind(
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
function clusterKind({ clusters, sets }: ClusterCaches): StatusKind<ManagedCluster> {
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
