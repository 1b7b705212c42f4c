import { taintedCluster, tierOfNew, tierOfSelected } from '../select/judge.js';
import { bestFirst, seedOf } from '../select/rank.js';
import { chosen, comingIn, leaving, stuck, type Decision } from '../select/decision.js';
import { scoresOf } from '../select/scores.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import { afterChoice, lowestFirstOf } from '../select/choice/choose.js';
import { inOrder, type Contest, type Group } from '../select/choice/contest.js';
import { isCompared } from '../spec/predicates.js';
import type { ClusterExplanation, ExplainInput, Explanation } from './verdict.js';

/** What the choice of a schedule says of each cluster, for explanations. */

/** A cluster that passes every rule. */
export interface RankedCandidate {
  readonly name: string;
  /** From 1: the selected ones in the reverse of the order in which they would leave, those that come in, those that leave, others. */
  readonly rank: number;
  /** Undefined for a cluster that is selected, or was. */
  readonly left: { readonly group: Group; readonly contest: Contest } | undefined;
}

/** Who has a place in a decision, and who would yield it. */
export function placesOf(decided: Decision): Parameters<typeof afterChoice>[0] {
  return { selected: chosen(decided), yielding: stuck(decided).map(({ cluster }) => cluster) };
}

/**
 * The clusters of `passing`, which pass every rule, by name. The others follow the selected ones as they would come in, by the
 * order as it stands after the decision.
 */
function rankedClusters(
  passing: ReadonlySet<string>,
  decided: Decision,
  snapshot: PlacementSnapshot,
): ReadonlyMap<string, RankedCandidate> {
  const scoreOf = scoresOf(snapshot);
  const tierOf = (name: string): number =>
    tierOfSelected(taintedCluster(snapshot.selected.get(name), snapshot.placement.rules, snapshot.now));
  const staying = decided.kept.flat().filter((name) => passing.has(name));
  const notNeeded = new Set(
    leaving(decided)
      .filter(({ cause }) => cause === 'NotNeeded')
      .map(({ cluster }) => cluster),
  );
  const selected = [...lowestFirstOf({ names: [...staying, ...notNeeded], tierOf }, snapshot, scoreOf)].reverse();
  const { contest, left } = afterChoice(placesOf(decided), (name) => tierOfNew(name, snapshot), snapshot, scoreOf);
  const ranked = new Map<string, RankedCandidate>();
  const add = (name: string, of: RankedCandidate['left']): void => {
    if (passing.has(name) && !ranked.has(name)) ranked.set(name, { name, rank: ranked.size + 1, left: of });
  };
  for (const name of [...selected.filter((one) => !notNeeded.has(one)), ...comingIn(decided)]) add(name, undefined);
  for (const name of selected.filter((one) => notNeeded.has(one))) add(name, undefined);
  for (const { name, group } of inOrder(left)) if (!notNeeded.has(name)) add(name, { group, contest });
  return ranked;
}

/** Undefined where clusters are not compared. */
export function choiceOf(
  judged: readonly ToRank[],
  decided: Decision,
  snapshot: PlacementSnapshot,
): ReadonlyMap<string, RankedCandidate> | undefined {
  if (!isCompared(snapshot.placement.rules)) return undefined;
  const passing = judged.filter(({ causes }) => causes.length === 0).map(({ name }) => name);
  return rankedClusters(new Set(passing), decided, snapshot);
}

/**
 * The rank of each cluster that passes every rule, as `explain` says it with all members. `explained` is of the same input, with
 * no member that the decision does not name: of the others no requirement is compared. In O(n log n) of those that match.
 */
export function ranksOf(
  { snapshot, readable }: Pick<ExplainInput, 'snapshot' | 'readable'>,
  { schedule: decided, clusters }: Explanation,
): ReadonlyMap<string, number> {
  if (decided === undefined) return new Map();
  const judged: ToRank[] = clusters.filter(({ inDecision }) => inDecision);
  const known = new Set(judged.map(({ name }) => name));
  for (const { name } of snapshot.candidates.matched) {
    const mayBeSelected = !readable.decisions || tierOfNew(name, snapshot) !== undefined;
    if (!known.has(name) && mayBeSelected) judged.push({ name, cluster: undefined, inDecision: false, causes: [] });
  }
  return orderOfSelection(judged, snapshot, choiceOf(judged, decided, snapshot));
}

export type ToRank = Pick<ClusterExplanation, 'name' | 'cluster' | 'inDecision' | 'causes'>;

/** The ranks of the clusters that pass every rule: the decision's come first, those that yield their place last. */
export function orderOfSelection(
  judged: readonly ToRank[],
  snapshot: PlacementSnapshot,
  choice: ReadonlyMap<string, RankedCandidate> | undefined,
): ReadonlyMap<string, number> {
  if (choice !== undefined) return new Map([...choice.values()].map(({ name, rank }) => [name, rank]));
  const { placement, now } = snapshot;
  const selectedTiers: [string[], string[], string[]] = [[], [], []];
  const newTiers: string[][] = [];
  for (const { name, cluster, inDecision, causes } of judged) {
    if (causes.length > 0) continue;
    const tier = inDecision ? undefined : tierOfNew(name, snapshot);
    if (tier !== undefined) (newTiers[tier] ??= []).push(name);
    // A cluster that could not come in now, but that may have been selected before, comes last, too.
    else selectedTiers[inDecision ? tierOfSelected(taintedCluster(cluster, placement.rules, now)) : 2].push(name);
  }
  const [untainted, tainted, yielding] = selectedTiers;
  const tiers = [untainted, tainted, ...Array.from(newTiers, (names) => names ?? []), yielding];
  const ranked = bestFirst(tiers, Infinity, seedOf(placement.namespace, placement.name));
  return new Map(ranked.map((name, index) => [name, index + 1]));
}
