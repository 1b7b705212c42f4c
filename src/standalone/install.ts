import path from 'node:path';
import type { KubeObject, ResourceType } from '../runtime/vocabulary/meta.js';
import * as ownKinds from '../api/resources.js';
import * as builtInKinds from '../runtime/vocabulary/kinds.js';
import { apiVersionOf } from '../runtime/vocabulary/kinds.js';
import { packageRoot } from '../runtime/process/build.js';
import type { KubeClient } from '../runtime/client/client.js';
import { readKustomization } from '../runtime/manifests.js';
import { isFailure } from '../runtime/errors.js';
import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets } from '../api/resources.js';
import { CLUSTER_SET_LABEL, DEFAULT_NAMESPACE, STANDALONE_FIELD_MANAGER } from '../api/names.js';
import { nth } from './demofleet/clusters.js';
import type { ReportProgress } from './progress.js';

/** The field manager of `kubectl apply --server-side`, so that a user can apply `deploy/` without a conflict. */
const FIELD_MANAGER = 'kubectl';
/** Kinds that are skipped: they run and protect the pods of the operator, which runs in this process. */
const SKIPPED: ReadonlySet<string> = new Set(['Deployment', 'PodDisruptionBudget', 'NetworkPolicy']);
/** By apiVersion and kind. */
const TYPES: ReadonlyMap<string, ResourceType> = new Map(
  [...Object.values(ownKinds), ...Object.values(builtInKinds)]
    .filter(isType)
    .map((type) => [`${apiVersionOf(type)} ${type.kind}`, type]),
);

/**
 * Applies `deploy/standalone`, the manifests of the operator, to the embedded API server at each start. An object that
 * conflicts with the fields of another manager is kept as it is; returns kind and name of each such object.
 * @throws Error for an unknown kind; ApiError.
 */
export async function install(client: KubeClient): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const object of readKustomization(path.join(packageRoot(), 'deploy', 'standalone'))) {
    if (SKIPPED.has(object.kind ?? '')) continue;
    try {
      await client.apply(typeOf(object), object, { fieldManager: FIELD_MANAGER, force: false, metadataOnly: true });
    } catch (error) {
      if (!isFailure(error, 'Conflict')) throw error;
      kept.push(`${object.kind ?? ''} ${object.metadata.name}`);
    }
  }
  return kept;
}

function typeOf(object: KubeObject): ResourceType {
  const type = TYPES.get(`${object.apiVersion ?? ''} ${object.kind ?? ''}`);
  if (type === undefined)
    throw new Error(
      `deploy/standalone: ${object.kind ?? ''} ${object.metadata.name}: unknown kind of ${object.apiVersion ?? ''}`,
    );
  return type;
}

function isType(value: unknown): value is ResourceType {
  return typeof value === 'object' && value !== null && 'plural' in value;
}

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
