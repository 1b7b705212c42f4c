import { groupVersion } from '../runtime/vocabulary/kinds.js';

/** The kinds of this project, and those of other projects that it reads or writes, one row a kind. */

export const ENGINE_GROUP = 'multicluster.platform.io';
export const FLEET_GROUP = 'cluster.fleetmgmt.io';

const fleet = groupVersion(FLEET_GROUP, 'v1alpha1');

export const MultiClusterEngines = groupVersion(ENGINE_GROUP, 'v1alpha1').cluster(
  'multiclusterengines',
  'MultiClusterEngine',
);
export const Placements = fleet.namespaced('placements', 'Placement');
export const PlacementDecisions = fleet.namespaced('placementdecisions', 'PlacementDecision');
export const ManagedClusters = fleet.cluster('managedclusters', 'ManagedCluster');
export const ManagedClusterSets = fleet.cluster('managedclustersets', 'ManagedClusterSet');
export const ManagedClusterSetBindings = fleet.namespaced('managedclustersetbindings', 'ManagedClusterSetBinding');

/** Kinds of other projects: SIG Multicluster's inventory and decisions, the clusters of Kueue, and the inventory of Open Cluster Management. */
const sigMulticluster = groupVersion('multicluster.x-k8s.io', 'v1alpha1');
export const ClusterProfiles = sigMulticluster.namespaced('clusterprofiles', 'ClusterProfile');
export const SigPlacementDecisions = sigMulticluster.namespaced('placementdecisions', 'PlacementDecision');
export const MultiKueueConfigs = groupVersion('kueue.x-k8s.io', 'v1beta2').cluster(
  'multikueueconfigs',
  'MultiKueueConfig',
);
export const OcmManagedClusters = groupVersion('cluster.open-cluster-management.io', 'v1').cluster(
  'managedclusters',
  'ManagedCluster',
);
export const OcmAddOnPlacementScores = groupVersion('cluster.open-cluster-management.io', 'v1alpha1').namespaced(
  'addonplacementscores',
  'AddOnPlacementScore',
);
