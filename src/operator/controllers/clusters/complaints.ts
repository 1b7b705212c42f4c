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
import { cachesNotCurrent, waitForCaches, type ClusterCaches } from './caches.js';

/** Ms between two writes: many clusters can name one set, and no decision waits for this condition. */
const WRITE_INTERVAL_MS = 100;
const RETRY_MS = 5_000;

/**
 * Writes the conditions ClusterSetMissing and ClaimsIgnored of ManagedClusters, and no other field of their status, which their
 * agents write.
 * The caches hold a part of a cluster only, so the object is read before it is written.
 */
export class ComplaintReconciler implements Reconciler {
  readonly #caches: ClusterCaches;
  readonly #client: KubeClient;
  readonly #clock: Clock;

  constructor(caches: ClusterCaches, client: KubeClient, clock: Clock) {
    this.#caches = caches;
    this.#client = client;
    this.#clock = clock;
  }

  /** The clusters with another condition than wanted, by the caches. */
  *outdated(): Generator<string, void, undefined> {
    for (const cluster of this.#caches.clusters.store.values())
      if (this.isOutdated(cluster)) yield cluster.metadata.name;
  }

  isOutdated(cluster: ManagedCluster): boolean {
    return this.#wanted(cluster) !== undefined;
  }

  async reconcile(name: string, { signal }: Pass): Promise<Result> {
    const { clusters, sets } = this.#caches;
    const notCurrent = cachesNotCurrent([clusters, sets]);
    if (notCurrent.length > 0) return waitForCaches(notCurrent, RETRY_MS);
    const cached = clusters.store.get(name);
    if (cached === undefined || !this.isOutdated(cached)) return DONE;
    await delay(this.#clock, WRITE_INTERVAL_MS, signal);
    const found = await this.#client.get<ManagedCluster>(ManagedClusters, { name }, { signal });
    const conditions = found && this.#wanted(found);
    if (found === undefined || conditions === undefined) return DONE;
    const object = withConditions(found, conditions as ClusterCondition[]);
    try {
      await this.#client.updateStatus(ManagedClusters, object, { fieldManager: CLUSTERS_FIELD_MANAGER, signal });
    } catch (error) {
      if (isFailure(error, 'Conflict'))
        return { ending: 'wait', reason: 'the cluster was changed meanwhile', afterMs: RETRY_MS };
      if (!isFailure(error, 'NotFound')) throw error;
    }
    return DONE;
  }

  #wanted(cluster: ManagedCluster): readonly unknown[] | undefined {
    const exists = (set: string): boolean => this.#caches.sets.store.get(set) !== undefined;
    return conditionsToWrite(cluster, exists, () => timestamp(this.#clock.now()));
  }
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
