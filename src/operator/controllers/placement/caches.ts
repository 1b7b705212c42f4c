import type { Placement } from '../../../api/generated/placement.js';
import type { PlacementDecision } from '../../../api/generated/placementdecision.js';
import { PlacementDecisions, Placements } from '../../../api/resources.js';
import { placementKeys } from '../../../domain/placement/stored/decision.js';
import type { Cache, CacheOptions } from '../../../runtime/cache/cache.js';
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
