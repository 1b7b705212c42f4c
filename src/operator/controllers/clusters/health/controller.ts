import { ManagedClusters } from '../../../../api/resources.js';
import type { EventRecorder } from '../../../../runtime/events/recorder.js';
import type { Controller } from '../../../../runtime/controller/controller.js';
import type { ClusterControllerOptions } from '../controller.js';
import { newController } from '../../controller.js';
import { HealthObserver, type HealthCaches } from './observer.js';
import { HealthReconciler } from './reconcile.js';

/** `client` is guarded by `healthRights`. */
export interface HealthControllerOptions extends Omit<ClusterControllerOptions, 'caches' | 'settleWindowMs'> {
  /** Not started yet. */
  readonly caches: HealthCaches;
  readonly recorder: EventRecorder;
  /** The hub's wall clock, ms since the epoch. */
  readonly wall: () => number;
  /** How many clusters are written at the same time. */
  readonly workers: number;
}

export interface HealthControllers {
  readonly controllers: readonly Controller[];
  /** Observes the fleet on every replica: a source of the group, beside the caches. */
  readonly observer: HealthObserver;
  /** To be called each time the lease is acquired, before the controllers start; `end` fires when it is lost. */
  readonly onStartedLeading: (end: AbortSignal) => void;
}

/** The controller that judges the clusters by the Leases of their agents. */
export function createHealthControllers(options: HealthControllerOptions): HealthControllers {
  const { caches, client, clock, recorder, wall, workers } = options;
  const observer = new HealthObserver({ caches, clock, wall, recorder, enqueue: (name) => controller.add(name) });
  const reconciler = new HealthReconciler({ client, clusters: caches.clusters.store, observer, recorder, clock });
  caches.clusters.onChange((change) => reconciler.observe(change));
  const controller = newController(options, {
    name: 'clusterhealth',
    kind: ManagedClusters.kind,
    reconciler,
    keys: () => observer.outdated(),
    workers,
  });
  const onStartedLeading = (end: AbortSignal): void => {
    reconciler.clear();
    observer.leading = true;
    end.addEventListener('abort', () => (observer.leading = false), { once: true });
  };
  return { controllers: [controller], observer, onStartedLeading };
}
