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
