import type { ManagedCluster } from '../../../api/generated/managedcluster.js';
import type { ManagedClusterSet } from '../../../api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../../api/generated/managedclustersetbinding.js';
import {
  CLAIMS_IGNORED_CONDITION,
  CLUSTER_SET_MISSING_CONDITION,
  CONTROL_PLANE_HEALTHY_CONDITION,
} from '../../../api/clusterreasons.js';
import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets } from '../../../api/resources.js';
import { HEALTH_CONDITIONS } from '../../../domain/health/conditions.js';
import { clusterSetOf } from '../../../domain/placement/select/eligible.js';
import type { MembershipIndex } from '../../index/membershipindex.js';
import type { SetUsage } from '../../index/setusage.js';
import type { Cache, CacheOptions } from '../../../runtime/cache/cache.js';
import { CLUSTER_FIELDS, readableAnnotations } from '../../../domain/clusters/fields.js';

/** The caches of clusters, sets and bindings. Each needs the verbs get, list and watch. */
export interface ClusterCaches {
  readonly clusters: Cache<ManagedCluster>;
  readonly sets: Cache<ManagedClusterSet>;
  readonly bindings: Cache<ManagedClusterSetBinding>;
}

/** What the status of sets and bindings is computed from, beside {@link ClusterCaches}. Kept by the owner of the indexes. */
export interface ClusterIndexes {
  readonly membership: MembershipIndex;
  readonly usage: SetUsage;
  /** The cache that `usage` is folded from, with those of sets and bindings. */
  readonly placements: Cache<KubeObject>;
}

/** Index of the bindings by the set that they name. */
export const BY_SET = 'set';

/** The options that each of {@link ClusterCaches} is created with. */
export const clusterCacheOptions: {
  readonly clusters: CacheOptions<ManagedCluster>;
  readonly sets: CacheOptions<ManagedClusterSet>;
  readonly bindings: CacheOptions<ManagedClusterSetBinding>;
} = {
  clusters: { type: ManagedClusters, transform: (cluster) => trimCluster(cluster), watchList: true },
  sets: { type: ManagedClusterSets },
  bindings: { type: ManagedClusterSetBindings, indexers: { [BY_SET]: (binding) => [clusterSetOf(binding)] } },
};

/** Those of clusters with the addresses of their APIs, a certificate each, which only ClusterProfiles have. */
export const addressedClusters: CacheOptions<ManagedCluster> = {
  ...clusterCacheOptions.clusters,
  transform: (cluster) => trimCluster(cluster, [...WHOLE_STATUS, 'managedClusterClientConfigs']),
};

/** The conditions that this process writes, and the one that it reads. */
const KEPT_CONDITIONS = [
  CLUSTER_SET_MISSING_CONDITION,
  CLAIMS_IGNORED_CONDITION,
  CONTROL_PLANE_HEALTHY_CONDITION,
  ...HEALTH_CONDITIONS,
];

/** The fields that are kept with all that they have. */
const WHOLE_METADATA = CLUSTER_FIELDS.metadata.filter((name) => name !== 'annotations');
const WHOLE_STATUS = CLUSTER_FIELDS.status.filter((name) => name !== 'conditions');

/** The fields of a cluster that decisions and the decisions for SIG Multicluster read. */
function trimCluster(
  { metadata, spec, status }: ManagedCluster,
  fields: readonly (keyof NonNullable<ManagedCluster['status']>)[] = WHOLE_STATUS,
): ManagedCluster {
  const kept = picked(metadata, WHOLE_METADATA);
  const annotations = readableAnnotations(metadata.annotations);
  const conditions = status?.conditions?.filter(({ type }) => KEPT_CONDITIONS.includes(type)) ?? [];
  const observed = picked(status, fields);
  const reported = conditions.length === 0 ? observed : { ...observed, conditions };
  return {
    metadata: annotations === undefined ? kept : { ...kept, annotations },
    spec: picked(spec, CLUSTER_FIELDS.spec),
    ...(Object.keys(reported).length > 0 && { status: reported }),
  };
}

/** The fields that the object has. */
function picked<T extends object, F extends keyof T>(from: T | undefined, fields: readonly F[]): Pick<T, F> {
  const kept: Partial<T> = {};
  for (const name of fields) {
    const value = from?.[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept as Pick<T, F>;
}
