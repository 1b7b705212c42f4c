import type { ClusterView, PlacementRules } from '../../../src/domain/placement/predicates.js';
import { matchedClusters } from '../../../src/domain/placement/rank.js';
import { matches } from '../../../src/domain/placement/rules.js';
import type { Candidates } from '../../../src/domain/placement/snapshot.js';

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
  const matched = candidates.filter(({ cluster }) => matches(rules, cluster));
  const names = new Set(candidates.map(({ cluster }) => cluster.name));
  return {
    count: candidates.length,
    has: (name) => names.has(name),
    matched: matchedClusters(matched.map(({ cluster }) => cluster.name)),
  };
}
