/** Events about a ManagedCluster with an agent or of another inventory, about a set, and about the fleet. Data only. */
export const ClusterEvents = Object.freeze({
  ClusterJoined: {
    type: 'Normal',
    when: 'ManagedClusterJoined turns True; the note names the cluster ID',
  },
  ClusterRecovered: {
    type: 'Normal',
    when: 'ManagedClusterConditionAvailable turns True again',
  },
  ClusterLost: {
    type: 'Warning',
    when: 'ManagedClusterConditionAvailable turns Unknown, unless the fleet or a set of the cluster is silent',
  },
  ClusterUnavailable: {
    type: 'Warning',
    when: 'ManagedClusterConditionAvailable turns False, unless the fleet or a set of the cluster is silent; the note is the message of the agent',
  },
  ClusterTainted: {
    type: 'Warning',
    when: 'the cluster gets taint unreachable or unavailable with effect NoSelect: Placements move elsewhere',
  },
  SourceMissing: {
    type: 'Warning',
    when: 'another inventory has lost most of its clusters, this one among them: the ManagedCluster is not deleted with it',
  },
  FleetSilent: {
    type: 'Warning',
    when: 'most clusters of the fleet (on namespace multicluster-engine-agents) or of a set (on the ManagedClusterSet) are silent: they are not tainted for now',
  },
  FleetRecovered: {
    type: 'Normal',
    when: 'the fleet, or the set, is no longer silent',
  },
} as const);

export type ClusterEventReason = keyof typeof ClusterEvents;
