/** Condition types, reasons and phases of a Placement, each with its meaning. Data only. */

export type PlacementPhase =
  | 'Pending'
  | 'Misconfigured'
  | 'Paused'
  | 'Held'
  | 'Waiting'
  | 'Unsatisfied'
  | 'PartiallySatisfied'
  | 'Satisfied';

/**
 * Condition types of a Placement. ClusterSetsMissing, RemovalsHeld, AdditionsHeld, Paused, ChangesWaiting, GroupsEmpty,
 * Reconciling and Stalled are there only while they are True, and never the last two together.
 */
export const PlacementConditions = Object.freeze({
  PlacementSatisfied: 'PlacementSatisfied',
  PlacementMisconfigured: 'PlacementMisconfigured',
  Ready: 'Ready',
  ClusterSetsMissing: 'ClusterSetsMissing',
  RemovalsHeld: 'RemovalsHeld',
  AdditionsHeld: 'AdditionsHeld',
  Paused: 'Paused',
  ChangesWaiting: 'ChangesWaiting',
  GroupsEmpty: 'GroupsEmpty',
  Reconciling: 'Reconciling',
  Stalled: 'Stalled',
});

/** Reasons of the conditions. */
export const PlacementReasons = Object.freeze({
  AllDecisionsScheduled: 'as many clusters as requested are selected and stored',
  NoManagedClusterSetBindings: 'no cluster set is bound to the namespace',
  NoIntersection: 'nothing can be selected from the sets that spec.ClusterSets names',
  AllManagedClusterSetsEmpty: 'the sets hold no cluster that is not being deleted',
  NoManagedClusterMatched: 'no cluster of the sets matches a predicate',
  AllMatchedClustersTainted: 'clusters match a predicate, and taints that are not tolerated keep all of them out',
  NotAllDecisionsScheduled:
    'fewer clusters than requested are selected and stored, or some of them are silent and cannot be replaced',
  Misconfigured: 'a field of the spec cannot be read; the last decision stays published',
  Succeedconfigured: 'every field of the spec is valid',
  DecisionPublished: 'the decision for this generation is stored',
  ClusterSetsNotEligible: 'a set that spec.ClusterSets (or, where it is empty, a binding) names brings in no cluster',
  DisruptionBudgetExceeded:
    'clusters that fail a rule stay, or clusters that match stay out, since more would leave or come in than spec.disruptionBudget allows',
  ClustersDeleted:
    'more than half and at least three of the clusters were deleted within a minute; those that are left stay for fifteen minutes',
  DefinitionsReplaced:
    'the definition of clusters, sets or bindings was deleted with all its objects, and created again; every cluster stays until it is released',
  PausedBySpec: 'spec.paused is true; the decision stays as it is, or there is none yet',
  OutsideChangeWindows:
    'clusters stay, or stay out, until the next of spec.changeWindows opens, of the Placement or of a set of theirs',
  ClusterSetPaused: 'clusters stay, or stay out, while spec.paused of a set of theirs is true',
  NoClusterInGroup:
    'no selected cluster is in a group that the spec names, so that a rollout begins with what follows it',
  Publishing: 'the decision objects that the message names are not stored yet',
  PublishFailed: 'a decision object cannot be stored; it is tried again',
});

/** Reasons of the status that a new Placement has by default of its CRD; no controller writes them. */
export const DefaultReasons = Object.freeze({
  WaitingForController: 'no placement controller has read the Placement yet',
});

export type PlacementReason = keyof typeof PlacementReasons;

/** Events about a Placement: one per real change. Data only. */
export const PlacementEvents = Object.freeze({
  DecisionPublished: {
    type: 'Normal',
    when: 'the first decision is stored and holds a cluster, or no cluster is requested',
  },
  DecisionChanged: {
    type: 'Normal',
    when: 'a later decision is stored that holds other clusters; the note names them, with at most four causes; the type is Warning if clusters left without an edit of the Placement',
  },
  PlacementUnsatisfied: {
    type: 'Warning',
    when: 'PlacementSatisfied becomes False or changes its reason, or a decision object cannot be stored; the note is its message and, for the first ten Placements of a settle window, how many clusters are out for each cause',
  },
  RemovalsHeld: {
    type: 'Warning',
    when: 'clusters that fail a rule begin to be held; the note is the message of the condition RemovalsHeld',
  },
  RemovalsReleased: {
    type: 'Normal',
    when: 'no cluster is held any more; the note names those that were removed',
  },
  AdditionsHeld: {
    type: 'Warning',
    when: 'clusters that match begin to be held back by spec.disruptionBudget; the note is the message of the condition AdditionsHeld',
  },
  AdditionsReleased: {
    type: 'Normal',
    when: 'no cluster is held back any more; the note names those that came in',
  },
  GroupsEmpty: {
    type: 'Warning',
    when: 'a group of the spec has no cluster any more, or from the first decision on; the note is the message of the condition GroupsEmpty',
  },
} as const);

/** Events about a MultiKueueConfig of Kueue that follows a Placement. Data only. */
export const MultiKueueEvents = Object.freeze({
  DecisionNotFollowed: {
    type: 'Warning',
    when: 'a MultiKueueConfig does not list all clusters of the Placement that it follows; the note says why',
  },
} as const);

export type PlacementEvent = keyof typeof PlacementEvents;
