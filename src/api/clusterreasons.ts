/** Condition types and reasons in the status of clusters, their sets and bindings; each reason with its meaning. Data only. */

/** Condition type of a ManagedCluster, present only while it is True. */
export const CLUSTER_SET_MISSING_CONDITION = 'ClusterSetMissing';

/** Condition type of a ManagedCluster, present only while it is True. */
export const CLAIMS_IGNORED_CONDITION = 'ClaimsIgnored';

/** Reasons of ClusterSetMissing and ClaimsIgnored. */
export const ClusterReasons = Object.freeze({
  NoSuchClusterSet: 'the label of the cluster names a set that does not exist',
  ReservedNames: 'the cluster publishes claims whose names stand for facts of its status',
});

export type ClusterReason = keyof typeof ClusterReasons;

/** Condition type of a ManagedClusterSet. */
export const CLUSTER_SET_EMPTY_CONDITION = 'ClusterSetEmpty';

/** Condition type of a ManagedClusterSetBinding. */
export const BOUND_CONDITION = 'Bound';

/** Condition type of a ManagedClusterSet and of a ManagedClusterSetBinding. */
export const IN_USE_CONDITION = 'InUse';

/** Reasons of ClusterSetEmpty. */
export const ClusterSetReasons = Object.freeze({
  ClustersSelected: 'at least one cluster that is not being deleted belongs to the set',
  NoClusterSelected: 'no cluster belongs to the set, or all that do are being deleted',
  SelectorUnreadable:
    'the selector of the set holds a value that admission should have refused; its members are unknown',
});

export type ClusterSetReason = keyof typeof ClusterSetReasons;

/** Reasons of Bound. */
export const BindingReasons = Object.freeze({
  ClusterSetBound: 'the placements of the namespace can select the clusters of the set',
  ClusterSetNotFound: 'the set does not exist, or is being deleted',
  BindingDeleting: 'the binding is being deleted and is ignored',
  NameDiffers: 'metadata.name is not spec.clusterSet; the binding is ignored',
});

export type BindingReason = keyof typeof BindingReasons;

/** Reasons of InUse. */
export const InUseReasons = Object.freeze({
  SelectedFrom: 'at least one Placement may select from the set, or may because of the binding',
  NotSelectedFrom: 'no Placement may select from the set, or may because of the binding',
});

export type InUseReason = keyof typeof InUseReasons;

/** Condition types of a ManagedCluster with an agent, which the hub writes; they are those of Open Cluster Management. */
export const HUB_ACCEPTED_CONDITION = 'HubAcceptedManagedCluster';
export const JOINED_CONDITION = 'ManagedClusterJoined';
export const AVAILABLE_CONDITION = 'ManagedClusterConditionAvailable';
export const CLOCK_SYNCED_CONDITION = 'ManagedClusterClockSynced';

/** Condition type of a ManagedCluster, present only while it is True. */
export const HUB_WRITE_REFUSED_CONDITION = 'HubWriteRefused';

/** Condition type of a ManagedCluster that its agent writes. */
export const CONTROL_PLANE_HEALTHY_CONDITION = 'ControlPlaneHealthy';

/** Condition type that the agent of a ManagedCluster writes, present only while it is True. */
export const AGENT_DEGRADED_CONDITION = 'AgentDegraded';

/** Condition type that the agent of a ManagedCluster writes, present only while it is True. */
export const CLAIMS_NOT_PUBLISHED_CONDITION = 'ClaimsNotPublished';

/** Reasons of AgentDegraded and ClaimsNotPublished. */
export const AgentReasons = Object.freeze({
  TokenNotStored:
    'the agent cannot store its token for the hub in its cluster: after a restart it has an older one, or none',
  TokenNotHandedOver: 'the agent cannot hand over a token of its cluster to Argo CD on the hub',
  ClusterNotRead: 'the agent cannot read its cluster, so that what it has reported is old',
  ClaimsRefused: 'ConfigMaps of the agent have claims that it does not publish',
});

export type AgentReason = keyof typeof AgentReasons;

/** Reasons of the conditions that the hub writes. */
export const HealthReasons = Object.freeze({
  HubClusterAdminAccepted: 'the hub expects an agent of the cluster and accepts what it reports',
  HubClusterAdminDenied: 'the hub refuses the agent of the cluster',
  ManagedClusterJoined: 'an agent has held the Lease of the cluster',
  NeverJoined: 'no agent has held the Lease of the cluster yet',
  ManagedClusterAvailable:
    'the agent renews its Lease, and reports nothing wrong; of the hub as a cluster of its own: its API server answers',
  ManagedClusterKubeAPIServerUnavailable:
    'the agent, or the hub as a cluster of its own, reports that the API server of the cluster fails',
  LocalClusterNotReported: 'the cluster stands for the hub, and spec.localCluster of no engine reports for it any more',
  ManagedClusterLeaseUpdateStopped: 'the hub has seen no renewal for three lease durations',
  ManagedClusterClockSynced: 'the times that the agent writes agree with the clock of the hub',
  ManagedClusterClockOutOfSync: 'the times that the agent writes differ by more than 60 s from the clock of the hub',
  WriteRefused: 'the API server refuses what the hub writes to the cluster, so that its taints or its status are old',
});

export type HealthReason = keyof typeof HealthReasons;

/** Events about a ManagedCluster with an agent or of another inventory, about a set, and about the fleet. Data only. */
export const ClusterEvents = Object.freeze({
  ClusterJoined: {
    type: 'Normal',
    when: 'ManagedClusterJoined becomes True; the note names the cluster ID',
  },
  ClusterRecovered: {
    type: 'Normal',
    when: 'ManagedClusterConditionAvailable becomes True again',
  },
  ClusterLost: {
    type: 'Warning',
    when: 'ManagedClusterConditionAvailable becomes Unknown, unless the fleet or a set of the cluster is silent',
  },
  ClusterUnavailable: {
    type: 'Warning',
    when: 'ManagedClusterConditionAvailable becomes False, unless the fleet or a set of the cluster is silent; the note is the message of the agent',
  },
  ClusterTainted: {
    type: 'Warning',
    when: 'the hub adds the taint unreachable or unavailable with the effect NoSelect: Placements replace the cluster',
  },
  SourceMissing: {
    type: 'Warning',
    when: 'most clusters are missing in another inventory, including this one: its ManagedCluster is not deleted',
  },
  FleetSilent: {
    type: 'Warning',
    when: 'most clusters of the fleet (on namespace multicluster-engine-agents) or of a set (on the set) are silent: the hub does not taint them for now',
  },
  FleetRecovered: {
    type: 'Normal',
    when: 'the fleet, or the set, is no longer silent',
  },
} as const);

export type ClusterEventReason = keyof typeof ClusterEvents;
