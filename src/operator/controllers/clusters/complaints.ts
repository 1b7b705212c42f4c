import type { ClusterCondition, ManagedCluster } from '../../../api/generated/managedcluster.js';
import { CLUSTERS_FIELD_MANAGER } from '../../../api/names.js';
import { ManagedClusters } from '../../../api/resources.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import { conditionsToWrite } from '../../../domain/clusters/complaints.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import type { KubeClient } from '../../../runtime/client/client.js';
import { delay, type Clock } from '../../../runtime/clock.js';
import { isFailure } from '../../../runtime/errors.js';
import { DONE, type Pass, type Reconciler, type Result } from '../../../runtime/controller/result.js';
import { cachesNotCurrent, waitForCaches } from '../caches.js';
import type { ClusterCaches } from './caches.js';

/** Ms between two writes: many clusters can name one set, and no decision waits for this condition. */
const WRITE_INTERVAL_MS = 100;
const RETRY_MS = 5_000;
const NOTHING = { kind: 'nothing', result: DONE } as const;

/** What one pass over one cluster works with. */
interface Scope {
  readonly caches: ClusterCaches;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly name: string;
  readonly pass: Pass;
}

/** The stored cluster, or the result of the pass when there is nothing to decide. */
type Gathered =
  | { readonly kind: 'nothing'; readonly result: Result }
  | { readonly kind: 'gathered'; readonly cluster: ManagedCluster };

/**
 * Writes the conditions ClusterSetMissing and ClaimsIgnored of ManagedClusters, and no other field of their status, which their
 * agents write.
 * The caches hold a part of a cluster only, so the object is read before it is written.
 */
export class ComplaintReconciler implements Reconciler {
  readonly #context: Omit<Scope, 'name' | 'pass'>;

  constructor(caches: ClusterCaches, client: KubeClient, clock: Clock) {
    this.#context = { caches, client, clock };
  }

  /** The clusters with another condition than wanted, by the caches. */
  *outdated(): Generator<string, void, undefined> {
    for (const cluster of this.#context.caches.clusters.store.values())
      if (this.isOutdated(cluster)) yield cluster.metadata.name;
  }

  isOutdated(cluster: ManagedCluster): boolean {
    return decide(cluster, this.#context) !== undefined;
  }

  async reconcile(name: string, pass: Pass): Promise<Result> {
    const scope: Scope = { ...this.#context, name, pass };
    const gathered = await gather(scope);
    if (gathered.kind === 'nothing') return gathered.result;
    const wanted = decide(gathered.cluster, scope);
    return report(wanted === undefined ? 'nothing' : await apply(wanted, scope));
  }
}

async function gather({ caches: { clusters, sets }, client, clock, name, pass }: Scope): Promise<Gathered> {
  const notCurrent = cachesNotCurrent([clusters, sets]);
  if (notCurrent.length > 0) return { kind: 'nothing', result: waitForCaches(notCurrent, RETRY_MS) };
  const cached = clusters.store.get(name);
  if (cached === undefined || decide(cached, { caches: { sets }, clock }) === undefined) return NOTHING;
  await delay(clock, WRITE_INTERVAL_MS, pass.signal);
  const cluster = await client.get<ManagedCluster>(ManagedClusters, { name }, { signal: pass.signal });
  return cluster === undefined ? NOTHING : { kind: 'gathered', cluster };
}

/** The cluster with the conditions that it should have; undefined when it has them. */
function decide(
  cluster: ManagedCluster,
  { caches: { sets }, clock }: { readonly caches: Pick<ClusterCaches, 'sets'>; readonly clock: Clock },
): ManagedCluster | undefined {
  const exists = (set: string): boolean => sets.store.get(set) !== undefined;
  const conditions = conditionsToWrite(cluster, exists, () => timestamp(clock.now()));
  return conditions && withConditions(cluster, conditions as ClusterCondition[]);
}

async function apply(
  object: ManagedCluster,
  { client, pass: { signal } }: Scope,
): Promise<'stored' | 'behind' | 'gone'> {
  try {
    await client.updateStatus(ManagedClusters, object, { fieldManager: CLUSTERS_FIELD_MANAGER, signal });
    return 'stored';
  } catch (error) {
    if (isFailure(error, 'Conflict')) return 'behind';
    if (isFailure(error, 'NotFound')) return 'gone';
    throw error;
  }
}

/** The conditions are the report; what is left to say is when the next pass is due. */
function report(written: 'nothing' | 'stored' | 'behind' | 'gone'): Result {
  return written === 'behind'
    ? { ending: 'wait', reason: 'the cluster was changed meanwhile', afterMs: RETRY_MS }
    : DONE;
}

/** The cluster with these conditions: without any it has no empty list, and no empty status, as one that never had them. */
function withConditions(
  { status: before, ...cluster }: ManagedCluster,
  conditions: ClusterCondition[],
): ManagedCluster {
  const { conditions: _replaced, ...others } = before ?? {};
  const status = conditions.length === 0 ? others : { ...others, conditions };
  const object = { ...cluster, apiVersion: apiVersionOf(ManagedClusters), kind: ManagedClusters.kind };
  return Object.keys(status).length === 0 ? object : { ...object, status };
}
