import { countsOf, ownRecords } from './budget.js';
import { type Move, type MoveWait } from './decision.js';
import { waitsFor, type Holders } from './holders.js';
import { preferenceAgainst } from './standing.js';
import { tierOfNew } from './judge.js';
import { type PlacementSnapshot, selectedSince } from './snapshot.js';
import type { Domain } from './choice/topology.js';
import { candidatesOf } from './choice/choose.js';
import { byScore, Contest, hashed, lowestFirst, type Contender, type Group, type ScoreOf } from './choice/contest.js';
import { byRank } from './rank.js';
import { isCompared } from '../spec/predicates.js';
import type { Rebalance } from '../spec/prioritizers.js';
import { leftOf } from '../spec/budget.js';
import { countedEntries } from '../stored/record.js';
import { isDefinitionReplaced } from './definitions.js';
import type { Draft } from './draft.js';
import { budgetInForce } from './limits.js';
import { keepersIn } from './waiting.js';

/**
 * Moves of `spec.rebalance`: a selected cluster leaves for a better one. One pair moves at a time, and the next one not before an
 * interval has passed since a cluster came in last. A move is one removal of the disruption budget, and waits while that has
 * none left.
 */

/** What becomes of the move that would be the next. */
interface Rebalancing {
  /** Undefined: no cluster moves now. */
  readonly move?: Move;
  /** What the next move waits for until then, beside the interval. */
  readonly moveWaits?: MoveWait;
  /** Whether its removal counts against the disruption budget. */
  readonly isCounted?: boolean;
  /** When to look again: ms since the epoch; undefined for never. */
  readonly until?: number | undefined;
}

const NEVER: Rebalancing = {};

/** The stage of moves: one pair moves where the decision changes nothing else and holds nothing. */
export function move(draft: Draft): void {
  const { snapshot, fates } = draft;
  const { rules } = snapshot.placement;
  if (rules.rebalance === undefined || rules.problem !== undefined || !isCompared(rules)) return;
  // Any cluster that comes to match, or is not tainted any more, may be better than a selected one.
  draft.hasRoom = true;
  const kinds = new Set([...fates.values()].map(({ kind }) => kind));
  if (kinds.has('leaves') || kinds.has('comesIn')) {
    draft.lookAt(snapshot.now + rules.rebalance.intervalSeconds * 1_000);
    return;
  }
  if (kinds.has('held') || kinds.has('keptOut')) return;
  const keptBySets = (name: string): boolean => draft.timedSets.holding(name, 'Moved').length > 0;
  const free = rebalancing(draft, keptBySets);
  // Only where no other pair moves, now or later, one is shown that waits for a set.
  const found = free === NEVER && draft.timedSets.isAny ? rebalancing(draft, () => false) : free;
  draft.move = found.move;
  const by = found.move && movingHolders(found.move, draft);
  const field = by && waitsFor(by);
  draft.moveWaits = field === undefined ? found.moveWaits : { field };
  if (by === undefined) draft.lookAt(found.until);
  // A better pair may wait for a set.
  if (free.move === undefined && free.until !== undefined) draft.lookAt(draft.timedSets.until());
  if (found.move === undefined) return;
  const { leaves, comes } = found.move;
  if (by === undefined) {
    draft.letGo(leaves, 'Moved', found.isCounted === true);
    draft.letIn(comes, false);
  } else {
    draft.keep(leaves, 'Moved', by);
    draft.keepOut(comes, by);
  }
}

/** What the move waits for: a window of the Placement, and the sets of both clusters; undefined for nothing. */
function movingHolders({ leaves, comes }: Move, draft: Draft): Holders | undefined {
  const first = draft.timedSets.holding(leaves, 'Moved');
  const others = draft.timedSets.holding(comes).filter((one) => !first.includes(one));
  return keepersIn(draft)([...first, ...others]);
}

/**
 * The next move of a decision that changes nothing else: whether it is made now, what it waits for, and when to look again. No
 * cluster takes part that `isOut`.
 */
function rebalancing(draft: Draft, isOut: (name: string) => boolean): Rebalancing {
  const { clusters: selected, snapshot, scoreOf } = draft;
  const { placement, now } = snapshot;
  const { rebalance } = placement.rules;
  if (rebalance === undefined || selected.length === 0 || isDefinitionReplaced(snapshot)) return NEVER;
  const movable = selected.filter((name) => isMovable(name, draft) && !isOut(name));
  const search = { selected, movable, isOut, margin: Math.round(rebalance.scoreMargin * 100) };
  const best = bestMove(search, snapshot, scoreOf);
  if (best === undefined) return NEVER;
  const times = timesOf(selected, snapshot);
  // Only clusters that have stayed for minSelectedSeconds may leave: where others were searched too, search again without them.
  const { old, earliest } = byStay(movable, times, rebalance, now);
  let found = old.length === 0 ? undefined : best;
  if (old.length > 0 && old.length < movable.length) found = bestMove({ ...search, movable: old }, snapshot, scoreOf);
  const intervalMs = rebalance.intervalSeconds * 1_000;
  const intervalEnd = Math.max(...times.values()) + intervalMs;
  if (found === undefined && earliest !== undefined && earliest > intervalEnd)
    return { moveWaits: { field: 'minSelectedSeconds' }, until: earliest };
  if (found === undefined || now < intervalEnd) return { until: intervalEnd };
  const removals = removalsLeft(selected.length, snapshot);
  if (removals !== undefined && removals.left < 1)
    return { moveWaits: { field: 'disruptionBudget', move: found }, until: removals.until };
  return { move: found, isCounted: removals !== undefined, until: now + intervalMs };
}

/** Whether a selected cluster may leave for a better one: it fails no rule, and has not to be replaced anyway. */
function isMovable(name: string, { judged, snapshot }: Draft): boolean {
  const isYielding = judged.asked.get(name)?.standing.kind === 'yields';
  return snapshot.candidates.matched.has(name) && !judged.failing.has(name) && !isYielding;
}

/** Since when each cluster is selected, ms since the epoch; one without a time, from now on. */
function timesOf(selected: readonly string[], snapshot: PlacementSnapshot): ReadonlyMap<string, number> {
  const since = selectedSince(snapshot);
  return new Map(
    selected.map((name) => {
      const time = since.get(name);
      return [name, time === undefined ? snapshot.now : Date.parse(time)];
    }),
  );
}

/** `old`: the clusters that have been selected for `minSelectedSeconds`; `earliest`: when the first of the others has been. */
function byStay(
  names: readonly string[],
  times: ReadonlyMap<string, number>,
  { minSelectedSeconds }: Rebalance,
  now: number,
): { readonly old: readonly string[]; readonly earliest: number | undefined } {
  const endOf = (name: string): number => (times.get(name) ?? now) + minSelectedSeconds * 1_000;
  const young = names.filter((name) => endOf(name) > now);
  const earliest = young.length === 0 ? undefined : Math.min(...young.map(endOf));
  return { old: names.filter((name) => endOf(name) <= now), earliest };
}

/** How many removals the disruption budget has left and, while it has none, when that changes; undefined without a budget. */
function removalsLeft(
  size: number,
  snapshot: PlacementSnapshot,
): { readonly left: number; readonly until: number | undefined } | undefined {
  const { maxRemovals, windowSeconds = 0 } = budgetInForce(snapshot.placement) ?? {};
  if (maxRemovals === undefined) return undefined;
  const { now } = snapshot;
  const { base, used } = countsOf(snapshot, [], size);
  const entries = ownRecords(snapshot).flatMap((one) => (one?.kind === 'entries' ? one.entries : []));
  const ends = countedEntries(entries, windowSeconds, now).map(([at]) => at + windowSeconds * 1_000);
  return { left: leftOf(maxRemovals.limit, base, used), until: ends.length === 0 ? undefined : Math.min(...ends) };
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
  /** Whether another cluster must not come in. */
  readonly isOut?: (name: string) => boolean;
  /** By how much the score has to rise, in hundredths. */
  readonly margin: number;
}

/**
 * The best pair: with the largest gain in spread, then in score, then by the ranks, as clusters leave and come in.
 *
 * A pair is allowed if the cluster that comes in passes every rule and constraint, and its tier (by taints `PreferNoSelect`, and
 * by health) is not behind that of the one that leaves; and if fewer clusters are then above `maxSkew`, or as many and the score is
 * higher by the margin. So each move lowers the excess or raises the scores, and with fixed inputs they come to an end.
 */
export function bestMove(search: Search, snapshot: PlacementSnapshot, scoreOf: ScoreOf): Move | undefined {
  const contest = new Contest(snapshot, scoreOf);
  const viewOf = (name: string): ReturnType<PlacementSnapshot['selected']['get']> => snapshot.selected.get(name);
  for (const name of search.selected) contest.count(contest.placeOf(viewOf(name)));
  const known = new Set(search.selected);
  const isOut = (name: string): boolean => known.has(name) || search.isOut?.(name) === true;
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
 * The groups that may come in, of which `against` gives those that have to be compared with a group that leaves. Groups are alike
 * when their domains have the same counts and exist by the same predicates: of these only the one with the highest score can be of
 * the best pair. Groups that share a domain with the one that leaves are all compared, since its counts change.
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

/** The same text for domains that are alike. */
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

/** The tier of a selected cluster, as if it were to come in. */
function tierOf(name: string, { selected, placement }: PlacementSnapshot): number {
  const taints = selected.get(name)?.taints ?? [];
  return preferenceAgainst(taints, placement.rules.tolerations);
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

/** By the first number that differs. */
function compareLists(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((one, index) => one !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
