import type { Placement } from '../../../api/generated/placement.js';
import type { PlacementDecision } from '../../../api/generated/placementdecision.js';
import { PlacementDecisions, Placements } from '../../../api/resources.js';
import {
  confirmedDecision,
  ownClusters,
  placementKeys,
  readDecision,
  type DecisionOwner,
  type StoredDecision,
} from '../../../domain/placement/stored/decision.js';
import type { Cache, CacheOptions } from '../../../runtime/cache/cache.js';
import { nameOf } from '../../../runtime/vocabulary/names.js';
import { clusterCacheOptions, type ClusterCaches } from '../clusters/caches.js';

/** The caches of the placement group. Each needs the verbs get, list and watch. */
export interface PlacementCaches extends ClusterCaches {
  readonly placements: Cache<Placement>;
  readonly decisions: Cache<PlacementDecision>;
}

/** Index of the decision objects by the key of each Placement that they may concern. */
export const BY_PLACEMENT = 'placement';

/** The options that each of {@link PlacementCaches} is created with. */
export const placementCacheOptions: typeof clusterCacheOptions & {
  readonly placements: CacheOptions<Placement>;
  readonly decisions: CacheOptions<PlacementDecision>;
} = {
  ...clusterCacheOptions,
  placements: { type: Placements, watchList: true },
  decisions: { type: PlacementDecisions, watchList: true, indexers: { [BY_PLACEMENT]: placementKeys } },
};

/** A decision that the status of its Placement confirms. */
export interface ConfirmedDecision {
  readonly owner: DecisionOwner;
  readonly objects: readonly StoredDecision[];
}

/** The decision of a Placement that others may repeat, by its key; undefined while it is being published or put right. */
export function confirmedIn(
  { decisions }: Pick<PlacementCaches, 'decisions'>,
  key: string,
  { metadata: { uid = '' }, status }: Placement,
): ConfirmedDecision | undefined {
  const { namespace = '', name } = nameOf(key);
  const owner = { namespace, name, uid };
  const stored = decisions.store.byIndex(BY_PLACEMENT, key).map((object) => readDecision(object, owner));
  const objects = confirmedDecision(status, stored);
  return objects && { owner, objects };
}

/** The clusters in the decision objects of a Placement that the caches have. */
export function storedClusters(key: string, { placements, decisions }: PlacementCaches): readonly string[] {
  const { namespace = '', name } = nameOf(key);
  const owner = { namespace, name, uid: placements.store.get(key)?.metadata.uid ?? '' };
  const stored = decisions.store.byIndex(BY_PLACEMENT, key).map((object) => readDecision(object, owner));
  return ownClusters(stored);
}
