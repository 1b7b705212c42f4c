/** What the watches of a run showed, in the one order that the server stored it in. */

export type Kind = 'Placement' | 'PlacementDecision' | 'ManagedCluster';

export interface SeenPlacement {
  readonly kind: 'Placement';
  readonly uid: string;
  readonly generation: number;
  /** Absent: all that match. */
  readonly count?: number;
  readonly observedGeneration: number;
  /** Whether Ready is True. */
  readonly published: boolean;
  readonly selected: number;
  readonly decisions: readonly { readonly name: string; readonly revision: string }[];
}

export interface SeenDecision {
  readonly kind: 'PlacementDecision';
  /** Uid of the controller owner; empty when there is none. */
  readonly owner: string;
  readonly revision: string;
  /** Absent when the object has no list at all. */
  readonly clusters?: readonly string[];
}

export interface SeenCluster {
  readonly kind: 'ManagedCluster';
  readonly deleting: boolean;
}

export type Seen = SeenPlacement | SeenDecision | SeenCluster;

export interface Observed {
  /** The resourceVersion: one count over all kinds. */
  readonly at: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** `namespace/name`, or the name. */
  readonly key: string;
  readonly seen: Seen;
  /** Read from a list after the watch was lost: the events in between are unknown. */
  readonly gap?: boolean;
}

/** What the model allows for one placement during one step. */
export interface Outlook {
  /** Clusters that match in every state that the step's writes can be seen in. */
  readonly always: ReadonlySet<string>;
  /** Clusters that match in any of them. */
  readonly ever: ReadonlySet<string>;
}

/** One step of the run: what was stored after `from`, up to the next frame. */
export interface Frame {
  readonly step: number;
  readonly from: number;
  /** By `namespace/name`; a placement that is not listed is not judged by what may be selected. */
  readonly outlook: ReadonlyMap<string, Outlook>;
}

export interface Violation {
  readonly rule: string;
  readonly step: number;
  readonly at: number;
  readonly placement: string;
  readonly detail: string;
}

/** The clusters in the objects of a decision, by key. */
export function unionOf(objects: ReadonlyMap<string, SeenDecision>): Set<string> {
  return new Set([...objects.values()].flatMap(({ clusters = [] }) => clusters));
}

export function sorted(events: readonly Observed[]): Observed[] {
  return [...events].sort((a, b) => a.at - b.at);
}
