import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { AGENTS_NAMESPACE, CLUSTER_SET_LABEL } from '../../src/api/names.js';
import { ManagedClusters, ManagedClusterSets } from '../../src/api/resources.js';
import { apiVersionOf, Leases } from '../../src/runtime/vocabulary/kinds.js';
import type { KubeObject, ResourceType } from '../../src/runtime/vocabulary/meta.js';
import { clusterCacheOptions } from '../../src/operator/controllers/clusters/caches.js';
import { openLeaseCache } from '../../src/operator/controllers/clusters/health/leases.js';
import { HealthObserver } from '../../src/operator/controllers/clusters/health/observer.js';
import type { Cache } from '../../src/runtime/cache/cache.js';
import { createCache } from '../../src/runtime/cache/reflector.js';
import { collectionPath } from '../../src/runtime/client/path.js';
import type { Transport } from '../../src/runtime/transport/transport.js';
import { RecordingLog } from '../../test/support/fakes/log.js';

const RUNS = 5;
const CLUSTERS = 10_000;
const SETS = 20;
const AT = '2026-01-01T00:00:00Z';
/** Between the resourceVersions of a list and of the events that follow it. */
const LATER = 100_000;
/** One evaluation of the fleet. */
const EVALUATION_MS = 1_000;

/** What of the group `clusters` is in memory, beside the caches that it shares with the group `placement`. */
type Part = 'shared' | 'leases' | 'group';

/** What the controller costs that judges clusters by the Leases of their agents. */
export async function healthFigures(): Promise<readonly Figure[]> {
  const values: Record<'leases' | 'group' | 'renewal', number[]> = { leases: [], group: [], renewal: [] };
  await costOf('group');
  for (let run = 0; run < RUNS; run++) {
    const shared = await costOf('shared');
    const leases = await costOf('leases');
    const group = await costOf('group');
    values.leases.push((leases.heapBytes - shared.heapBytes) / 1e6);
    values.group.push((group.heapBytes - shared.heapBytes) / 1e6);
    values.renewal.push(group.renewalMs);
  }
  const id = 'F3';
  const heap = `health: heap of the cache of ${CLUSTERS} Leases`;
  return [
    { id, measure: heap, unit: 'MB', values: values.leases, atMost: 2 },
    { id, measure: 'the same, with the state of each cluster and its sets', unit: 'MB', values: values.group },
    { id, measure: 'health: a renewal, without the connection: CPU', unit: 'ms', values: values.renewal, atMost: 0.05 },
  ];
}

interface Cost {
  /** What stays in use after the caches have read everything and the fleet was looked at. */
  readonly heapBytes: number;
  /** CPU time of one renewal, when each cluster renews once. */
  readonly renewalMs: number;
}

async function costOf(part: Part): Promise<Cost> {
  const before = heapUsed();
  const clock = new ManualClock(Date.parse(AT));
  const tools = { clock, random: Math.random, log: new RecordingLog() };
  const feed = new Feed();
  const transport = listing(feed);
  const clusters = createCache(transport, clusterCacheOptions.clusters, tools);
  const sets = createCache(transport, clusterCacheOptions.sets, tools);
  const wall = (): number => clock.now();
  const leases = openLeaseCache((options) => createCache(transport, options, tools), {
    monotonic: () => clock.monotonic(),
    wall,
    isJoined: () => true,
  });
  const recorder = { record: (): void => undefined, flush: () => Promise.resolve() };
  const caches = { clusters, sets, leases };
  const observer =
    part === 'group' ? new HealthObserver({ caches, clock, wall, recorder, enqueue: () => undefined }) : undefined;
  const sources = [
    clusters,
    sets,
    ...(part === 'shared' ? [] : [leases]),
    ...(observer === undefined ? [] : [observer]),
  ];
  for (const source of sources) source.start();
  for (const source of sources) await source.whenSynced();
  await clock.advance(EVALUATION_MS);
  const heapBytes = heapUsed() - before;
  if (observer !== undefined && observer.counts().clusters['unknown'] !== 0) throw new Error('clusters are not known');
  const renewalMs = part === 'group' ? (await renewed(feed, leases)) / CLUSTERS : 0;
  await Promise.all(sources.map((source) => source.stop()));
  return { heapBytes, renewalMs };
}

/** CPU time in which the cache has received a renewal of each Lease, ms. */
async function renewed(feed: Feed, { store }: Cache<KubeObject>): Promise<number> {
  const events = Array.from({ length: CLUSTERS }, (_, index) => {
    const object = lease(index, LATER);
    return Buffer.from(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
  });
  const { name, resourceVersion } = lease(CLUSTERS - 1, LATER).metadata;
  const { user, system } = process.cpuUsage();
  feed.send(events);
  await waitFor('the last renewal', () => {
    return store.get(`${AGENTS_NAMESPACE}/${name}`)?.metadata.resourceVersion === resourceVersion;
  });
  const after = process.cpuUsage();
  return (after.user + after.system - user - system) / 1000;
}

function heapUsed(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** A server that lists the fleet in pages, parsed anew each time, and whose watches say nothing. */
function listing(feed: Feed): Transport {
  const kinds: readonly (readonly [ResourceType, string | undefined, (index: number) => KubeObject, number])[] = [
    [ManagedClusters, undefined, cluster, CLUSTERS],
    [ManagedClusterSets, undefined, (index) => ({ metadata: { name: `set-${index}` } }), SETS],
    [Leases, AGENTS_NAMESPACE, lease, CLUSTERS],
  ];
  return {
    call: ({ path, query }) => {
      const found = kinds.find(([type, namespace]) => collectionPath(type, namespace) === path);
      if (found === undefined) throw new Error(`${path} is not listed`);
      const [type, , make, count] = found;
      const from = Number(query?.['continue'] ?? 0);
      const to = Math.min(from + Number(query?.['limit']), count);
      const items = Array.from({ length: to - from }, (_, offset) => make(from + offset));
      const metadata = { resourceVersion: '100000', ...(to < count && { continue: String(to) }) };
      const list = { apiVersion: apiVersionOf(type), kind: `${type.kind}List`, metadata, items };
      return Promise.resolve({ status: 200, body: JSON.parse(JSON.stringify(list)) });
    },
    open: ({ path, signal }) =>
      Promise.resolve((path === collectionPath(Leases, AGENTS_NAMESPACE) ? feed : new Feed()).read(signal)),
    close: () => Promise.resolve(),
  };
}

/** The body of a watch. */
class Feed {
  #wake: (chunks: readonly Uint8Array[]) => void = () => undefined;

  /** Ends the wait of the reader with these chunks. */
  send(chunks: readonly Uint8Array[]): void {
    this.#wake(chunks);
  }

  async *read(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    while (signal?.aborted !== true) {
      yield* await new Promise<readonly Uint8Array[]>((resolve, reject) => {
        this.#wake = resolve;
        signal?.addEventListener('abort', () => reject(new Error('the watch has ended')), { once: true });
      });
    }
  }
}

/** A cluster that has joined, is available and has an agent of which nothing has to be written. */
function cluster(index: number): KubeObject {
  const name = `cluster-${index}`;
  const uid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const labels = { [CLUSTER_SET_LABEL]: `set-${index % SETS}`, region: `region-${index % 7}` };
  const condition = { type: 'ManagedClusterJoined', status: 'True', reason: 'ManagedClusterJoined', message: '' };
  return {
    metadata: { name, uid, labels, resourceVersion: String(50_000 + index) },
    spec: { hubAcceptsClient: true },
    status: { conditions: [{ ...condition, lastTransitionTime: AT }] },
  } as KubeObject;
}

/** The Lease of a cluster as a server has stored it, 0.9 KB. `later`: added to its resourceVersion. */
function lease(index: number, later = 0): KubeObject {
  const name = `cluster-${index}`;
  const owner = { apiVersion: apiVersionOf(ManagedClusters), kind: ManagedClusters.kind, name };
  const managedFields = ['multicluster-engine-agent', 'before-first-apply'].map((manager) => ({
    manager,
    operation: 'Update',
    apiVersion: apiVersionOf(Leases),
    time: AT,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:holderIdentity': {}, 'f:leaseDurationSeconds': {}, 'f:renewTime': {} } },
  }));
  const metadata = {
    namespace: AGENTS_NAMESPACE,
    name,
    uid: `00000000-0000-4000-a000-${String(index).padStart(12, '0')}`,
    resourceVersion: String(70_000 + index + later),
    creationTimestamp: AT,
    ownerReferences: [{ ...owner, uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}` }],
    managedFields,
  };
  const holderIdentity = `00000000-0000-4000-9000-${String(index).padStart(12, '0')}`;
  return { metadata, spec: { holderIdentity, leaseDurationSeconds: 60, renewTime: AT } } as KubeObject;
}
