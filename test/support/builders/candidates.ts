import { answersAmong, unmatchedPredicates } from '../../../src/domain/placement/select/unmatched.js';
import type { PlacementRules } from '../../../src/domain/placement/spec/predicates.js';
import type { ClusterView } from '../../../src/domain/placement/spec/cluster.js';
import { matchedClusters } from '../../../src/domain/placement/select/rank.js';
import { matches } from '../../../src/domain/placement/select/rules.js';
import type { Candidates } from '../../../src/domain/placement/select/snapshot.js';

/** A cluster with the readable sets that it is a member of. */
export interface FleetMember {
  readonly cluster: ClusterView;
  readonly sets: readonly string[];
}

/** The members of the `eligible` sets, including those being deleted. */
function membersOf(fleet: readonly FleetMember[], eligible: readonly string[]): readonly FleetMember[] {
  const wanted = new Set(eligible);
  return fleet.filter((member) => member.sets.some((name) => wanted.has(name)));
}

/** The candidates of the `eligible` sets, computed from the whole fleet: the expected content of an index. */
export function candidatesAmong(
  fleet: readonly FleetMember[],
  eligible: readonly string[],
  rules: PlacementRules,
): Candidates {
  const candidates = membersOf(fleet, eligible).filter(({ cluster }) => !cluster.deleting);
  const matching = candidates.filter(({ cluster }) => matches(rules, cluster));
  const names = new Set(candidates.map(({ cluster }) => cluster.name));
  const sizes = { count: candidates.length, matched: matchedClusters(matching.map(({ cluster }) => cluster.name)) };
  const answers = answersAmong(candidates.map(({ cluster }) => cluster));
  const tainted = new Map(
    matching.filter(({ cluster }) => cluster.taints.length > 0).map(({ cluster }) => [cluster.name, cluster.taints]),
  );
  const views = new Map(matching.map(({ cluster }) => [cluster.name, cluster]));
  return {
    ...sizes,
    tainted,
    has: (name) => names.has(name),
    view: (name) => views.get(name),
    unmatched: unmatchedPredicates(rules, sizes, answers),
  };
}
