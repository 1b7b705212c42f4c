import type { ManagedCluster } from '../../../../src/api/generated/managedcluster.js';
import type { ManagedClusterSet } from '../../../../src/api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../../../src/api/generated/managedclustersetbinding.js';
import type { Placement, PlacementSpec, PlacementStatus } from '../../../../src/api/generated/placement.js';
import type { PlacementDecision } from '../../../../src/api/generated/placementdecision.js';
import type { Condition, KubeObject, ObjectMeta } from '../../../../src/runtime/vocabulary/meta.js';
import { CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../../../src/api/resources.js';
import { apiVersionOf, CustomResourceDefinitions } from '../../../../src/runtime/vocabulary/kinds.js';
import { placementCacheOptions } from '../../../../src/operator/controllers/placement/caches.js';
import {
  createPlacementControllers,
  type PlacementControllers,
} from '../../../../src/operator/controllers/placement/controller.js';
import { decisionObject } from '../../../../src/domain/placement/stored/decision.js';
import { contentOf } from '../../../../src/domain/placement/stored/items.js';
import type { EventNote } from '../../../../src/runtime/events/recorder.js';
import type { PlacementInfo, PlacementMetrics } from '../../../../src/operator/controllers/metrics.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { FakeApi } from '../../fakes/api.js';
import type { FakeCache } from '../../fakes/cache.js';
import { RecordingLog } from '../../fakes/log.js';

export const NAMESPACE = 'team';

export interface PlacementRigCaches {
  readonly placements: FakeCache<Placement>;
  readonly decisions: FakeCache<PlacementDecision>;
  readonly clusters: FakeCache<ManagedCluster>;
  readonly sets: FakeCache<ManagedClusterSet>;
  readonly bindings: FakeCache<ManagedClusterSetBinding>;
}

/** One process with the placement controllers, on an API server in memory. Set `fleet` exists and is bound to `team`. */
export class PlacementRig {
  readonly clock: ManualClock;
  readonly api: FakeApi;
  readonly log = new RecordingLog();
  readonly events: EventNote[] = [];
  readonly infos: PlacementInfo[] = [];
  readonly latencies: number[] = [];
  readonly caches: PlacementRigCaches;
  readonly group: PlacementControllers;
  #end = new AbortController();

  /** `on`: another process whose API server is shared; `metrics`: replaces the recording ones. */
  constructor(on?: PlacementRig, metrics?: PlacementMetrics) {
    this.clock = on?.clock ?? new ManualClock();
    this.api = on?.api ?? new FakeApi(this.clock);
    this.caches = {
      placements: this.api.cache(placementCacheOptions.placements),
      decisions: this.api.cache(placementCacheOptions.decisions),
      clusters: this.api.cache(placementCacheOptions.clusters),
      sets: this.api.cache(placementCacheOptions.sets),
      bindings: this.api.cache(placementCacheOptions.bindings),
    };
    this.group = createPlacementControllers({
      client: this.api,
      caches: this.caches,
      recorder: { record: (event) => void this.events.push(event), flush: () => Promise.resolve() },
      clock: this.clock,
      random: () => 0,
      log: this.log,
      settleWindowMs: 50,
      workers: 4,
      metrics: metrics ?? {
        placement: (info) => void this.infos.push(info),
        placementGone: (namespace, name) =>
          void this.infos.push({ namespace, name, phase: 'gone', clusters: 0, held: 0 }),
        decided: (seconds) => void this.latencies.push(seconds),
      },
    });
    if (on === undefined) this.#createDefaults();
  }

  /** Starts caches and controllers, and waits until they are idle. */
  async start(): Promise<this> {
    for (const cache of Object.values(this.caches)) cache.start();
    this.acquireLease();
    await this.untilIdle();
    return this;
  }

  /** Acquires the lease and starts the controllers. */
  acquireLease(): void {
    this.#end = new AbortController();
    this.group.onStartedLeading(this.#end.signal);
    for (const one of this.group.controllers) one.start();
  }

  /** Loses the lease and stops the controllers. */
  async loseLease(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.group.controllers.map((one) => one.stop(0)));
  }

  /** Advances the clock until no calls are made any more. */
  async untilIdle(ms = 3_000): Promise<void> {
    await this.clock.advance(ms);
    for (let before = -1; before !== this.api.calls.length;) {
      before = this.api.calls.length;
      await this.clock.advance(200);
    }
  }

  cluster(
    name: string,
    labels: Record<string, string> = {},
    over: { claims?: Record<string, string>; set?: string; taints?: ManagedCluster['spec']['taints'] } = {},
  ): void {
    const claims = Object.entries(over.claims ?? {}).map(([claim, value]) => ({ name: claim, value }));
    const all = { [CLUSTER_SET_LABEL]: over.set ?? 'fleet', ...labels };
    this.api.put<ManagedCluster>(ManagedClusters, {
      metadata: { name, labels: all },
      spec: over.taints === undefined ? {} : { taints: over.taints },
      status: { clusterClaims: claims },
    });
  }

  clusters(...names: readonly string[]): void {
    for (const name of names) this.cluster(name);
  }

  /** Marks a cluster as being deleted, with a finalizer that prevents the end of it. */
  deleting(name: string): void {
    const stored = this.api.peek<ManagedCluster>(ManagedClusters, { name });
    if (stored === undefined) throw new Error(`no cluster ${name}`);
    const metadata = {
      ...stored.metadata,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['example.com/hold'],
    };
    this.api.put(ManagedClusters, { ...stored, metadata });
  }

  set(name: string, spec: unknown = {}): void {
    this.api.put(ManagedClusterSets, { metadata: { name }, spec } as unknown as ManagedClusterSet);
  }

  bind(name: string, clusterSet = name, namespace = NAMESPACE): void {
    this.api.put<ManagedClusterSetBinding>(ManagedClusterSetBindings, {
      metadata: { name, namespace },
      spec: { clusterSet },
    });
  }

  place(name: string, spec: unknown = {}, metadata: Partial<ObjectMeta> = {}): Placement {
    const stored = this.api.peek<Placement>(Placements, { namespace: NAMESPACE, name });
    const status: PlacementStatus = stored?.status ?? { observedGeneration: -1 };
    return this.api.put<Placement>(Placements, {
      metadata: { namespace: NAMESPACE, name, ...metadata },
      spec: spec as PlacementSpec,
      status,
    });
  }

  /** The decision of a Placement: names of clusters by object, `decision-1` first. */
  decision(placement: string): Record<string, readonly string[]> {
    const found = this.api
      .all<PlacementDecision>(PlacementDecisions)
      .filter((one) => one.metadata.name.startsWith(`${placement}-decision-`));
    return Object.fromEntries(
      found.map((one) => [
        one.metadata.name.slice(placement.length + 1),
        one.status.decisions.map((item) => item.clusterName),
      ]),
    );
  }

  status(placement: string): PlacementStatus {
    return this.api.peek<Placement>(Placements, { namespace: NAMESPACE, name: placement })?.status ?? {};
  }

  condition(placement: string, type: string): Condition | undefined {
    return this.status(placement).conditions?.find((one) => one.type === type);
  }

  /** Stores a decision object of `placement` as the controller writes it, with the metadata of `over`. */
  store(placement: Placement, ordinal: number, clusters: readonly string[], over: Partial<ObjectMeta> = {}): void {
    const { name, namespace = '', uid = '' } = placement.metadata;
    const object = decisionObject({ name, namespace, uid }, ordinal, contentOf(clusters));
    this.api.put<PlacementDecision>(PlacementDecisions, { ...object, metadata: { ...object.metadata, ...over } });
  }

  /** The writes since `mark`, without those of sets and bindings. */
  writesSince(mark: number): string[] {
    return this.api.writes.slice(mark).filter((write) => !write.includes('managedcluster'));
  }

  get mark(): number {
    return this.api.writes.length;
  }

  #createDefaults(): void {
    for (const type of [ManagedClusters, ManagedClusterSets, ManagedClusterSetBindings]) {
      const metadata = { name: `${type.plural}.${type.group}`, creationTimestamp: '2025-06-01T00:00:00Z' };
      this.api.put<KubeObject>(CustomResourceDefinitions, {
        apiVersion: apiVersionOf(CustomResourceDefinitions),
        metadata,
      });
    }
    this.set('fleet');
    this.bind('fleet');
  }
}
