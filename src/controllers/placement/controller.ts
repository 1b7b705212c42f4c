import type { KubeObject } from '../../api/meta.js';
import { keyOf, ManagedClusterSetBindings, ManagedClusterSets, Placements } from '../../api/resources.js';
import type { Cache } from '../../kube/cache/reflector.js';
import type { KubeClient } from '../../kube/client/client.js';
import type { EventRecorder } from '../../kube/events/recorder.js';
import { MembershipIndex } from '../../index/membershipindex.js';
import { PlacementIndex } from '../../index/placementindex.js';
import type { Clock, Random } from '../../runtime/clock.js';
import { createController, type Controller } from '../../runtime/controller.js';
import type { Logger } from '../../runtime/logger.js';
import type { ControllerMetrics, PlacementMetrics } from '../../runtime/metrics.js';
import type { Reconciler } from '../../runtime/result.js';
import { bindingKind, setKind } from '../clusters/kinds.js';
import { StatusReconciler } from '../clusters/status.js';
import { watchClusters } from '../clusters/watches.js';
import type { PlacementCaches } from './caches.js';
import type { Sources } from './gather.js';
import { Inputs } from './inputs.js';
import { MutationCache } from '../../runtime/mutationcache.js';
import { Memory } from './memory.js';
import { PlacementReconciler } from './reconcile.js';
import { watch } from './watches.js';

export interface PlacementGroupOptions {
  /** Guarded by `placementRights` and `clusterRights`. */
  readonly client: KubeClient;
  /** Made by `placementCacheOptions`, not started yet. */
  readonly caches: PlacementCaches;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Ms that a change waits for others that belong to it. */
  readonly settleWindowMs: number;
  /** Passes of Placements at a time. */
  readonly workers: number;
  readonly resyncMs?: number;
  readonly metrics?: PlacementMetrics;
  readonly controllerMetrics?: (controller: string) => ControllerMetrics;
}

export interface PlacementControllers {
  readonly controllers: readonly Controller[];
  /** To be called each time the lease is held, before the controllers start; `end` fires when it is lost. */
  readonly onStartedLeading: (end: AbortSignal) => void;
}

interface Kind {
  readonly name: string;
  readonly kind: string;
  readonly reconciler: Reconciler;
  readonly keys: () => Iterable<string>;
  readonly workers: number;
}

/** The controllers of Placements, ManagedClusterSets and ManagedClusterSetBindings: one set of caches, one lease. */
export function createPlacementControllers(options: PlacementGroupOptions): PlacementControllers {
  const { caches, client, clock, settleWindowMs } = options;
  const membership = new MembershipIndex((set) => setController.addAfter(set, settleWindowMs));
  const sources = newSources(caches, membership, clock);
  const inputs = new Inputs(client, caches, clock);
  const ask = (key: string): void => placementController.addAfter(key, settleWindowMs);
  watch(sources, inputs, ask);
  const sets = new StatusReconciler(setKind(caches, membership), client, clock);
  const bindings = new StatusReconciler(bindingKind(caches), client, clock);
  watchClusters(
    caches,
    { sets, bindings },
    {
      sets: (key) => setController.addAfter(key, settleWindowMs),
      bindings: (key) => bindingController.addAfter(key, settleWindowMs),
    },
  );
  const placements = newPlacementReconciler(options, sources, inputs, ask);
  const { index: inventory } = sources;
  const placementController = controllerOf(options, {
    name: 'placement',
    kind: Placements.kind,
    reconciler: placements,
    keys: () => inventory.keys(),
    workers: options.workers,
  });
  const setController = controllerOf(options, {
    name: 'clusterset',
    kind: ManagedClusterSets.kind,
    reconciler: sets,
    keys: () => keysOf(caches.sets),
    workers: 1,
  });
  const bindingController = controllerOf(options, {
    name: 'clustersetbinding',
    kind: ManagedClusterSetBindings.kind,
    reconciler: bindings,
    keys: () => keysOf(caches.bindings),
    workers: 1,
  });
  const onStartedLeading = (end: AbortSignal): void => {
    for (const one of [sources.memory, sources.latestPlacements, sources.latestDecisions, sets, bindings]) one.clear();
    inventory.tracking = true;
    end.addEventListener('abort', () => (inventory.tracking = false), { once: true });
  };
  return { controllers: [placementController, setController, bindingController], onStartedLeading };
}

function newSources(caches: PlacementCaches, membership: MembershipIndex, clock: Clock): Sources {
  return {
    caches,
    index: new PlacementIndex(membership),
    memory: new Memory(),
    latestPlacements: new MutationCache(clock),
    latestDecisions: new MutationCache(clock),
  };
}

function newPlacementReconciler(
  { client, clock, recorder, metrics }: PlacementGroupOptions,
  sources: Sources,
  inputs: Inputs,
  again: (key: string) => void,
): PlacementReconciler {
  const { latestPlacements, latestDecisions } = sources;
  const writing = { client, clock, latestPlacements, latestDecisions };
  return new PlacementReconciler({ sources, inputs, writing, recorder, again, ...(metrics && { metrics }) });
}

function controllerOf(
  { clock, random, log, resyncMs, controllerMetrics }: PlacementGroupOptions,
  kind: Kind,
): Controller {
  const metrics = controllerMetrics?.(kind.name);
  return createController({
    ...kind,
    clock,
    random,
    log,
    ...(resyncMs !== undefined && { resyncMs }),
    ...(metrics && { metrics }),
  });
}

function* keysOf<T extends KubeObject>({ store }: Cache<T>): Generator<string> {
  for (const { metadata } of store.values()) yield keyOf(metadata);
}
