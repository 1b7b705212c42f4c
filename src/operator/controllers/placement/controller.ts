import { Placements } from '../../../api/resources.js';
import { COLLECTION_WINDOW, type CollectionWindow } from '../../../domain/placement/select/waiting.js';
import { Expressions } from '../../../domain/placement/spec/expression.js';
import { DecisionIndex } from '../../index/decisionindex.js';
import { MembershipIndex } from '../../index/membershipindex.js';
import { PlacementIndex } from '../../index/placementindex.js';
import { SetUsage } from '../../index/setusage.js';
import type { EventRecorder } from '../../../runtime/events/recorder.js';
import type { Controller } from '../../../runtime/controller/controller.js';
import type { PlacementMetrics } from '../metrics.js';
import { ChangeFilter, MutationCache } from '../../../runtime/controller/mutationcache.js';
import { createClusterControllers, type ClusterControllerOptions } from '../clusters/controller.js';
import { newController } from '../controller.js';
import { storedClusters, type PlacementCaches } from './caches.js';
import { DeletionCheck } from '../deletions.js';
import { PlacementReconciler } from './reconcile.js';
import { type PlacementContext, ExplanationLimit } from './scope.js';
import { watchCaches } from './watches.js';

/** `client` is guarded by `placementRights` and `clusterRights`. */
export interface PlacementGroupOptions extends ClusterControllerOptions {
  /** Created with `placementCacheOptions`, not started yet. */
  readonly caches: PlacementCaches;
  readonly recorder: EventRecorder;
  /** How many Placements are reconciled at the same time. */
  readonly workers: number;
  /** How long removals under a disruption budget wait for others. */
  readonly collectionWindow?: CollectionWindow;
  readonly metrics?: PlacementMetrics;
}

export interface PlacementControllers {
  readonly controllers: readonly Controller[];
  /** To be called each time the lease is acquired, before the controllers start; `end` fires when it is lost. */
  readonly onStartedLeading: (end: AbortSignal) => void;
}

/** The controllers of Placements and, with the same caches and lease, those of {@link createClusterControllers}. */
export function createPlacementControllers(options: PlacementGroupOptions): PlacementControllers {
  const { client, clock, caches, recorder, metrics, settleWindowMs, workers } = options;
  const membership = new MembershipIndex();
  const usage = new SetUsage();
  const decisions = new DecisionIndex((key) => storedClusters(key, caches));
  const clusters = createClusterControllers(options, { membership, usage, placements: caches.placements });
  const index = new PlacementIndex(membership, usage, decisions);
  const context: PlacementContext = {
    client,
    clock,
    caches,
    index,
    mutations: { placements: new MutationCache(clock), decisions: new MutationCache(clock) },
    changeFilter: new ChangeFilter(),
    expressions: new Expressions(),
    states: new Map(),
    earlier: new Map(),
    collectionWindow: options.collectionWindow ?? COLLECTION_WINDOW,
    deletions: new DeletionCheck(client, clock),
    triggers: new Map(),
    postponed: new Set(),
    recorder,
    explanations: new ExplanationLimit(clock, settleWindowMs),
    enqueue: (key) => placements.addAfter(key, settleWindowMs),
    enqueueAfter: (key, ms) => placements.addAfter(key, ms),
    ...(metrics && { metrics }),
  };
  watchCaches(context, clusters.enqueueSet);
  clusters.watch();
  const placements = newController(options, {
    name: 'placement',
    kind: Placements.kind,
    reconciler: new PlacementReconciler(context),
    keys: () => index.keys(),
    workers,
  });
  const { states, triggers, mutations } = context;
  const onStartedLeading = (end: AbortSignal): void => {
    // Another process may have published since this one had the lease.
    for (const one of [states, triggers, mutations.placements, mutations.decisions, clusters]) one.clear();
    decisions.doubt();
    index.tracking = true;
    end.addEventListener('abort', () => (index.tracking = false), { once: true });
  };
  return { controllers: [placements, ...clusters.controllers], onStartedLeading };
}
