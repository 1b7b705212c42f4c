import type { SpreadConstraint } from '../../spec/spread.js';
import { isUnhealthy, preferenceAgainst } from '../standing.js';
import { tierOfNew } from '../judge.js';
import type { PlacementSnapshot } from '../snapshot.js';
import type { Domain } from './topology.js';
import { candidatesOf } from './choose.js';
import { byScore, Contest, hashed, lowestFirst, type Contender, type Group, type ScoreOf } from './contest.js';
import { byRank } from '../rank.js';

/** Pairs of a selected cluster and a better one, for `spec.rebalance`. */
export interface Move {
  readonly leaves: string;
  readonly comes: string;
  /** In hundredths. */
  readonly scores: { readonly leaves: number; readonly comes: number };
  /** The constraint that the move brings closer to its `maxSkew`; undefined when it is made for the score. */
  readonly constraint: SpreadConstraint | undefined;
}

interface Pair extends Move {
  readonly ranks: { readonly leaves: Contender; readonly comes: Contender };
  /** By constraint: how many clusters are more than `maxSkew` above the lowest count, after the move. */
  readonly excess: readonly number[];
}

/** What a pair is looked for among. */
export interface Search {
  /** All selected clusters, and those of them that may leave. */
  readonly selected: readonly string[];
  readonly movable: readonly string[];
  /** By how much the score has to rise, in hundredths. */
  readonly margin: number;
}

/**
 * The best pair: the largest gain in spread, then in score, then by the ranks, as clusters leave and come in. A pair is allowed if the cluster that comes in passes
 * every rule and constraint, and stands behind no more taints that prefer others; and either fewer clusters are then above
 * `maxSkew`, or as many, and the score is higher by the margin. So each move lowers the excess or raises the scores, and
 * with fixed inputs they come to an end.
 */
export function bestMove(search: Search, snapshot: PlacementSnapshot, scoreOf: ScoreOf): Move | undefined {
  const contest = new Contest(snapshot, scoreOf);
  const viewOf = (name: string): ReturnType<PlacementSnapshot['selected']['get']> => snapshot.selected.get(name);
  for (const name of search.selected) contest.count(contest.placeOf(viewOf(name)));
  const known = new Set(search.selected);
  const isOut = (name: string): boolean => known.has(name);
  const comers = candidatesOf({ tierOf: (name) => tierOfNew(name, snapshot), isOut }, snapshot, contest);
  const leavers = contest.groups(hashed(search.movable), viewOf, (name) => tierOf(name, snapshot), lowestFirst);
  const before = contest.excess;
  const reduced = new Comers(comers);
  let best: Pair | undefined;
  for (const group of leavers) {
    const others = reduced.against(group);
    contest.count(group, -1);
    for (const other of others) {
      const pair = pairOf(group, other, { contest, before, margin: search.margin });
      if (pair !== undefined && (best === undefined || comparePairs(pair, best) < 0)) best = pair;
    }
    contest.count(group);
  }
  return best;
}

/**
 * The groups that may come in. Of those that are alike, since their domains have the same counts and exist by the same predicates,
 * only the one with the highest score can be of the best pair; those that share a domain with the cluster that leaves are looked
 * at one by one.
 */
class Comers {
  readonly #alike = new Map<string, Group[]>();
  readonly #byDomain = new Map<Domain, Group[]>();

  constructor(groups: readonly Group[]) {
    for (const group of [...groups].sort(compareFirsts)) {
      const { tier, predicate, domains } = group;
      addTo(this.#alike, [tier, predicate, ...domains.map(likeness)].join(' '), group);
      for (const domain of domains) if (domain !== undefined) addTo(this.#byDomain, domain, group);
    }
  }

  against({ domains }: Group): Iterable<Group> {
    const near = new Set(domains.flatMap((one) => (one === undefined ? [] : (this.#byDomain.get(one) ?? []))));
    return [...near, ...[...this.#alike.values()].flatMap((list) => list.find((group) => !near.has(group)) ?? [])];
  }
}

function likeness(domain: Domain | undefined): string {
  if (domain === undefined) return '-';
  const offers = [...domain.offers].sort((a, b) => a - b);
  return `${domain.count}:${offers.join()}`;
}

function addTo<K>(lists: Map<K, Group[]>, key: K, group: Group): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [group]);
  else list.push(group);
}

function compareFirsts({ queue: { first: a } }: Group, { queue: { first: b } }: Group): number {
  return a === undefined || b === undefined ? 0 : byScore(a, b);
}

/** The tier that a selected cluster would have if it were not. */
function tierOf(name: string, { selected, placement }: PlacementSnapshot): number {
  const taints = selected.get(name)?.taints ?? [];
  return taints.length === 0 && !isUnhealthy(taints) ? 0 : preferenceAgainst(taints, placement.rules.tolerations);
}

/** The pair of the first of each group, if it is allowed. `contest`: without the cluster that leaves. */
function pairOf(
  leaving: Group,
  coming: Group,
  { contest, before, margin }: { contest: Contest; before: readonly number[]; margin: number },
): Pair | undefined {
  const [x, y] = [leaving.queue.first, coming.queue.first];
  if (x === undefined || y === undefined || coming.tier > leaving.tier) return undefined;
  if ((contest.roomOf(coming) ?? 0) <= 0 || contest.blockedBy(coming) !== undefined) return undefined;
  const gain = y.score - x.score;
  const isRising = gain > 0 && gain >= margin;
  if (!isRising && before.every((one) => one === 0)) return undefined;
  contest.count(coming);
  const { excess } = contest;
  contest.count(coming, -1);
  const order = compareLists(excess, before);
  if (order > 0 || (order === 0 && !isRising)) return undefined;
  const index = excess.findIndex((one, at) => one !== before[at]);
  const constraint = contest.topologies[index]?.constraint;
  return {
    leaves: x.name,
    comes: y.name,
    scores: { leaves: x.score, comes: y.score },
    ranks: { leaves: x, comes: y },
    constraint,
    excess,
  };
}

function comparePairs(a: Pair, b: Pair): number {
  const gain = ({ scores }: Pair): number => scores.comes - scores.leaves;
  return (
    compareLists(a.excess, b.excess) ||
    gain(b) - gain(a) ||
    byRank(b.ranks.leaves, a.ranks.leaves) ||
    byRank(a.ranks.comes, b.ranks.comes)
  );
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((one, index) => one !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
