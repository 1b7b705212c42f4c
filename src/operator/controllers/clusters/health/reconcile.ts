import type { ManagedCluster } from '../../../../api/generated/managedcluster.js';
import { HEALTH_FIELD_MANAGER } from '../../../../api/names.js';
import { ManagedClusters } from '../../../../api/resources.js';
import { apiVersionOf } from '../../../../runtime/vocabulary/kinds.js';
import { refusedConditions } from '../../../../domain/health/conditions.js';
import { clusterEvents } from '../../../../domain/health/events.js';
import type { HealthStatus } from '../../../../domain/health/status.js';
import type { KubeClient } from '../../../../runtime/client/client.js';
import type { EventRecorder } from '../../../../runtime/events/recorder.js';
import type { Clock } from '../../../../runtime/clock.js';
import { isFailure, type ApiError } from '../../../../runtime/errors.js';
import { MutationCache } from '../../../../runtime/controller/mutationcache.js';
import { DONE, type Pass, type Reconciler, type Result } from '../../../../runtime/controller/result.js';
import type { ClusterHealth, HealthObserver } from './observer.js';

const headOf = ({ metadata: { name, uid = '' } }: ManagedCluster) => ({
  apiVersion: apiVersionOf(ManagedClusters),
  kind: ManagedClusters.kind,
  metadata: { name, uid },
});

/** `cluster`: as it was read or last written. */
const optionsFor = ({ metadata: { resourceVersion } }: ManagedCluster, signal: AbortSignal) => ({
  fieldManager: HEALTH_FIELD_MANAGER,
  force: true,
  resourceVersion,
  signal,
});

/** Ms between two writes of the status Unknown: a whole fleet can become silent at once. */
const UNKNOWN_INTERVAL_MS = 50;
const CONFLICT_RETRY_MS = 1_000;

export interface HealthReconcilerOptions {
  readonly client: KubeClient;
  readonly clusters: { readonly get: (name: string) => ManagedCluster | undefined };
  readonly observer: HealthObserver;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
}

/**
 * Writes the conditions, the taint and the times of taints of one ManagedCluster, by server-side apply: all other fields
 * are those of people and of agents. The taint comes first: it carries its time itself.
 */
export class HealthReconciler implements Reconciler {
  readonly mutations: MutationCache<ManagedCluster>;
  readonly #options: HealthReconcilerOptions;
  /** Cluster → monotonic ms from which its status Unknown may be written. */
  readonly #slots = new Map<string, number>();
  #nextSlot = 0;

  constructor(options: HealthReconcilerOptions) {
    this.#options = options;
    this.mutations = new MutationCache(options.clock);
  }

  /** Drops what is known of earlier writes: another process may have written since. */
  clear(): void {
    this.mutations.clear();
    this.#slots.clear();
  }

  async reconcile(name: string, { signal }: Pass): Promise<Result> {
    const { clusters, observer } = this.#options;
    const cluster = this.mutations.newest(name, clusters.get(name));
    if (cluster === undefined) return this.#done(name);
    const health = observer.healthOf(cluster);
    if (health.writes.status === undefined && health.writes.taints === undefined) return this.#done(name);
    const waitMs = this.#untilSlot(name, health);
    if (waitMs > 0) return { ending: 'done', requeueAfterMs: waitMs };
    try {
      await this.#apply(cluster, health, signal);
      this.#report(cluster, health);
    } catch (error) {
      if (isFailure(error, 'Conflict'))
        return { ending: 'wait', reason: 'the cluster was changed meanwhile', afterMs: CONFLICT_RETRY_MS };
      if (isFailure(error, 'NotFound')) return DONE;
      if (isFailure(error, 'Invalid')) await this.#reportRefusal(name, error, signal);
      throw error;
    }
    return DONE;
  }

  #done(name: string): Result {
    this.#slots.delete(name);
    return DONE;
  }

  async #apply(cluster: ManagedCluster, { writes }: ClusterHealth, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    let current = cluster;
    if (writes.taints !== undefined) {
      const spec = writes.taints.length === 0 ? {} : { taints: [...writes.taints] };
      const object = { ...headOf(cluster), spec };
      current = await client.apply<ManagedCluster>(ManagedClusters, object, optionsFor(cluster, signal));
      this.mutations.mutated(cluster.metadata.name, current);
    }
    if (writes.status !== undefined) await this.#applyStatus(current, writes.status, signal);
  }

  #report(cluster: ManagedCluster, { view, judgement, writes }: ClusterHealth): void {
    const regarding = { ...headOf(cluster), metadata: cluster.metadata };
    for (const { type, reason, note } of clusterEvents(view.stored, judgement, writes))
      this.#options.recorder.record({ regarding, type, reason, action: 'Judge', note });
  }

  async #applyStatus(
    cluster: ManagedCluster,
    { conditions, taintTimes }: HealthStatus,
    signal: AbortSignal,
  ): Promise<void> {
    const status = {
      ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
      ...(taintTimes.length === 0 ? {} : { taintTimes: [...taintTimes] as never[] }),
    };
    // An empty status would stay owned by this manager, and become null when its last field goes.
    const object = { ...headOf(cluster), spec: {}, ...(Object.keys(status).length === 0 ? {} : { status }) };
    const options = optionsFor(cluster, signal);
    const stored = await this.#options.client.applyStatus<ManagedCluster>(ManagedClusters, object, options);
    this.mutations.mutated(cluster.metadata.name, stored);
  }

  /** The cluster says what the hub cannot write: the log alone would reach nobody who reads the cluster. */
  async #reportRefusal(name: string, error: ApiError, signal: AbortSignal): Promise<void> {
    const { clusters, observer } = this.#options;
    const cluster = this.mutations.newest(name, clusters.get(name));
    if (cluster === undefined) return;
    const { stored } = observer.healthOf(cluster).view;
    const conditions = refusedConditions(stored.conditions, error.message, observer.now());
    if (conditions === undefined) return;
    try {
      await this.#applyStatus(cluster, { conditions, taintTimes: stored.taintTimes }, signal);
    } catch (failure) {
      // The first refusal is thrown and logged; this one has the same cause, or the next pass meets its own.
      if (!isFailure(failure, 'Invalid', 'Conflict', 'NotFound')) throw failure;
    }
  }

  /** Ms until the status Unknown may be written; 0 for every other write. */
  #untilSlot(name: string, { judgement, writes }: ClusterHealth): number {
    const isLoss = judgement.kind === 'judged' && judgement.conditions.availability === 'unknown';
    if (!isLoss || writes.status === undefined) return 0;
    const now = this.#options.clock.monotonic();
    const slot = this.#slots.get(name) ?? Math.max(now, this.#nextSlot);
    if (slot <= now) {
      this.#slots.delete(name);
      this.#nextSlot = Math.max(this.#nextSlot, now + UNKNOWN_INTERVAL_MS);
      return 0;
    }
    if (!this.#slots.has(name)) this.#nextSlot = slot + UNKNOWN_INTERVAL_MS;
    this.#slots.set(name, slot);
    return slot - now;
  }
}
