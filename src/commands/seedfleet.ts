import type { KubeObject, ResourceType } from '../api/meta.js';
import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets, apiVersionOf } from '../api/resources.js';
import { CLUSTER_SET_LABEL } from '../api/names.js';
import type { KubeClient } from '../kube/client/client.js';
import { isFailure } from '../runtime/errors.js';
import type { ReportProgress } from './progress.js';

const FIELD_MANAGER = 'multicluster-engine-standalone';
const SETS = ['production', 'staging', 'edge'] as const;
const REGIONS = ['eu', 'us', 'ap'] as const;
const TIERS = ['gold', 'silver'] as const;
const PLATFORMS = ['aws', 'azure', 'gcp', 'metal'] as const;
const AT_ONCE = 50;

interface SeededCluster extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly managedFields?: readonly { readonly manager?: string }[] };
  readonly spec: object;
  readonly status?: { readonly clusterClaims: readonly { readonly name: string; readonly value: string }[] };
}

export interface Seeding {
  /** Told how many are done. */
  readonly count: ReportProgress;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/**
 * Makes an example fleet: `total` clusters `cluster-1` … with labels and claims in the sets production, staging and edge, all of
 * them bound to the namespace `default`. What is there already stays as it is, but for clusters that an earlier run left without claims.
 * @throws the signal's reason.
 */
export async function seedFleet(client: KubeClient, total: number, { count, signal }: Seeding): Promise<void> {
  for (const name of SETS) {
    await make(client, ManagedClusterSets, object(ManagedClusterSets, { name }));
    await make(client, ManagedClusterSetBindings, {
      ...object(ManagedClusterSetBindings, { name, namespace: 'default' }),
      spec: { clusterSet: name },
    });
  }
  const clusters = await client.list<SeededCluster>(ManagedClusters, undefined);
  const there = new Map(clusters.map((cluster) => [cluster.metadata.name, cluster]));
  for (let first = 0; first < total; first += AT_ONCE) {
    signal.throwIfAborted();
    const indexes = Array.from({ length: Math.min(AT_ONCE, total - first) }, (_, index) => first + index);
    await Promise.all(indexes.map((index) => seedCluster(client, index, there.get(`cluster-${index + 1}`))));
    count(first + indexes.length, total);
  }
}

async function seedCluster(client: KubeClient, index: number, there: SeededCluster | undefined): Promise<void> {
  if (there !== undefined && !isUnfinished(there)) return;
  const name = `cluster-${index + 1}`;
  const labels = {
    [CLUSTER_SET_LABEL]: nth(SETS, index),
    region: nth(REGIONS, index),
    tier: nth(TIERS, Math.floor(index / SETS.length)),
  };
  const made =
    there ??
    (await make<SeededCluster>(client, ManagedClusters, { ...object(ManagedClusters, { name, labels }), spec: {} }));
  if (made === undefined) return;
  const clusterClaims = [
    { name: 'platform', value: nth(PLATFORMS, index) },
    { name: 'kubernetes', value: index % 2 === 0 ? 'v1.36.3' : 'v1.35.7' },
  ];
  await client.updateStatus<SeededCluster>(
    ManagedClusters,
    { ...made, spec: {}, status: { clusterClaims } },
    { fieldManager: FIELD_MANAGER },
  );
}

/** Made by an earlier run that ended before its second write, and by nobody looked at since. */
function isUnfinished({ metadata, status }: SeededCluster): boolean {
  return (
    status?.clusterClaims === undefined &&
    (metadata.managedFields ?? []).every(({ manager }) => manager === FIELD_MANAGER)
  );
}

/** undefined when it is there already. */
async function make<T extends KubeObject>(client: KubeClient, type: ResourceType, wanted: T): Promise<T | undefined> {
  try {
    return await client.create(type, wanted, { fieldManager: FIELD_MANAGER });
  } catch (error) {
    if (isFailure(error, 'AlreadyExists')) return undefined;
    throw error;
  }
}

function object(type: ResourceType, metadata: KubeObject['metadata']): KubeObject & { readonly spec: object } {
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata, spec: {} };
}

function nth<T extends string>(values: readonly [T, ...T[]], index: number): T {
  return values[index % values.length] ?? values[0];
}
