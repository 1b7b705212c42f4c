import type { Problem } from '../selectors.js';
import { membersOf } from './candidates.js';
import type { FleetMember } from './candidates.js';
import type { Eligibility } from './eligible.js';
import { explainMatch } from './predicates.js';
import type { FailedRequirement } from './predicates.js';
import { matchedClusters, seedOf, topRanked } from './rank.js';
import { schedule, selected } from './schedule.js';
import type { PlacementSnapshot } from './snapshot.js';

/**
 * The rule that let a cluster in or left it out. `rank` counts from 1: the selected by rank, then the others that match.
 * `failed` has one entry a predicate: its first requirement that the cluster fails.
 */
export type Verdict =
  | { readonly kind: 'Selected'; readonly rank: number }
  | { readonly kind: 'NotNeeded'; readonly rank: number }
  | { readonly kind: 'NotMatched'; readonly failed: readonly FailedRequirement[] }
  | { readonly kind: 'Deleting' };

export interface ExplainedCluster {
  readonly cluster: string;
  /** The eligible sets that it is a member of, sorted; empty for one that is kept because a set is unreadable. */
  readonly sets: readonly string[];
  readonly verdict: Verdict;
}

export interface Explanation {
  /** The field that cannot be read; nothing is selected anew, and `clusters` is empty. */
  readonly problem: Problem | undefined;
  readonly eligibility: Eligibility;
  /** Sorted by name: the clusters of eligible sets only, so that a tenant learns nothing of others. */
  readonly clusters: readonly ExplainedCluster[];
}

/** What `schedule` says of the snapshot, cluster by cluster. `fleet` is what the snapshot's candidates were taken from. */
export function explain(snapshot: PlacementSnapshot, fleet: readonly FleetMember[]): Explanation {
  const decided = schedule(snapshot);
  const { eligibility, problem } = decided;
  if (problem !== undefined) return { problem, eligibility, clusters: [] };
  const chosen = new Set(selected(decided));
  const ranks = ranksOf(snapshot, chosen);
  const eligible = new Set(eligibility.eligible);
  const rows = new Map<string, ExplainedCluster>();
  for (const name of chosen) rows.set(name, row(name, [], { kind: 'Selected', rank: ranks.get(name) ?? 0 }));
  for (const member of membersOf(fleet, eligibility.eligible)) {
    const { name } = member.cluster;
    const sets = member.sets.filter((one) => eligible.has(one));
    rows.set(name, row(name, sets, verdictOn(snapshot, member, { chosen, ranks })));
  }
  return { problem, eligibility, clusters: [...rows.values()].sort((a, b) => (a.cluster < b.cluster ? -1 : 1)) };
}

function row(cluster: string, sets: readonly string[], verdict: Verdict): ExplainedCluster {
  return { cluster, sets: [...new Set(sets)].sort(), verdict };
}

interface Outcome {
  readonly chosen: ReadonlySet<string>;
  readonly ranks: ReadonlyMap<string, number>;
}

function verdictOn(snapshot: PlacementSnapshot, { cluster }: FleetMember, { chosen, ranks }: Outcome): Verdict {
  if (cluster.deleting) return { kind: 'Deleting' };
  const rank = ranks.get(cluster.name);
  if (rank === undefined) return { kind: 'NotMatched', failed: explainMatch(snapshot.placement.rules, cluster) };
  return { kind: chosen.has(cluster.name) ? 'Selected' : 'NotNeeded', rank };
}

/** Places in the order of selection: the chosen first, then the rest of those that match. */
function ranksOf(snapshot: PlacementSnapshot, chosen: ReadonlySet<string>): Map<string, number> {
  const { placement, candidates } = snapshot;
  const seed = seedOf(placement.namespace, placement.name);
  const others = [...candidates.matched].filter(({ name }) => !chosen.has(name));
  const order = [...topRanked(matchedClusters(chosen), Infinity, seed), ...topRanked(others, Infinity, seed)];
  return new Map(order.map(({ name }, index) => [name, index + 1]));
}
