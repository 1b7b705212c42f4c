import type { ManagedCluster } from '../../api/generated/managedcluster.js';
import type { ManagedClusterSet } from '../../api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../api/generated/managedclustersetbinding.js';
import type { Placement } from '../../api/generated/placement.js';
import type { PlacementDecision } from '../../api/generated/placementdecision.js';
import { PLACEMENT_LABEL } from '../../api/names.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../api/resources.js';
import { isObject } from '../../domain/selectors.js';
import type { Cache, CacheOptions } from '../../kube/cache/reflector.js';

/** The collections that this group follows. Each needs get, list and watch. */
export interface PlacementCaches {
  readonly placements: Cache<Placement>;
  readonly decisions: Cache<PlacementDecision>;
  readonly clusters: Cache<ManagedCluster>;
  readonly sets: Cache<ManagedClusterSet>;
  readonly bindings: Cache<ManagedClusterSetBinding>;
}

/** Index of the decisions: key of a Placement → the objects that may be its, or stand in its way. */
export const BY_PLACEMENT = 'placement';

/** Index of the bindings: the set that they name. */
export const BY_SET = 'set';

/** How to make each of {@link PlacementCaches}. */
export const placementCacheOptions: {
  readonly placements: CacheOptions<Placement>;
  readonly decisions: CacheOptions<PlacementDecision>;
  readonly clusters: CacheOptions<ManagedCluster>;
  readonly sets: CacheOptions<ManagedClusterSet>;
  readonly bindings: CacheOptions<ManagedClusterSetBinding>;
} = {
  placements: { type: Placements },
  decisions: { type: PlacementDecisions, indexers: { [BY_PLACEMENT]: placementKeys } },
  clusters: { type: ManagedClusters, transform: trimCluster },
  sets: { type: ManagedClusterSets },
  bindings: { type: ManagedClusterSetBindings, indexers: { [BY_SET]: (binding) => [clusterSetOf(binding)] } },
};

/** The Placements that a decision object concerns: by label, by owner, and by its name. */
export function placementKeys({ metadata }: PlacementDecision): readonly string[] {
  const names = new Set<string>();
  const label = metadata.labels?.[PLACEMENT_LABEL];
  if (label !== undefined) names.add(label);
  for (const owner of metadata.ownerReferences ?? []) if (owner.kind === Placements.kind) names.add(owner.name);
  const named = /^(.+)-decision-[1-9][0-9]*$/.exec(metadata.name)?.[1];
  if (named !== undefined) names.add(named);
  return [...names].sort().map((name) => `${metadata.namespace ?? ''}/${name}`);
}

/** The set that a binding names; empty where it names none, which no set can be called. */
export function clusterSetOf({ spec }: { readonly spec: unknown }): string {
  const named = isObject(spec) ? spec['clusterSet'] : undefined;
  return typeof named === 'string' ? named : '';
}

/** What selection reads of a cluster; a heartbeat is no part of it. */
function trimCluster({ metadata, status }: ManagedCluster): ManagedCluster {
  const { name, uid, resourceVersion, deletionTimestamp, labels } = metadata;
  const claims = status?.clusterClaims;
  return {
    metadata: {
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(labels === undefined ? {} : { labels }),
    },
    spec: {},
    ...(claims === undefined ? {} : { status: { clusterClaims: claims } }),
  };
}
