import { isCompared } from '../spec/predicates.js';
import type { Rebalance } from '../spec/rebalance.js';
import { leftOf } from '../spec/budget.js';
import { isOwn } from '../stored/decision.js';
import { usedIn, countedEntries } from '../stored/record.js';
import { bestMove, type Move } from './choice/moves.js';
import type { MoveWait } from './decision.js';
import { isDefinitionReplaced } from './definitions.js';
import type { Draft } from './draft.js';
import { budgetInForce } from './inforce.js';
import { selectedSince, type PlacementSnapshot } from './snapshot.js';
import { closedWindow } from './waiting.js';

/**
 * Moves of `spec.rebalance`: a selected cluster leaves for a better one. One pair at a time, and the next one not before an
 * interval has passed since a cluster came in last. A move is one removal of the disruption budget, and waits while that has
 * none left.
 */
interface Rebalancing {
  /** Undefined: no cluster moves now. */
  readonly move?: Move;
  /** What the next move waits for until then, where one may follow. */
  readonly moveWaits?: MoveWait;
  /** Whether its removal counts against the disruption budget. */
  readonly isCounted?: boolean;
  /** When to look again: ms since the epoch; undefined for never. */
  readonly until?: number | undefined;
}

const INTERVAL: MoveWait = { field: 'intervalSeconds' };

const NEVER: Rebalancing = {};

/** A cluster moves for a better one, where the decision changes nothing and holds nothing. */
export function move(draft: Draft): void {
  const { snapshot, fates } = draft;
  const { rules } = snapshot.placement;
  if (rules.rebalance === undefined || rules.problem !== undefined || !isCompared(rules)) return;
  // Any cluster that comes to match, or is not tainted any more, may be better than a selected one.
  draft.hasRoom = true;
  const kinds = new Set([...fates.values()].map(({ kind }) => kind));
  if (kinds.has('leaves') || kinds.has('comesIn')) {
    draft.moveWaits = INTERVAL;
    draft.lookAt(snapshot.now + rules.rebalance.intervalSeconds * 1_000);
    return;
  }
  if (kinds.has('held') || kinds.has('keptOut')) return;
  const found = rebalancing(draft);
  const window = found.move === undefined ? undefined : closedWindow(snapshot);
  draft.move = found.move;
  draft.moveWaits = window === undefined ? found.moveWaits : { field: 'changeWindows' };
  if (window === undefined) draft.lookAt(found.until);
  if (found.move === undefined) return;
  const { leaves, comes } = found.move;
  if (window === undefined) {
    draft.letGo(leaves, 'Moved', found.isCounted === true);
    draft.letIn(comes, false);
  } else {
    draft.keep(leaves, 'Moved', [window]);
    draft.keepOut(comes, [window]);
  }
}

/** The move of a decision that changes nothing else. */
function rebalancing({ clusters: selected, judged, snapshot, scoreOf }: Draft): Rebalancing {
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
  let found = old.length === 0 ? undefined : best;
  if (old.length > 0 && old.length < movable.length) found = bestMove({ ...search, movable: old }, snapshot, scoreOf);
  const next = Math.max(...times.values()) + rebalance.intervalSeconds * 1_000;
  if (found === undefined && earliest !== undefined && earliest > next)
    return { moveWaits: { field: 'minSelectedSeconds' }, until: earliest };
  if (found === undefined || now < next) return { moveWaits: INTERVAL, until: next };
  const removals = removalsLeft(selected.length, snapshot);
  if (removals !== undefined && removals.left < 1)
    return { moveWaits: { field: 'disruptionBudget', move: found }, until: removals.until };
  const after = now + rebalance.intervalSeconds * 1_000;
  return { move: found, moveWaits: INTERVAL, isCounted: removals !== undefined, until: after };
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
): { readonly old: readonly string[]; readonly earliest: number | undefined } {
  const endOf = (name: string): number => (times.get(name) ?? now) + minSelectedSeconds * 1_000;
  const young = names.filter((name) => endOf(name) > now);
  const earliest = young.length === 0 ? undefined : Math.min(...young.map(endOf));
  return { old: names.filter((name) => endOf(name) <= now), earliest };
}

/** How many removals the disruption budget has left and, while it has none, when that changes; undefined without a budget. */
function removalsLeft(
  size: number,
  { placement, stored, now }: PlacementSnapshot,
): { readonly left: number; readonly until: number | undefined } | undefined {
  const { maxRemovals, windowSeconds = 0 } = budgetInForce(placement) ?? {};
  if (maxRemovals === undefined) return undefined;
  const records = stored.filter(isOwn).map(({ removals }) => removals);
  const used = usedIn(records, windowSeconds, now);
  const base = Math.min(size + (used ?? 0), placement.rules.wanted ?? Infinity);
  const entries = records.flatMap((one) => (one?.kind === 'entries' ? one.entries : []));
  const ends = countedEntries(entries, windowSeconds, now).map(([at]) => at + windowSeconds * 1_000);
  return { left: leftOf(maxRemovals.limit, base, used), until: ends.length === 0 ? undefined : Math.min(...ends) };
}
