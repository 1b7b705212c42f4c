import { isCompared } from '../spec/predicates.js';
import type { Rebalance } from '../spec/rebalance.js';
import { leftOf } from '../spec/budget.js';
import { isOwn } from '../stored/decision.js';
import { usedIn, countedEntries } from '../stored/record.js';
import { bestMove, type Move } from './choice/moves.js';
import type { ScoreOf } from './choice/contest.js';
import { isDefinitionReplaced } from './definitions.js';
import { budgetInForce } from './inforce.js';
import type { SelectedClusters } from './judge.js';
import { selectedSince, type PlacementSnapshot, type Slots } from './snapshot.js';
import type { Dropped } from './turnover.js';
import { nextOpening, type Waiting } from './waiting.js';

/**
 * Moves of `spec.rebalance`: a selected cluster leaves for a better one. One pair at a time, and the next one not before an
 * interval has passed since a cluster came in last. A move is one removal of the disruption budget, and waits while that has
 * none left.
 */
interface Rebalancing {
  /** Undefined: no cluster moves now. */
  readonly move: Move | undefined;
  /** What the next move waits for until then, where one may follow. */
  readonly moveWaits: MoveWait | undefined;
  /** Whether its removal counts against the disruption budget. */
  readonly isCounted: boolean;
  /** When to look again: ms since the epoch, Infinity for never. */
  readonly until: number;
}

/** What the next move waits for: a field of the spec. */
export interface MoveWait {
  readonly field: 'intervalSeconds' | 'minSelectedSeconds' | 'disruptionBudget' | 'changeWindows';
  /** The move for which the disruption budget has no removal left. */
  readonly move?: Move;
}

const INTERVAL: MoveWait = { field: 'intervalSeconds' };

const NEVER: Rebalancing = { move: undefined, moveWaits: undefined, isCounted: false, until: Infinity };

/** What of a schedule a move changes; its fields as in `Schedule`. */
interface Decided {
  readonly kept: Slots;
  readonly added: readonly string[];
  readonly dropped: readonly Dropped[];
  readonly heldRemovals: readonly unknown[];
  readonly heldAdditions: readonly unknown[];
  readonly counted: ReadonlySet<string>;
  readonly waiting: Waiting | undefined;
  readonly move: Move | undefined;
  readonly moveWaits: MoveWait | undefined;
  readonly hasRoom: boolean;
  readonly until: number;
}

/** The schedule with a move, where it changes nothing and holds nothing. */
export function withMove<D extends Decided>(
  decided: D,
  judged: SelectedClusters,
  snapshot: PlacementSnapshot,
  scoreOf: ScoreOf,
): D {
  const { rules } = snapshot.placement;
  if (rules.rebalance === undefined || rules.problem !== undefined || !isCompared(rules)) return decided;
  const { kept, added, dropped, heldRemovals, heldAdditions, waiting } = decided;
  // Any cluster that comes to match, or is not tainted any more, may be better than a selected one.
  const open = { ...decided, hasRoom: true };
  const next = snapshot.now + rules.rebalance.intervalSeconds * 1_000;
  if (added.length + dropped.length > 0) return { ...open, moveWaits: INTERVAL, until: Math.min(decided.until, next) };
  if (heldRemovals.length + heldAdditions.length > 0 || waiting !== undefined) return open;
  const { move, moveWaits, isCounted, until: later } = rebalancing(kept.flat(), judged, snapshot, scoreOf);
  const until = Math.min(decided.until, later);
  if (move === undefined) return { ...open, moveWaits, until };
  const removals: readonly Dropped[] = [{ cluster: move.leaves, cause: 'Moved' }];
  const opens = nextOpening(snapshot);
  if (opens !== undefined) {
    const waits = { awaits: 'WindowOpens' as const, removals, windowed: removals, additions: [move.comes], opens };
    const opening = Math.min(decided.until, opens.at);
    return { ...open, move, moveWaits: { field: 'changeWindows' }, waiting: waits, until: opening };
  }
  return {
    ...open,
    move,
    moveWaits,
    kept: kept.map((list) => list.filter((name) => name !== move.leaves)),
    added: [move.comes],
    dropped: removals,
    counted: isCounted ? new Set([move.leaves]) : decided.counted,
    until,
  };
}

/** The move of a decision that changes nothing else. `selected`: the clusters that it selects. */
function rebalancing(
  selected: readonly string[],
  judged: SelectedClusters,
  snapshot: PlacementSnapshot,
  scoreOf: ScoreOf,
): Rebalancing {
  const { placement, candidates, now } = snapshot;
  const { rebalance } = placement.rules;
  if (rebalance === undefined || selected.length === 0 || isDefinitionReplaced(snapshot)) return NEVER;
  const yields = (name: string): boolean => judged.tainted.get(name)?.standing.kind === 'yields';
  const movable = selected.filter((name) => candidates.matched.has(name) && !judged.failing.has(name) && !yields(name));
  const search = { selected, movable, margin: Math.round(rebalance.scoreMargin * 100) };
  const best = bestMove(search, snapshot, scoreOf);
  if (best === undefined) return NEVER;
  const times = timesOf(selected, snapshot);
  const { earliest, old } = byStay(movable, times, rebalance, now);
  let move = old.length === 0 ? undefined : best;
  if (old.length > 0 && old.length < movable.length) move = bestMove({ ...search, movable: old }, snapshot, scoreOf);
  const next = Math.max(...times.values()) + rebalance.intervalSeconds * 1_000;
  if (move === undefined && earliest > next)
    return { ...NEVER, moveWaits: { field: 'minSelectedSeconds' }, until: earliest };
  if (move === undefined || now < next) return { ...NEVER, moveWaits: INTERVAL, until: next };
  const { isBounded, left, until } = removalsLeft(selected.length, snapshot);
  if (left < 1) return { ...NEVER, moveWaits: { field: 'disruptionBudget', move }, until };
  const after = now + rebalance.intervalSeconds * 1_000;
  return { move, moveWaits: INTERVAL, isCounted: isBounded, until: after };
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

/** Those of the clusters that have been selected for long enough, and when the first of the others will have been. */
function byStay(
  names: readonly string[],
  times: ReadonlyMap<string, number>,
  { minSelectedSeconds }: Rebalance,
  now: number,
): { readonly old: readonly string[]; readonly earliest: number } {
  const endOf = (name: string): number => (times.get(name) ?? now) + minSelectedSeconds * 1_000;
  const young = names.filter((name) => endOf(name) > now);
  return { old: names.filter((name) => endOf(name) <= now), earliest: Math.min(...young.map(endOf), Infinity) };
}

/** How many removals the disruption budget has left and, while it has none, when that changes. */
function removalsLeft(
  size: number,
  { placement, stored, now }: PlacementSnapshot,
): { readonly isBounded: boolean; readonly left: number; readonly until: number } {
  const { maxRemovals, windowSeconds = 0 } = budgetInForce(placement) ?? {};
  if (maxRemovals === undefined) return { isBounded: false, left: Infinity, until: Infinity };
  const records = stored.filter(isOwn).map(({ removals }) => removals);
  const used = usedIn(records, windowSeconds, now);
  const base = Math.min(size + used, placement.rules.wanted ?? Infinity);
  const entries = records.flatMap((one) => (one?.kind === 'entries' ? one.entries : []));
  const ends = countedEntries(entries, windowSeconds, now).map(([at]) => at + windowSeconds * 1_000);
  return { isBounded: true, left: leftOf(maxRemovals.limit, base, used), until: Math.min(...ends, Infinity) };
}
