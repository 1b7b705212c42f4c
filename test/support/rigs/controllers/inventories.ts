import type { ManagedCluster } from '../../../../src/api/generated/managedcluster.js';
import type { KubeObject, ResourceType } from '../../../../src/runtime/vocabulary/meta.js';
import {
  ClusterProfiles,
  ManagedClusters,
  OcmAddOnPlacementScores,
  OcmManagedClusters,
} from '../../../../src/api/resources.js';
import { apiVersionOf, CustomResourceDefinitions } from '../../../../src/runtime/vocabulary/kinds.js';
import {
  createInventoryControllers,
  type InventoryControllers,
} from '../../../../src/operator/controllers/inventories/controller.js';
import { BY_NAMESPACE } from '../../../../src/operator/controllers/inventories/gather.js';
import { inventoryRights } from '../../../../src/operator/controllers/inventories/rights.js';
import { clusterProfileInventory, ocmInventory, type SourceObject } from '../../../../src/domain/inventories/source.js';
import type { EventNote } from '../../../../src/runtime/events/recorder.js';
import { guardClient } from '../../../../src/runtime/client/guard.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { FakeApi } from '../../fakes/api.js';
import type { FakeCache } from '../../fakes/cache.js';
import { RecordingLog } from '../../fakes/log.js';

export const INVENTORY_NAMESPACE = 'fleet';

/** One process with the controller of inventories, both turned on, on an API server in memory. */
export class InventoryRig {
  readonly clock = new ManualClock();
  readonly api = new FakeApi(this.clock);
  readonly log = new RecordingLog();
  readonly events: EventNote[] = [];
  readonly clusters: FakeCache<ManagedCluster>;
  readonly profiles: FakeCache<SourceObject>;
  readonly ocm: FakeCache<SourceObject>;
  readonly scores: FakeCache<SourceObject>;
  readonly #group: InventoryControllers;

  constructor() {
    this.clusters = this.api.cache<ManagedCluster>({ type: ManagedClusters });
    this.profiles = this.api.cache<SourceObject>({ type: ClusterProfiles });
    this.ocm = this.api.cache<SourceObject>({ type: OcmManagedClusters });
    this.scores = this.api.cache<SourceObject>({
      type: OcmAddOnPlacementScores,
      indexers: { [BY_NAMESPACE]: ({ metadata }) => [metadata.namespace ?? ''] },
    });
    const leadership = { held: () => true, identity: 'test' };
    this.#group = createInventoryControllers({
      client: guardClient(this.api, inventoryRights, { leadership, log: this.log }),
      clusters: this.clusters,
      inventories: [
        { inventory: clusterProfileInventory, cache: this.profiles, namespace: INVENTORY_NAMESPACE },
        { inventory: ocmInventory, cache: this.ocm, namespace: undefined, scores: this.scores },
      ],
      recorder: { record: (event) => void this.events.push(event), flush: () => Promise.resolve() },
      clock: this.clock,
      random: () => 0,
      log: this.log,
      settleWindowMs: 50,
      workers: 4,
    });
    for (const type of [ClusterProfiles, OcmManagedClusters]) this.define(type);
  }

  async start(): Promise<this> {
    for (const source of this.#group.sources) source.start();
    this.#group.onStartedLeading();
    for (const one of this.#group.controllers) one.start();
    await this.converge();
    return this;
  }

  /** Lets the controller work for this long, ms. */
  async converge(ms = 2_000): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) await this.clock.advance(500);
  }

  define(type: ResourceType, creationTimestamp = '2025-06-01T00:00:00Z'): void {
    const metadata = { name: `${type.plural}.${type.group}`, creationTimestamp };
    this.api.put<KubeObject>(CustomResourceDefinitions, {
      apiVersion: apiVersionOf(CustomResourceDefinitions),
      metadata,
    });
  }

  profile(name: string, labels: Record<string, string> = {}, status: object = {}): void {
    const spec = { clusterManager: { name: 'manager' } };
    const metadata = { namespace: INVENTORY_NAMESPACE, name, labels };
    this.api.put<SourceObject>(ClusterProfiles, { metadata, spec, status });
  }

  removeProfile(name: string): void {
    this.api.remove(ClusterProfiles, { namespace: INVENTORY_NAMESPACE, name });
  }

  ocmCluster(name: string, labels: Record<string, string> = {}): void {
    const spec = { hubAcceptsClient: true };
    const conditions = [{ type: 'ManagedClusterConditionAvailable', status: 'True', reason: 'Available', message: '' }];
    this.api.put<SourceObject>(OcmManagedClusters, { metadata: { name, labels }, spec, status: { conditions } });
  }

  ocmScore(namespace: string, name: string, scores: Record<string, number>, validUntil?: string): void {
    const list = Object.entries(scores).map(([one, value]) => ({ name: one, value }));
    const status = { scores: list, ...(validUntil !== undefined && { validUntil }) };
    this.api.put<SourceObject>(OcmAddOnPlacementScores, { metadata: { namespace, name }, status });
  }

  cluster(name: string): ManagedCluster | undefined {
    return this.api.peek<ManagedCluster>(ManagedClusters, { name });
  }

  names(): readonly string[] {
    return this.api.all<ManagedCluster>(ManagedClusters).map(({ metadata }) => metadata.name);
  }

  /** The messages of the log at level warn. */
  warnings(): readonly string[] {
    return this.log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  }
}
