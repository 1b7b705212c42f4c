import type { KubeObject, ResourceType } from '../runtime/vocabulary/meta.js';
import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets } from '../api/resources.js';
import { CLUSTER_SET_LABEL, DEFAULT_NAMESPACE, STANDALONE_FIELD_MANAGER } from '../api/names.js';
import type { KubeClient } from '../runtime/client/client.js';
import { isFailure } from '../runtime/errors.js';
import { nth } from './demofleet/clusters.js';
import type { ReportProgress } from './progress.js';

const SETS = ['production', 'staging', 'edge'] as const;
const REGIONS = ['eu', 'us', 'ap'] as const;
const TIERS = ['gold', 'silver'] as const;
const PLATFORMS = ['aws', 'azure', 'gcp', 'metal'] as const;
const BATCH_SIZE = 50;

interface SeededCluster extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly managedFields?: readonly { readonly manager?: string }[] };
  readonly spec: object;
  readonly status?: { readonly clusterClaims: readonly { readonly name: string; readonly value: string }[] };
}

interface Seeding {
  /** Called after each batch. */
  readonly count: ReportProgress;
  /** Stops after the current batch. */
  readonly signal: AbortSignal;
}

/**
 * Creates an example fleet: clusters `cluster-1` to `cluster-<total>` with labels and claims, in the sets production, staging
 * and edge, which are bound to the namespace `default`. Existing objects are kept; claims that an interrupted run did not write are added.
 * @throws the signal's reason.
 */
export async function seedFleet(client: KubeClient, total: number, { count, signal }: Seeding): Promise<void> {
  for (const name of SETS) {
    await createIfMissing(client, ManagedClusterSets, { metadata: { name } });
    const binding = { metadata: { name, namespace: DEFAULT_NAMESPACE }, spec: { clusterSet: name } };
    await createIfMissing(client, ManagedClusterSetBindings, binding);
  }
  const clusters = await client.list<SeededCluster>(ManagedClusters, undefined);
  const existing = new Map(clusters.map((cluster) => [cluster.metadata.name, cluster]));
  for (let first = 0; first < total; first += BATCH_SIZE) {
    signal.throwIfAborted();
    const indexes = Array.from({ length: Math.min(BATCH_SIZE, total - first) }, (_, index) => first + index);
    await Promise.all(indexes.map((index) => seedCluster(client, index, existing.get(`cluster-${index + 1}`))));
    count(first + indexes.length, total);
  }
}

async function seedCluster(client: KubeClient, index: number, existing: SeededCluster | undefined): Promise<void> {
  if (existing !== undefined && !isUnfinished(existing)) return;
  const name = `cluster-${index + 1}`;
  const labels = {
    [CLUSTER_SET_LABEL]: nth(SETS, index),
    region: nth(REGIONS, index),
    tier: nth(TIERS, Math.floor(index / SETS.length)),
  };
  const wanted: SeededCluster = { metadata: { name, labels }, spec: {} };
  const made = existing ?? (await createIfMissing(client, ManagedClusters, wanted));
  if (made === undefined) return;
  const clusterClaims = [
    { name: 'platform', value: nth(PLATFORMS, index) },
    { name: 'kubernetes', value: index % 2 === 0 ? 'v1.36.3' : 'v1.35.7' },
  ];
  await client.updateStatus<SeededCluster>(
    ManagedClusters,
    { ...made, spec: {}, status: { clusterClaims } },
    { fieldManager: STANDALONE_FIELD_MANAGER },
  );
}

/** Created by an earlier run that was interrupted before the status write, and not changed by another manager since. */
function isUnfinished({ metadata, status }: SeededCluster): boolean {
  return (
    status?.clusterClaims === undefined &&
    (metadata.managedFields ?? []).every(({ manager }) => manager === STANDALONE_FIELD_MANAGER)
  );
}

/** Creates an object; undefined when it exists already. */
async function createIfMissing<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType,
  wanted: T,
): Promise<T | undefined> {
  try {
    return await client.create(type, wanted, { fieldManager: STANDALONE_FIELD_MANAGER });
  } catch (error) {
    if (isFailure(error, 'AlreadyExists')) return undefined;
    throw error;
  }
}
