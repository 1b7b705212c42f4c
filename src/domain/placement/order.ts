import type { TaintedCluster } from './judge.js';
import { matchedClusters, seedOf, topRanked, type Candidate, type RankSeed } from './rank.js';
import type { PlacementSnapshot, Slots } from './snapshot.js';
import { preferenceAgainst, taintsAgainstNew } from './taints/standing.js';

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

/** The tier of a selected cluster that passes every rule: 0; 1 with a taint that is not tolerated for ever; 2 when it yields. */
export function tierOfSelected(tainted: TaintedCluster | undefined): 0 | 1 | 2 {
  if (tainted === undefined || tainted.isTolerated) return 0;
  return tainted.standing.kind === 'yields' ? 2 : 1;
}

/**
 * The tier of a matching candidate that is not selected: by how many of its taints prefer others; undefined where a taint
 * keeps it out.
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
  const isTainted = candidates.tainted.size > 0;
  const first: Candidate[] = [];
  const later: string[][] = [];
  for (const candidate of candidates.matched) {
    if (known.has(candidate.name)) continue;
    const tier = isTainted ? tierOfNew(candidate.name, snapshot) : 0;
    if (tier === 0) first.push(candidate);
    else if (tier !== undefined) (later[tier] ??= []).push(candidate.name);
  }
  const seed = seedOf(placement.namespace, placement.name);
  const best = topRanked(first, count, seed).map((one) => one.name);
  if (later.length === 0) return best;
  return [
    ...best,
    ...bestFirst(
      Array.from(later, (names) => names ?? []),
      count - best.length,
      seed,
    ),
  ];
}
