import type { Member } from '../../domain/placement/explain/verdict.js';
import type { PlacementRules } from '../../domain/placement/spec/predicates.js';
import type { Decision } from '../../domain/placement/select/decision.js';
import type {
  BindingView,
  Candidates,
  ClusterView,
  PlacementSnapshot,
  SetView,
} from '../../domain/placement/select/snapshot.js';
import type { Published } from '../../domain/placement/stored/decision.js';
import type { Delayed } from './affected.js';
import type { MembershipIndex } from './membershipindex.js';

/** A decision as the index needs it. */
export interface IndexedDecision {
  readonly decision: Decision;
  /** What was published when it was made; undefined where that was not known. */
  readonly before: Published | undefined;
  /** What is published once all of it is stored. */
  readonly after: Published;
}

/** What follows from a commit. */
export interface Committed {
  /** Something has changed since the reading that no key was returned for: the Placement has to be reconciled again. */
  readonly isStale: boolean;
  /** Other Placements, to whose scores the decision makes a difference. */
  readonly delayed: readonly Delayed[];
}

/**
 * What the index has for one Placement when a pass begins. All of it is of that moment, but for what says otherwise.
 *
 * Guarantees: every change after that moment which can alter the decision returns the key of the Placement, or makes
 * the commit stale. A pass that ends without a commit leaves the index as the commit before it: the next pass reads
 * everything again.
 */
export interface Reading {
  readonly rules: PlacementRules;
  /** The bindings of the namespace, and the existing sets that they name. */
  readonly bindings: readonly BindingView[];
  readonly sets: ReadonlyMap<string, SetView>;
  /** The existing sets with times for changes. */
  readonly timedSets: readonly SetView[];
  /** The clusters that the Placement may select from. */
  readonly candidates: Candidates;
  /** How many other Placements select a cluster, at the time of the call. */
  readonly othersSelecting: PlacementSnapshot['othersSelecting'];
  /** Those of these clusters that exist, whatever sets they are in; `commit` notices when one of them has changed since. */
  clusters(names: Iterable<string>): ReadonlyMap<string, ClusterView>;
  /** The members of the readable eligible sets, those that are being deleted included, at the time of the call. */
  members(): readonly Member[];
  /** Enters the decision in the index, whether or not it is published later. */
  commit(decided: IndexedDecision): Committed;
}

/** The members of `sets`, each once with those of the sets that it is in; `clusters` by the ordinals of `membership`. */
export function membersOf(
  sets: readonly string[],
  membership: MembershipIndex,
  clusters: ReadonlyMap<number, ClusterView>,
): readonly Member[] {
  const found = new Map<number, string[]>();
  for (const set of sets) {
    for (const ordinal of membership.members(set).values()) {
      const known = found.get(ordinal);
      if (known === undefined) found.set(ordinal, [set]);
      else known.push(set);
    }
  }
  return [...found].flatMap(([ordinal, of]): Member[] => {
    const cluster = clusters.get(ordinal);
    return cluster === undefined ? [] : [{ cluster, sets: of }];
  });
}
