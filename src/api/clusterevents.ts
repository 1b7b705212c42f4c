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
