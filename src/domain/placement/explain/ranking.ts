import { boundedList } from '../../conditions.js';
import { askedCluster, tierOfNew, tierOfSelected } from '../select/judge.js';
import { bestFirst, seedOf } from '../select/rank.js';
import { chosen, comingIn, leaving, stuck, type Decision } from '../select/decision.js';
import { scoresOf } from '../select/scores.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import { afterChoice, lowestFirstOf } from '../select/choice/choose.js';
import { inOrder, type Contest, type Group, type ScoreOf } from '../select/choice/contest.js';
import type { Topology } from '../select/choice/topology.js';
import type { SpreadConstraint } from '../spec/spread.js';
import { spreadText } from './choicetext.js';
import { wordText } from './requirementtext.js';
import type { ExplainInput, Explanation } from './verdict.js';

/** What the choice of a decision that is made says of each cluster, and of its spread. */

/** How the clusters that pass every rule stand. */
export interface Order {
  /** From 1, by name. */
  readonly ranks: ReadonlyMap<string, number>;
  /** Those that are not selected, and were not. */
  readonly left: ReadonlyMap<string, { readonly group: Group; readonly contest: Contest }>;
}

/** What is left to choose from, and the domains, once the decision is carried out. */
function afterDecision(
  decided: Decision,
  snapshot: PlacementSnapshot,
  scoreOf: ScoreOf,
): ReturnType<typeof afterChoice> {
  const yielding = stuck(decided).map(({ cluster }) => cluster);
  return afterChoice({ selected: chosen(decided), yielding }, (name) => tierOfNew(name, snapshot), snapshot, scoreOf);
}

/**
 * The clusters of `passing`, which pass every rule, by name: the selected ones in the reverse of the order in which they would leave,
 * those that come in, those that are not needed any more, and the others as they would come in after the decision. Those come last
 * that yield their place, and those that could not come in now, but that may have been selected before. In O(n log n).
 */
export function orderOfSelection(passing: ReadonlySet<string>, decided: Decision, snapshot: PlacementSnapshot): Order {
  const { placement, selected: views, now } = snapshot;
  const scoreOf = scoresOf(snapshot);
  const tierOf = (name: string): number => tierOfSelected(askedCluster(views.get(name), placement.rules, now));
  const gone = leaving(decided).flatMap(({ cluster, cause }) => (cause === 'NotNeeded' ? [cluster] : []));
  const notNeeded = new Set(gone);
  const names = [...decided.kept.flat().filter((name) => passing.has(name)), ...gone];
  const selected = [...lowestFirstOf({ names, tierOf }, snapshot, scoreOf)].reverse();
  const ranks = new Map<string, number>();
  const left = new Map<string, { readonly group: Group; readonly contest: Contest }>();
  const add = (name: string): void => {
    if (passing.has(name) && !ranks.has(name)) ranks.set(name, ranks.size + 1);
  };
  const steady = selected.filter((name) => tierOf(name) !== YIELDS);
  for (const name of steady) if (!notNeeded.has(name)) add(name);
  comingIn(decided).forEach(add);
  steady.forEach(add);
  if (ranks.size === passing.size) return { ranks, left };
  const known = new Set(selected);
  const after = afterDecision(decided, snapshot, scoreOf);
  for (const { name, group } of inOrder(after.left)) {
    if (known.has(name)) continue;
    left.set(name, { group, contest: after.contest });
    add(name);
  }
  selected.forEach(add);
  const rest = [...passing].filter((name) => !ranks.has(name));
  bestFirst([rest], Infinity, seedOf(placement.namespace, placement.name)).forEach(add);
  return { ranks, left };
}

const YIELDS: ReturnType<typeof tierOfSelected> = 2;

/**
 * The rank of each cluster that passes every rule, as `explain` says it with all members. `explained` is of the same input, with
 * no member that the decision does not name: of the others no requirement is compared. In O(n log n) of those that match.
 */
export function ranksOf(
  { snapshot, readable }: Pick<ExplainInput, 'snapshot' | 'readable'>,
  { decision: decided, clusters }: Explanation,
): ReadonlyMap<string, number> {
  if (decided === undefined) return new Map();
  const inDecision = new Map(clusters.flatMap((one) => (one.inDecision ? [[one.name, one.causes]] : [])));
  const passing = new Set([...inDecision].flatMap(([name, causes]) => (causes.length === 0 ? [name] : [])));
  for (const { name } of snapshot.candidates.matched) {
    const mayBeSelected = !readable.decisions || tierOfNew(name, snapshot) !== undefined;
    if (!inDecision.has(name) && mayBeSelected) passing.add(name);
  }
  return orderOfSelection(passing, decided, snapshot).ranks;
}

/** A constraint that the selected clusters do not keep. */
export interface ExceededSpread {
  readonly constraint: SpreadConstraint;
  /** The domains with more than `maxSkew` above the lowest count, sorted by their values. */
  readonly full: readonly { readonly domain: string; readonly count: number }[];
  readonly lowest: number;
}

/** Characters of a list of domains. */
const DOMAINS_LIMIT = 160;

/** The domains that a decision leaves, by constraint in the order of the spec. */
export function topologiesAfter(decided: Decision, snapshot: PlacementSnapshot): readonly Topology[] {
  if (snapshot.placement.rules.spread.length === 0) return [];
  return afterDecision(decided, snapshot, () => 0).contest.topologies;
}

/** The constraints that the decision exceeds, in the order of the spec. */
export function exceededSpread(decided: Decision, snapshot: PlacementSnapshot): readonly ExceededSpread[] {
  return topologiesAfter(decided, snapshot).flatMap(({ constraint, excess, lowest, domains }) => {
    if (excess === 0) return [];
    const full = domains.filter(({ count }) => count - lowest > constraint.maxSkew);
    return [{ constraint, full: full.map(({ value, count }) => ({ domain: value, count })), lowest }];
  });
}

/** `spread by claim region (maxSkew 1) is exceeded: eu has 3 clusters, the lowest count is 0`. */
export function exceededText({ constraint, full, lowest }: ExceededSpread): string {
  const domains = full.map(
    ({ domain, count }) => `${wordText(domain)} has ${count} ${count === 1 ? 'cluster' : 'clusters'}`,
  );
  return `${spreadText(constraint)} is exceeded: ${boundedList(domains, ', ', DOMAINS_LIMIT)}, the lowest count is ${lowest}`;
}
