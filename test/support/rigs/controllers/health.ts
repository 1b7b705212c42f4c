import type { ManagedCluster } from '../../../../src/api/generated/managedcluster.js';
import type { ManagedClusterSet } from '../../../../src/api/generated/managedclusterset.js';
import type { Condition } from '../../../../src/runtime/vocabulary/meta.js';
import { AGENTS_NAMESPACE, CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import { ManagedClusters, ManagedClusterSets } from '../../../../src/api/resources.js';
import { Leases } from '../../../../src/runtime/vocabulary/kinds.js';
import { clusterCacheOptions } from '../../../../src/operator/controllers/clusters/caches.js';
import {
  createHealthControllers,
  type HealthControllers,
} from '../../../../src/operator/controllers/clusters/health/reconcile.js';
import { openLeaseCache, type AgentLease } from '../../../../src/operator/controllers/clusters/health/leases.js';
import type { EventNote } from '../../../../src/runtime/events/recorder.js';
import { microTime, type Lease } from '../../../../src/runtime/leaderelection/leaserecord.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { FakeApi } from '../../fakes/api.js';
import type { FakeCache } from '../../fakes/cache.js';
import { RecordingLog } from '../../fakes/log.js';

const STEP_MS = 10_000;

/** One process with the health controller, on an API server in memory. */
export class HealthRig {
  readonly clock = new ManualClock();
  readonly api = new FakeApi(this.clock);
  readonly log = new RecordingLog();
  readonly events: EventNote[] = [];
  readonly health: HealthControllers;
  readonly clusters: FakeCache<ManagedCluster>;
  readonly leases: FakeCache<AgentLease>;
  readonly #sets: FakeCache<ManagedClusterSet>;
  #end = new AbortController();

  constructor() {
    this.clusters = this.api.cache(clusterCacheOptions.clusters);
    this.#sets = this.api.cache(clusterCacheOptions.sets);
    let leases: FakeCache<AgentLease> | undefined;
    openLeaseCache((options) => (leases = this.api.cache(options)), {
      monotonic: () => this.clock.monotonic(),
      wall: () => this.clock.now(),
      isJoined: () => false,
    });
    if (leases === undefined) throw new Error('no cache of Leases was opened');
    this.leases = leases;
    this.leases.received = () => this.clock.monotonic();
    this.health = createHealthControllers({
      client: this.api,
      caches: { clusters: this.clusters, sets: this.#sets, leases: this.leases },
      recorder: { record: (event) => void this.events.push(event), flush: () => Promise.resolve() },
      clock: this.clock,
      wall: () => this.clock.now(),
      random: () => 0,
      log: this.log,
      workers: 4,
    });
  }

  /** Starts the caches and the observer, as every replica does. */
  observe(): void {
    for (const cache of [this.clusters, this.#sets, this.leases]) cache.start();
    this.health.observer.start();
  }

  /** Acquires the lease of the group and starts the controller. */
  lead(): void {
    this.#end = new AbortController();
    this.health.onStartedLeading(this.#end.signal);
    for (const one of this.health.controllers) one.start();
  }

  async loseLease(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.health.controllers.map((one) => one.stop(0)));
  }

  /** Clusters that expect agents, in a set. */
  add(names: readonly string[], set = 'fleet'): void {
    this.api.put<ManagedClusterSet>(ManagedClusterSets, { metadata: { name: set }, spec: {} });
    for (const name of names)
      this.api.put<ManagedCluster>(ManagedClusters, {
        metadata: { name, labels: { [CLUSTER_SET_LABEL]: set } },
        spec: { hubAcceptsClient: true },
      });
  }

  /** `spec`: what the agents write besides holder and time. */
  renew(names: readonly string[], spec: Lease['spec'] = {}): void {
    for (const name of names)
      this.api.put<Lease>(Leases, {
        metadata: { namespace: AGENTS_NAMESPACE, name },
        spec: { holderIdentity: `id-${name}`, renewTime: microTime(this.clock.now()), ...spec },
      });
  }

  /** Advances the clock in steps of ten seconds; these clusters renew in each. */
  async live(names: readonly string[], ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      this.renew(names);
      await this.clock.advance(STEP_MS);
    }
  }

  cluster(name: string): ManagedCluster | undefined {
    return this.api.peek<ManagedCluster>(ManagedClusters, { name });
  }

  /** Gives a cluster this spec. */
  edit(name: string, spec: ManagedCluster['spec']): void {
    const stored = this.cluster(name);
    if (stored === undefined) throw new Error(`no cluster ${name}`);
    this.api.put<ManagedCluster>(ManagedClusters, { ...stored, spec });
  }

  available(name: string): Condition | undefined {
    const all = this.cluster(name)?.status?.conditions as readonly Condition[] | undefined;
    return all?.find(({ type }) => type === 'ManagedClusterConditionAvailable');
  }

  /** `REASON name` of the events so far. */
  reasons(): readonly string[] {
    return this.events.map(({ reason, regarding }) => `${reason} ${regarding.metadata.name}`);
  }
}
