import { AVAILABLE_CONDITION } from '../../api/clusterreasons.js';
import { asRecord, recordsIn } from '../../runtime/vocabulary/json.js';
import { OWN_KEY_PREFIX } from '../../api/names.js';
import { OcmManagedClusters } from '../../api/resources.js';
import type { Taint } from '../health/taints.js';
import {
  availabilityIn,
  sourcedClaims,
  sourcedLabels,
  sourceOf,
  type Availability,
  type Inventory,
  type SourcedCluster,
  type SourceObject,
} from './source.js';

/** ManagedCluster of Open Cluster Management (cluster.open-cluster-management.io/v1). */
export const ocmInventory: Inventory = Object.freeze({ type: OcmManagedClusters, read: readOcmCluster });

/** What the hub of OCM derives from the availability: it becomes the taint of this project instead. */
const DERIVED_TAINTS: readonly unknown[] = [
  'cluster.open-cluster-management.io/unavailable',
  'cluster.open-cluster-management.io/unreachable',
];
const EFFECTS: readonly unknown[] = ['NoSelect', 'PreferNoSelect', 'NoSelectIfNew'];
/** Most taints of a ManagedCluster, with places for that of the availability and for those of people. */
const MOST_TAINTS = 48;
const NEVER_REPORTED: Availability = {
  status: 'Unknown',
  reason: 'NotReported',
  message: 'Open Cluster Management has not reported yet whether the cluster is available',
  since: undefined,
};

/** Undefined for a cluster that is being deleted, or that its hub does not accept: anybody may have registered that one. */
function readOcmCluster(cluster: SourceObject): SourcedCluster | undefined {
  const { name, deletionTimestamp } = cluster.metadata;
  const { hubAcceptsClient, taints } = asRecord(cluster.spec);
  if (deletionTimestamp !== undefined || hubAcceptsClient !== true) return undefined;
  const { clusterClaims, conditions } = asRecord(cluster.status);
  return {
    name,
    source: sourceOf(OcmManagedClusters, cluster),
    labels: sourcedLabels(cluster),
    taints: ocmTaints(taints),
    claims: sourcedClaims(clusterClaims),
    availability: availabilityIn(conditions, AVAILABLE_CONDITION) ?? NEVER_REPORTED,
  };
}

function ocmTaints(value: unknown): readonly Taint[] {
  const taints = new Map<string, Taint>();
  for (const { key, effect, value: text, timeAdded } of recordsIn(value)) {
    if (typeof key !== 'string' || typeof effect !== 'string' || !EFFECTS.includes(effect)) continue;
    if (key.startsWith(OWN_KEY_PREFIX) || DERIVED_TAINTS.includes(key) || taints.size === MOST_TAINTS) continue;
    taints.set(`${key} ${effect}`, {
      key,
      ...(typeof text === 'string' ? { value: text } : {}),
      effect,
      ...(typeof timeAdded === 'string' ? { timeAdded } : {}),
    });
  }
  return [...taints.values()];
}
