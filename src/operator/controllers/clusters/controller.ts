import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets } from '../../../api/resources.js';
import type { KubeClient } from '../../../runtime/client/client.js';
import type { Controller } from '../../../runtime/controller/controller.js';
import { newController, type SharedOptions } from '../controller.js';
import type { ClusterCaches, ClusterIndexes } from './caches.js';
import { bindingKind, setKind } from './kinds.js';
import { StatusReconciler } from './reconcile.js';
import { ComplaintReconciler } from './complaints.js';
import { watchClusters } from './watches.js';

export interface ClusterControllerOptions extends SharedOptions {
  /** Guarded by `clusterRights`. */
  readonly client: KubeClient;
  /** Created with `clusterCacheOptions`, not started yet. */
  readonly caches: ClusterCaches;
  /** Ms that a change waits for others, so that one reconcile covers them all. */
  readonly settleWindowMs: number;
}

export interface ClusterControllers {
  readonly controllers: readonly Controller[];
  readonly enqueueSet: (name: string) => void;
  /** Subscribes to the caches: to be called after the owner of the indexes has subscribed to them. */
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
  const { caches, client, clock, settleWindowMs } = options;
  const sets = new StatusReconciler(setKind(caches, indexes), client, clock);
  const bindings = new StatusReconciler(bindingKind(caches, indexes), client, clock);
  const setController = newController(options, {
    name: 'clusterset',
    kind: ManagedClusterSets.kind,
    reconciler: sets,
    keys: () => caches.sets.store.keys(),
    workers: 1,
  });
  const bindingController = newController(options, {
    name: 'clustersetbinding',
    kind: ManagedClusterSetBindings.kind,
    reconciler: bindings,
    keys: () => caches.bindings.store.keys(),
    workers: 1,
  });
  const complaints = new ComplaintReconciler(caches, client, clock);
  const clusterController = newController(options, {
    name: 'managedcluster',
    kind: ManagedClusters.kind,
    reconciler: complaints,
    keys: () => complaints.outdated(),
    workers: 1,
  });
  const enqueueCluster = (name: string): void => clusterController.addAfter(name, COMPLAINT_DELAY_MS);
  const enqueueSet = (name: string): void => setController.addAfter(name, settleWindowMs);
  const enqueueBinding = (key: string): void => bindingController.addAfter(key, settleWindowMs);
  const reconcilers = { sets, bindings, complaints, enqueueSet, enqueueBinding, enqueueCluster };
  return {
    controllers: [setController, bindingController, clusterController],
    enqueueSet,
    watch: () => watchClusters(caches, indexes, reconcilers),
    clear: () => {
      sets.clear();
      bindings.clear();
    },
  };
}
