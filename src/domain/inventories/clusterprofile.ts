import { CONTROL_PLANE_HEALTHY_CONDITION } from '../../api/clusterreasons.js';
import { asRecord } from '../../runtime/vocabulary/json.js';
import { ClusterProfiles } from '../../api/resources.js';
import {
  availabilityIn,
  sourcedClaims,
  sourcedLabels,
  sourceOf,
  type Inventory,
  type SourcedCluster,
  type SourceObject,
} from './source.js';

/**
 * ClusterProfile of SIG Multicluster's Cluster Inventory API (multicluster.x-k8s.io/v1alpha1, KEP-4322): the properties of
 * the status are the claims. It has no taints.
 */
export const clusterProfileInventory: Inventory = Object.freeze({ type: ClusterProfiles, read: readClusterProfile });

/** Undefined for a profile that is being deleted. */
function readClusterProfile(profile: SourceObject): SourcedCluster | undefined {
  const { name, deletionTimestamp } = profile.metadata;
  if (deletionTimestamp !== undefined) return undefined;
  const { properties, conditions } = asRecord(profile.status);
  return {
    name,
    source: sourceOf(ClusterProfiles, profile),
    labels: sourcedLabels(profile),
    taints: [],
    claims: sourcedClaims(properties),
    availability: availabilityIn(conditions, CONTROL_PLANE_HEALTHY_CONDITION),
  };
}
