import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { ManagedCluster } from '../../../../src/api/generated/managedcluster.js';
import { AGENTS_NAMESPACE, CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import { ManagedClusters } from '../../../../src/api/resources.js';
import { Leases, Namespaces } from '../../../../src/runtime/vocabulary/kinds.js';
import { clusterCacheOptions } from '../../../../src/operator/controllers/clusters/caches.js';
import { createHealthControllers } from '../../../../src/operator/controllers/clusters/health/reconcile.js';
import { openLeaseCache } from '../../../../src/operator/controllers/clusters/health/leases.js';
import type { HealthCaches, HealthObserver } from '../../../../src/operator/controllers/clusters/health/observer.js';
import { healthRights } from '../../../../src/operator/controllers/clusters/rights.js';
import { createCache } from '../../../../src/runtime/cache/reflector.js';
import type { KubeClient } from '../../../../src/runtime/client/client.js';
import { createClient } from '../../../../src/runtime/client/rest.js';
import { microTime, type Lease } from '../../../../src/runtime/leaderelection/leaserecord.js';
import type { ControllerMetrics } from '../../../../src/runtime/metrics/managermetrics.js';
import { systemRandom } from '../../../../src/runtime/clock.js';
import type { Transport } from '../../../../src/runtime/transport/transport.js';
import { transportOf } from '../../clients/transport.js';
import { GroupRig, writesOf } from './group.js';

const AGENT = 'health-under-test';
const FAST = { limits: { default: { qps: 10_000, burst: 10_000 } } };
const STEP_MS = 10_000;
const SEEN_STEP_MS = 10;
/** Requests at the same time. */
const AT_ONCE = 50;

/** The group `clusters` as the operator runs it, without its lease, on a clock that the test advances. */
export class HealthServerRig extends GroupRig {
  readonly clock: ManualClock;
  readonly caches: HealthCaches;
  readonly observer: HealthObserver;
  /** Reconciles so far. */
  passes = 0;

  constructor(server: ControlPlane, clock = new ManualClock(Date.now())) {
    super(server.adminKubeconfig, { userAgent: AGENT, ...FAST });
    this.clock = clock;
    const tools = { clock, random: systemRandom, log: this.log };
    const clusters = createCache(this.transport, clusterCacheOptions.clusters, tools);
    const sets = createCache(this.transport, clusterCacheOptions.sets, tools);
    const leases = openLeaseCache((options) => createCache(this.transport, options, tools), {
      monotonic: () => clock.monotonic(),
      wall: () => clock.now(),
      isJoined: () => false,
    });
    this.caches = { clusters, sets, leases };
    const { controllers, observer, onStartedLeading } = createHealthControllers({
      client: this.guarded(healthRights),
      caches: this.caches,
      recorder: this.recorder(),
      ...tools,
      wall: () => clock.now(),
      workers: 8,
      controllerMetrics: () => countingMetrics(() => (this.passes += 1)),
    });
    this.observer = observer;
    this.run({ name: 'clusters', sources: [clusters, sets, leases, observer], controllers, onStartedLeading });
  }

  async synced(): Promise<void> {
    await Promise.all(Object.values(this.caches).map((cache) => cache.whenSynced()));
  }
}

/** Metrics of a controller that count its reconciles. */
function countingMetrics(finished: () => void): ControllerMetrics {
  const ignore = (): void => {};
  const queue = { added: ignore, depth: ignore, started: ignore, finished: ignore, retried: ignore, running: ignore };
  return { queue, reconcile: { workers: ignore, active: ignore, finished } };
}

/** Agents of a server: their clusters and Leases. */
export class Agents {
  readonly client: KubeClient;
  readonly #server: ControlPlane;
  readonly #transport: Transport;
  /** The resourceVersion of each Lease after its last renewal. */
  readonly #versions = new Map<string, string>();

  constructor(server: ControlPlane) {
    this.#server = server;
    this.#transport = transportOf(server.adminKubeconfig, { userAgent: 'agents', ...FAST });
    this.client = createClient(this.#transport);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async namespace(): Promise<void> {
    await this.client.create(Namespaces, { metadata: { name: AGENTS_NAMESPACE } }, { fieldManager: 'test' });
  }

  /** Makes a cluster that expects an agent, or changes its spec. `set`: whose label it has. */
  async cluster(name: string, spec: object = { hubAcceptsClient: true }, set?: string): Promise<ManagedCluster> {
    const metadata = set === undefined ? { name } : { name, labels: { [CLUSTER_SET_LABEL]: set } };
    const object = { metadata, spec } as ManagedCluster;
    return this.client.apply<ManagedCluster>(ManagedClusters, object, { fieldManager: 'test', force: false });
  }

  /** Renews the Leases of these clusters, and creates those that are missing. `now`: what the agents write, ms. */
  async renew(names: readonly string[], now: number): Promise<void> {
    for (let from = 0; from < names.length; from += AT_ONCE)
      await Promise.all(names.slice(from, from + AT_ONCE).map((name) => this.#renew(name, now)));
  }

  async #renew(name: string, now: number): Promise<void> {
    const lease: Lease = {
      metadata: { namespace: AGENTS_NAMESPACE, name },
      spec: { holderIdentity: `id-${name}`, renewTime: microTime(now) },
    };
    const stored = await this.client.apply<Lease>(Leases, lease, { fieldManager: 'agent', force: false });
    this.#versions.set(name, stored.metadata.resourceVersion ?? '');
  }

  /** Advances the clock in steps of ten seconds; these clusters renew in each, and the rig sees that. */
  async live(rig: HealthServerRig, names: readonly string[], ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await this.renew(names, rig.clock.now());
      await this.seen(rig, names);
      await rig.clock.advance(STEP_MS);
    }
  }

  /** Resolves when the rig has seen the last renewals of these clusters. The clock goes on: a watch may have to start anew. */
  async seen({ caches, clock }: HealthServerRig, names: readonly string[]): Promise<void> {
    const { store } = caches.leases;
    const version = (name: string): string | undefined =>
      store.get(`${AGENTS_NAMESPACE}/${name}`)?.metadata.resourceVersion;
    const isSeen = (name: string): boolean => version(name) === this.#versions.get(name);
    await waitFor('the renewals to be seen', async () => {
      if (names.every(isSeen)) return true;
      await clock.advance(SEEN_STEP_MS);
      return names.every(isSeen) || undefined;
    });
  }

  get(name: string): Promise<ManagedCluster | undefined> {
    return this.client.get<ManagedCluster>(ManagedClusters, { name });
  }

  /** `status message` of the condition Available, and `key effect` of each taint. */
  async summary(name: string): Promise<readonly string[]> {
    const { spec, status } = (await this.get(name)) ?? {};
    const available = status?.conditions?.find(({ type }) => type === 'ManagedClusterConditionAvailable');
    const taints = (spec?.taints ?? []).map(({ key, effect }) => `${key.split('/')[1] ?? key}:${effect}`);
    return [...(available === undefined ? [] : [`${available.status} ${available.message}`]), ...taints];
  }

  /** The summary when it is as wanted, entry by entry: a probe for `waitFor`, which is told what it was. */
  async summaryWhen(
    name: string,
    wanted: readonly (string | RegExp)[],
    seen: (value: unknown) => void,
  ): Promise<readonly string[] | undefined> {
    const found = await this.summary(name);
    seen(found);
    const isWanted = (one: string, want: string | RegExp | undefined): boolean =>
      want instanceof RegExp ? want.test(one) : one === want;
    return found.length === wanted.length && found.every((one, at) => isWanted(one, wanted[at])) ? found : undefined;
  }

  mark(): Promise<number> {
    return this.#server.logMark();
  }

  /** The controller's writes since `mark`, as `verb resource name`. */
  async writes(mark: number): Promise<string[]> {
    return (await writesOf(this.#server, AGENT, mark)).map((write) => write.replace(/ \d+$/, ''));
  }
}
