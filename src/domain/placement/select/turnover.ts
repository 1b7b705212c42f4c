import { hasNumbers, isCompared } from '../spec/predicates.js';
import { isReleased } from '../spec/release.js';
import { admit, type Places } from './additions.js';
import type { DecidedClusters, HeldCause } from './budget.js';
import { aboveNumbers, choose, lowestFirstOf, surplus, type Candidature, type Stayers } from './choice/choose.js';
import type { ScoreOf } from './choice/contest.js';
import { NO_SHORTAGE, shortageOf, type Shortage } from './choice/shortage.js';
import { budgetInForce } from './inforce.js';
import type { SelectedClusters } from './judge.js';
import { bestFirst, bestNewClusters, tierOfNew, tierOfSelected } from './order.js';
import { seedOf } from './rank.js';
import type { FailedRule } from './rules.js';
import type { PlacementSnapshot, Slots } from './snapshot.js';

/** Which clusters leave because they are not needed, and which come in. */

/**
 * Why a selected cluster is dropped: the first rule that it fails, or `NotNeeded`. For `Gone` and `NotMember` some object is
 * missing, and its deletion has to be confirmed before the cluster is dropped. `Tainted` also for one that has yielded its
 * place to another, and `Moved` for one that `spec.rebalance` lets go for a better one.
 */
export type DropCause = FailedRule | 'NotNeeded' | 'Moved';

export interface Dropped {
  readonly cluster: string;
  readonly cause: DropCause;
}

/** What stays of a decision, before it is cut to `limit`. */
export interface Staying {
  readonly current: Slots;
  readonly dropped: ReadonlyMap<string, DropCause>;
  readonly held: ReadonlyMap<string, HeldCause>;
  readonly limit: number;
  readonly judged: SelectedClusters;
  readonly scoreOf: ScoreOf;
}

/**
 * The clusters to remove so that each predicate has at most its number and `limit` stay, with their causes: held ones first,
 * then those that yield, then those with a taint that is not tolerated for ever, and of equals those that rank lowest.
 */
export function notNeeded(of: Staying, snapshot: PlacementSnapshot): readonly (readonly [string, DropCause])[] {
  const { current, dropped, held, limit, judged, scoreOf } = of;
  const { placement } = snapshot;
  const staying = current.flat().filter((name) => !dropped.has(name));
  if (isCompared(placement.rules)) {
    if (staying.length <= limit && !hasNumbers(placement.rules)) return [];
    const tierOf = (name: string): number => (held.has(name) ? 3 : tierOfSelected(judged.tainted.get(name)));
    const isHeldByBudget = [...held.values()].includes('NotNeeded');
    const leaving = isHeldByBudget
      ? notHeld({ names: staying, tierOf }, of, snapshot)
      : surplus({ names: staying, tierOf }, limit, snapshot, scoreOf);
    return leaving.map((name) => [name, held.get(name) ?? 'NotNeeded'] as const);
  }
  if (staying.length <= limit) return [];
  const tiers: [string[], string[], string[], string[]] = [[], [], [], []];
  for (const name of staying) tiers[held.has(name) ? 3 : tierOfSelected(judged.tainted.get(name))].push(name);
  const needed = new Set(bestFirst(tiers, limit, seedOf(placement.namespace, placement.name)));
  return staying.filter((name) => !needed.has(name)).map((name) => [name, held.get(name) ?? 'NotNeeded'] as const);
}

/** Those that leave where a budget holds clusters above the number of their predicate: released ones, and those above `limit`. */
function notHeld(
  { names, tierOf }: Stayers,
  { held, limit, judged, scoreOf }: Staying,
  snapshot: PlacementSnapshot,
): readonly string[] {
  const above = aboveNumbersOf(judged, names, snapshot, scoreOf).filter((name) => !held.has(name));
  const left = new Set(above);
  const rest = names.filter((name) => !left.has(name));
  const lowest = rest.length > limit ? lowestFirstOf({ names: rest, tierOf }, snapshot, scoreOf) : [];
  return [...above, ...lowest.slice(0, rest.length - limit)];
}

/** Those of the clusters that pass every rule, and are more than their predicate may bring in. */
function aboveNumbersOf(
  { failing, tainted }: SelectedClusters,
  clusters: readonly string[],
  snapshot: PlacementSnapshot,
  scoreOf: ScoreOf,
): readonly string[] {
  const names = clusters.filter((name) => !failing.has(name));
  return aboveNumbers({ names, tierOf: (name) => tierOfSelected(tainted.get(name)) }, snapshot, scoreOf);
}

/** What comes in, and what leaves for it. */
export interface NewClusters {
  /** The best first. */
  readonly added: readonly string[];
  /** Those of `added` that count against the disruption budget. */
  readonly countedAdditions: ReadonlySet<string>;
  /** Those that would come in, and that the disruption budget keeps out, the best first. */
  readonly heldAdditions: readonly string[];
  /** Why fewer are selected than wanted, where numbers of predicates or spread have to do with it. */
  readonly shortage: Shortage;
  readonly replaced: readonly string[];
}

const NONE_NEW: NewClusters = {
  added: [],
  countedAdditions: new Set(),
  heldAdditions: [],
  replaced: [],
  shortage: NO_SHORTAGE,
};

/** The clusters whose removal is bounded: those that fail a rule and, by a budget, those above the number of their predicate. */
export function rationedClusters(
  judged: SelectedClusters,
  current: Slots,
  snapshot: PlacementSnapshot,
  scoreOf: ScoreOf,
): DecidedClusters {
  const { placement } = snapshot;
  if (!hasNumbers(placement.rules)) return judged;
  if (budgetInForce(placement)?.maxRemovals === undefined) return withoutExcess(judged, current, snapshot, scoreOf);
  const above = aboveNumbersOf(judged, current.flat(), snapshot, scoreOf);
  const failing = new Map<string, HeldCause>(judged.failing);
  for (const name of above) failing.set(name, 'NotNeeded');
  return { ...judged, failing, passing: judged.passing - above.length };
}

/**
 * Without those that are not needed because their predicate has more than its number: without a budget they leave in any case,
 * and must not count as removals, nor make room for others that do.
 */
function withoutExcess(
  judged: SelectedClusters,
  current: Slots,
  snapshot: PlacementSnapshot,
  scoreOf: ScoreOf,
): DecidedClusters {
  const { release } = snapshot.placement;
  if (judged.failing.size === 0) return judged;
  const { failing, failingByHub, tainted } = judged;
  const leaves = (name: string): boolean => failingByHub.has(name) || isReleased(release, name, snapshot.now);
  const names = current.flat().filter((name) => !failing.has(name) || !leaves(name));
  const tierOf = (name: string): number => (failing.has(name) ? 3 : tierOfSelected(tainted.get(name)));
  const excess = new Set(aboveNumbers({ names, tierOf }, snapshot, scoreOf));
  const left = new Map([...failing].filter(([name]) => !excess.has(name)));
  return { ...judged, failing: left, passing: judged.passing - (excess.size - (failing.size - left.size)) };
}

/** The clusters that come in, and those that yield their place to one of them: the lowest ranked first. */
export function newClusters(of: Staying, snapshot: PlacementSnapshot): NewClusters {
  const { current, dropped, limit, judged } = of;
  const { placement, candidates } = snapshot;
  const { passing, keptOnly, failing, tainted } = judged;
  if (placement.rules.problem !== undefined) return NONE_NEW;
  const yielding: string[] = [];
  for (const [name, { standing }] of tainted)
    if (standing.kind === 'yields' && limit !== Infinity && !dropped.has(name)) yielding.push(name);
  const size = passing + failing.size - dropped.size;
  const free = limit - size;
  if (isCompared(placement.rules)) return comparedClusters(of, { size, free, yielding }, snapshot);
  if (candidates.matched.size <= passing - keptOnly) return NONE_NEW;
  const best = bestNewClusters(snapshot, current, free + yielding.length);
  const { admitted, counted, heldBack, ...left } = admit(snapshot, best, { size, free, yielding });
  const decided = { added: admitted, countedAdditions: counted, heldAdditions: heldBack, shortage: NO_SHORTAGE };
  const replaced = Math.max(admitted.length - left.free, 0);
  if (replaced === 0) return { ...decided, replaced: [] };
  const seed = seedOf(placement.namespace, placement.name);
  const staying = new Set(bestFirst([yielding], yielding.length - replaced, seed));
  return { ...decided, replaced: yielding.filter((name) => !staying.has(name)) };
}

/** {@link newClusters}, one after the other. */
function comparedClusters(
  { current, dropped, limit, scoreOf }: Staying,
  places: Places,
  snapshot: PlacementSnapshot,
): NewClusters {
  const { free, yielding } = places;
  if (free <= 0 && yielding.length === 0) return NONE_NEW;
  const selected = current.flat();
  const known = new Set(selected);
  const candidature: Candidature = {
    staying: selected.filter((name) => !dropped.has(name)),
    yielding,
    tierOf: (name) => tierOfNew(name, snapshot),
    isOut: (name) => known.has(name),
  };
  const choice = choose(candidature, free, snapshot, scoreOf);
  const replacing = choice.incoming.filter(({ replaces }) => replaces !== undefined).length;
  const best = choice.incoming.map(({ name }) => name);
  const { admitted, counted, heldBack, ...left } = admit(snapshot, best, places, replacing);
  const admits = new Set(admitted);
  const isOut = (name: string): boolean => !admits.has(name) || known.has(name);
  // What is held back is no reason for another to come in, and may have been the reason for one behind it.
  const isWhole = heldBack.length === 0 && left.free === free;
  const final = isWhole ? choice : choose({ ...candidature, isOut }, left.free, snapshot, scoreOf);
  const added = final.incoming.map(({ name }) => name);
  const isShort = limit !== Infinity && best.length < free + yielding.length;
  return {
    added,
    countedAdditions: new Set(added.filter((name) => counted.has(name))),
    heldAdditions: heldBack,
    replaced: final.incoming.flatMap(({ replaces }) => replaces ?? []),
    shortage: isShort ? shortageOf(choice) : NO_SHORTAGE,
  };
}
