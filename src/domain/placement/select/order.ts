import type { TaintedCluster } from './judge.js';
import { matchedClusters, seedOf, topRanked, type Candidate, type RankSeed } from './rank.js';
import type { PlacementSnapshot, Slots } from './snapshot.js';
import { preferenceAgainst, taintsAgainstNew } from './standing.js';

/** In which order clusters are selected, and selected ones stay: by tiers, and within a tier by rank. */

/** Lists of names, the first before all others. */
export type Tiers = readonly (readonly string[])[];

/** The `count` best of the tiers, in their order. */
export function bestFirst(tiers: Tiers, count: number, seed: RankSeed): string[] {
  const best: string[] = [];
  for (const names of tiers) {
    if (best.length >= count) break;
    for (const { name } of topRanked(matchedClusters(names), count - best.length, seed)) best.push(name);
  }
  return best;
}

/**
 * The tier of a selected cluster that passes every rule: 0; 1 with a taint that is not tolerated for ever, or when it is
 * unhealthy; 2 when it yields.
 */
export function tierOfSelected(tainted: TaintedCluster | undefined): 0 | 1 | 2 {
  if (tainted === undefined || tainted.isTolerated) return 0;
  return tainted.standing.kind === 'yields' ? 2 : 1;
}

/**
 * The tier of a matching candidate that is not selected: by how many of its taints prefer others, and behind all healthy ones
 * when it is unhealthy; undefined where a taint keeps it out.
 */
export function tierOfNew(name: string, { placement, candidates }: PlacementSnapshot): number | undefined {
  const { tolerations } = placement.rules;
  const taints = candidates.tainted.get(name);
  if (taints === undefined) return 0;
  if (taintsAgainstNew(taints, tolerations).length > 0) return undefined;
  return preferenceAgainst(taints, tolerations);
}

/** The `count` best of the matching candidates that were not selected before; `count` may be Infinity. */
export function bestNewClusters(snapshot: PlacementSnapshot, current: Slots, count: number): readonly string[] {
  if (count <= 0) return [];
  const { placement, candidates } = snapshot;
  const known = new Set(current.flat());
  const seed = seedOf(placement.namespace, placement.name);
  // Thousands of candidates for a few clusters: only one that ranks high enough is looked up, and no list of them is made.
  const isFirst = ({ name }: Candidate): boolean => !known.has(name) && tierOfNew(name, snapshot) === 0;
  const best = topRanked(candidates.matched, count, seed, isFirst).map((one) => one.name);
  if (best.length >= count || candidates.tainted.size === 0) return best;
  return [...best, ...bestFirst(laterTiers(snapshot, known), count - best.length, seed)];
}

/** The matching candidates with taints that prefer others, by tier; without those of `known`. */
function laterTiers(snapshot: PlacementSnapshot, known: ReadonlySet<string>): Tiers {
  const tiers: string[][] = [];
  for (const { name } of snapshot.candidates.matched) {
    const tier = known.has(name) ? undefined : tierOfNew(name, snapshot);
    if (tier !== undefined && tier > 0) (tiers[tier] ??= []).push(name);
  }
  return Array.from(tiers, (names) => names ?? []);
}
