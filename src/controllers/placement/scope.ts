import type { PlacementIndex } from '../../index/placementindex.js';
import type { KubeClient } from '../../kube/client/client.js';
import type { EventRecorder } from '../../kube/events/recorder.js';
import type { Clock } from '../../runtime/clock.js';
import type { PlacementMetrics } from '../../runtime/metrics.js';
import type { Pass } from '../../runtime/result.js';
import type { PlacementCaches } from './caches.js';
import type { ChangeFilter, PlacementMutations } from './changes.js';
import type { DeletionCheck } from './deletions.js';
import type { PlacementMemory } from './memory.js';

/** What all reconciles of Placements share. */
export interface PlacementContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly caches: PlacementCaches;
  readonly index: PlacementIndex;
  readonly mutations: PlacementMutations;
  readonly changes: ChangeFilter;
  readonly memory: PlacementMemory;
  readonly deletions: DeletionCheck;
  /** Keys to enqueue again as soon as all caches are current. */
  readonly postponed: Set<string>;
  readonly recorder: EventRecorder;
  readonly metrics?: PlacementMetrics;
  /** Requests a reconcile of a Placement. */
  readonly enqueue: (key: string) => void;
}

/** What one reconcile of one Placement works with. */
export interface ReconcileScope extends PlacementContext {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly pass: Pass;
}
