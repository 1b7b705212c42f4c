import type { ClusterTaint, ManagedCluster } from '../../../../src/api/generated/managedcluster.js';
import type { ManagedClusterSet } from '../../../../src/api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../../../src/api/generated/managedclustersetbinding.js';
import type { Placement, PlacementSpec } from '../../../../src/api/generated/placement.js';
import type { PlacementDecision } from '../../../../src/api/generated/placementdecision.js';
import type { KubeObject, ObjectName, ResourceType, RawObject } from '../../../../src/runtime/vocabulary/meta.js';
import { CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../../../src/api/resources.js';
import { Namespaces } from '../../../../src/runtime/vocabulary/kinds.js';
import { clusterRights } from '../../../../src/operator/controllers/clusters/rights.js';
import { placementCacheOptions, type PlacementCaches } from '../../../../src/operator/controllers/placement/caches.js';
import { createPlacementControllers } from '../../../../src/operator/controllers/placement/controller.js';
import { placementRights } from '../../../../src/operator/controllers/placement/rights.js';
import type { KubeClient } from '../../../../src/runtime/client/client.js';
import { createCache } from '../../../../src/runtime/cache/reflector.js';
import { createClient } from '../../../../src/runtime/client/rest.js';
import type { Transport } from '../../../../src/runtime/transport/transport.js';
import { againOnConflict } from '../../clients/conflict.js';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { transportOf } from '../../clients/transport.js';
import { GroupRig, writesOf } from './group.js';

const AGENT = 'placement-under-test';

/** The placement group as the operator runs it, without its lease. */
export class PlacementServerRig extends GroupRig {
  readonly #caches: PlacementCaches;

  constructor(server: ControlPlane) {
    super(server.adminKubeconfig, { userAgent: AGENT, limits: { default: { qps: 1_000, burst: 1_000 } } });
    this.#caches = this.#open();
    const { controllers, onStartedLeading } = createPlacementControllers({
      client: this.guarded([...placementRights, ...clusterRights]),
      caches: this.#caches,
      recorder: this.recorder(),
      ...this.tools(),
      settleWindowMs: 50,
      workers: 8,
    });
    this.run({ name: 'placement', sources: Object.values(this.#caches), controllers, onStartedLeading });
  }

  /** Resolves when the caches hold what there is. */
  async synced(): Promise<void> {
    await Promise.all(Object.values(this.#caches).map((cache) => cache.whenSynced()));
  }

  #open(): PlacementCaches {
    const options = placementCacheOptions;
    const tools = this.tools();
    return {
      placements: createCache(this.transport, options.placements, tools),
      decisions: createCache(this.transport, options.decisions, tools),
      clusters: createCache(this.transport, options.clusters, tools),
      sets: createCache(this.transport, options.sets, tools),
      bindings: createCache(this.transport, options.bindings, tools),
    };
  }
}

/** A user of a server with a fleet. */
export class Fleet {
  readonly client: KubeClient;
  readonly #server: ControlPlane;
  readonly #transport: Transport;

  constructor(server: ControlPlane) {
    this.#server = server;
    this.#transport = transportOf(server.adminKubeconfig, { limits: { default: { qps: 1_000, burst: 1_000 } } });
    this.client = createClient(this.#transport);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async namespace(name: string, ...sets: readonly string[]): Promise<void> {
    await this.client.create(Namespaces, { metadata: { name } }, options);
    for (const set of sets) await this.bind(name, set);
  }

  async set(name: string): Promise<void> {
    await this.client.apply<ManagedClusterSet>(
      ManagedClusterSets,
      { metadata: { name }, spec: {} },
      { ...options, force: false },
    );
  }

  async bind(namespace: string, name: string): Promise<void> {
    await this.client.create<ManagedClusterSetBinding>(
      ManagedClusterSetBindings,
      { metadata: { namespace, name }, spec: { clusterSet: name } },
      options,
    );
  }

  /** Makes or relabels a cluster: its labels are these and that of its set. */
  async cluster(name: string, set: string, labels: Record<string, string> = {}): Promise<void> {
    const object = { metadata: { name, labels: { [CLUSTER_SET_LABEL]: set, ...labels } }, spec: {} };
    await this.client.apply<ManagedCluster>(ManagedClusters, object, { ...options, force: false });
  }

  /** Makes labels and spec of a cluster those of `object`. */
  async put({ metadata: { name, labels = {} }, spec }: RawObject): Promise<void> {
    const object = { metadata: { name, labels }, spec: spec as ManagedCluster['spec'] };
    await this.client.apply<ManagedCluster>(ManagedClusters, object, { ...options, force: false });
  }

  /** Makes the status of a cluster that of `object`. */
  async report({ metadata: { name }, status }: RawObject): Promise<void> {
    const stored = await this.client.get<ManagedCluster>(ManagedClusters, { name });
    if (stored === undefined) throw new Error(`no cluster ${name}`);
    const reported = { ...stored, status: status as ManagedCluster['status'] };
    await this.client.updateStatus<ManagedCluster>(ManagedClusters, reported as ManagedCluster, options);
  }

  /** Deletes an object as it is stored now. */
  async remove(type: ResourceType, name: ObjectName): Promise<void> {
    await againOnConflict(async () => {
      const { uid = '', resourceVersion = '' } = (await this.client.get<KubeObject>(type, name))?.metadata ?? {};
      await this.client.delete(type, name, { preconditions: { uid, resourceVersion } });
    });
  }

  /** Takes the finalizers from an object. */
  async release(type: ResourceType, name: ObjectName): Promise<void> {
    await againOnConflict(async () => {
      const { uid = '', resourceVersion = '' } = (await this.client.get<KubeObject>(type, name))?.metadata ?? {};
      await this.client.patchMetadata(type, name, { uid, resourceVersion, finalizers: [] }, options);
    });
  }

  /** Gives a cluster these taints, and takes those away that were given like this before. */
  async taint(name: string, ...taints: readonly ClusterTaint[]): Promise<void> {
    const object = { metadata: { name }, spec: { taints: [...taints] } };
    await this.client.apply<ManagedCluster>(ManagedClusters, object, { fieldManager: 'taints', force: false });
  }

  async claim(name: string, claims: Record<string, string>): Promise<void> {
    const stored = await this.client.get<ManagedCluster>(ManagedClusters, { name });
    if (stored === undefined) throw new Error(`no cluster ${name}`);
    const clusterClaims = Object.entries(claims).map(([claim, value]) => ({ name: claim, value }));
    await this.client.updateStatus<ManagedCluster>(ManagedClusters, { ...stored, status: { clusterClaims } }, options);
  }

  async place(namespace: string, name: string, spec: PlacementSpec = {}): Promise<Placement> {
    return this.client.apply<Placement>(
      Placements,
      { metadata: { namespace, name }, spec },
      { ...options, force: false },
    );
  }

  placement(namespace: string, name: string): Promise<Placement | undefined> {
    return this.client.get<Placement>(Placements, { namespace, name });
  }

  decision(namespace: string, name: string): Promise<PlacementDecision | undefined> {
    return this.client.get<PlacementDecision>(PlacementDecisions, { namespace, name });
  }

  decisions(namespace: string, placement: string): Promise<PlacementDecision[]> {
    const labelSelector = `cluster.fleetmgmt.io/placement=${placement}`;
    return this.client.list<PlacementDecision>(PlacementDecisions, namespace, { labelSelector });
  }

  /** The clusters that a Placement has published, sorted; undefined before its first decision. */
  async selected(namespace: string, placement: string): Promise<string[] | undefined> {
    const found = await this.decisions(namespace, placement);
    if (found.length === 0) return undefined;
    return found.flatMap((one) => one.status.decisions.map((item) => item.clusterName)).sort();
  }

  async reason(namespace: string, placement: string, type: string): Promise<string | undefined> {
    const found = await this.placement(namespace, placement);
    return found?.status?.conditions?.find((one) => one.type === type)?.reason;
  }

  mark(): Promise<number> {
    return this.#server.logMark();
  }

  /** The controllers' writes since `mark`, as `verb resource name`. */
  async writes(mark: number): Promise<string[]> {
    return (await writesOf(this.#server, AGENT, mark)).map((write) => write.replace(/ \d+$/, ''));
  }
}

const options = { fieldManager: 'test' };
