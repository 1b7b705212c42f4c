import { DECISION_SIZE } from '../../../api/names.js';
import type { Problem } from '../../selectors.js';
import type { Shortage } from './choice/shortage.js';
import type { Move } from './choice/moves.js';
import { withMove, type MoveWait } from './rebalance.js';
import { scoresOf } from './scores.js';
import { newClusters, notNeeded, rationedClusters, type DropCause, type Dropped } from './turnover.js';
import { ration, type HeldCause, type HeldRemoval, type HoldKind } from './budget.js';
import { definitionsTrusted } from './definitions.js';
import { isOwn } from '../stored/decision.js';
import { eligibleSets, type Eligibility } from './eligible.js';
import { judgeSelected } from './judge.js';
import { taintEffects, type TaintEffects } from './tainteffects.js';
import { frozen, nextOpening, stayingUnselected, waitingRemovals, type Waiting } from './waiting.js';
import type { PlacementSnapshot, Slots, StoredDecision } from './snapshot.js';

export type { DropCause, Dropped } from './turnover.js';

/** What a Placement selects. Names in lists are unique; no cluster is both kept and added. */
export interface Schedule extends TaintEffects {
  readonly eligibility: Eligibility;
  /** The invalid field; the last decision then stays published, without clusters that are deleted. */
  readonly problem: Problem | undefined;
  /** numberOfClusters; undefined for all matching clusters. */
  readonly wanted: number | undefined;
  /** Number of candidates, including clusters kept because a set is unreadable. This and `matched`: 0 with a `problem`. */
  readonly candidates: number;
  readonly matched: number;
  /** The clusters selected before, by decision object. */
  readonly current: Slots;
  /** The clusters selected before and still, by decision object, in their order there. */
  readonly kept: Slots;
  /** Newly selected, highest rank first. */
  readonly added: readonly string[];
  /** Sorted by name. */
  readonly dropped: readonly Dropped[];
  /** Those that fail a rule and are held, sorted by name; they are in `kept` too. */
  readonly heldRemovals: readonly HeldRemoval[];
  /** What holds them; undefined when nothing is held. */
  readonly hold: HoldKind | undefined;
  /** Those of `dropped` whose removal counts against a bound, and how many of them leave first, uncounted. */
  readonly counted: ReadonlySet<string>;
  readonly uncounted: number;
  /** Those of `added` that count against the disruption budget. */
  readonly countedAdditions: ReadonlySet<string>;
  /** Those that would come in, and that the disruption budget keeps out, highest rank first. */
  readonly heldAdditions: readonly string[];
  /** Why fewer are selected than wanted, where numbers of predicates or spread have to do with it. */
  readonly shortage: Shortage;
  /** The move of `spec.rebalance`, which is all that such a decision changes, or what waits for a window; undefined without one. */
  readonly move: Move | undefined;
  /** What the next move after it waits for, where one may follow at `until`. */
  readonly moveWaits: MoveWait | undefined;
  /** What waits for a change window or, while the Placement is paused, for its end; undefined for nothing of either. */
  readonly waiting: Waiting | undefined;
}

/** Selects clusters. The result does not depend on the order of the lists of the snapshot. */
export function schedule(snapshot: PlacementSnapshot): Schedule {
  const decided = unpaused(snapshot);
  return snapshot.placement.rules.paused ? frozen(decided) : decided;
}

function unpaused(snapshot: PlacementSnapshot): Schedule {
  const { placement, candidates } = snapshot;
  const eligibility = eligibleSets(placement.rules, snapshot.bindings, snapshot.sets);
  const { problem, wanted } = placement.rules;
  const current = currentSlots(snapshot);
  const judged = judgeSelected(snapshot, eligibility, current);
  const scoreOf = scoresOf(snapshot);
  const {
    held: heldByBudget,
    hold,
    holdUntil,
    counted,
    uncounted,
  } = ration(snapshot, rationedClusters(judged, current, snapshot, scoreOf));
  const outside = waitingRemovals(snapshot, judged);
  const waits = new Map<string, DropCause>([...outside].filter(([name]) => !heldByBudget.has(name)));
  const held = outside.size === 0 ? heldByBudget : new Map<string, HeldCause>([...heldByBudget, ...outside]);
  const limit = problem === undefined ? (wanted ?? Infinity) : Infinity;
  const dropped = new Map<string, DropCause>([...judged.failing].filter(([name]) => !held.has(name)));
  const staying = { current, dropped, held, limit, judged, scoreOf };
  const leaving = notNeeded(staying, snapshot);
  const size = current.flat().length - dropped.size;
  // A decision that is not too large has clusters which came to another predicate, by a change of theirs.
  const into = leaving.length > 0 && size <= limit && nextOpening(snapshot) !== undefined ? waits : dropped;
  for (const [name, cause] of leaving) into.set(name, cause);
  const { added, replaced, ...additions } = newClusters(staying, snapshot);
  for (const name of replaced) dropped.set(name, 'Tainted');
  const kept = current.map((list) => list.filter((name) => !dropped.has(name)));
  const stays = ({ cluster }: Dropped): boolean => !dropped.has(cluster);
  const heldRemovals = byCluster(heldByBudget).filter((one) => stays(one) && !waits.has(one.cluster));
  const removals = byCluster(waits).filter(stays);
  const windowed = byCluster(new Map([...outside, ...waits])).filter(stays);
  const opens = windowed.length === 0 ? undefined : nextOpening(snapshot);
  const total = current.flat().length - dropped.size + added.length;
  const effects = taintEffects({ dropped, held, size: total, limit, shortage: additions.shortage }, judged, snapshot);
  const decided: Schedule = {
    eligibility,
    problem,
    wanted,
    candidates: problem === undefined ? candidates.count + judged.keptOnly : 0,
    matched: problem === undefined ? candidates.matched.size + judged.keptOnly : 0,
    current,
    kept,
    added,
    dropped: byCluster(dropped),
    heldRemovals,
    hold: heldRemovals.length === 0 ? undefined : hold,
    counted: waits.size === 0 ? counted : new Set([...counted].filter((name) => !waits.has(name))),
    uncounted,
    ...additions,
    ...effects,
    waiting: windowed.length === 0 ? undefined : { awaits: 'WindowOpens', removals, windowed, additions: [], opens },
    until: Math.min(effects.until, holdUntil, definitionsTrusted(snapshot), opens?.at ?? Infinity),
    move: undefined,
    moveWaits: undefined,
  };
  return withMove(decided, judged, snapshot, scoreOf);
}

function byCluster<C extends DropCause>(causes: ReadonlyMap<string, C>): { cluster: string; cause: C }[] {
  return [...causes].map(([cluster, cause]) => ({ cluster, cause })).sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
}

/**
 * The selected clusters, each once: the lists that this process published or, without these, the lists stored in objects of this Placement
 * (including adoptable ones). Of a cluster in several lists the first place counts.
 */
function currentSlots(snapshot: PlacementSnapshot): Slots {
  const seen = new Set<string>();
  return publishedLists(snapshot).map((list) => once(list, seen));
}

/** The list of each decision object as last published: a cluster that changes its object is in two of them for a moment. */
export function publishedLists(snapshot: PlacementSnapshot): Slots {
  return Array.from(snapshot.published?.lists ?? storedLists(snapshot.stored), (list) => list ?? []);
}

function storedLists(stored: readonly StoredDecision[]): (readonly string[])[] {
  const lists: (readonly string[])[] = [];
  for (const { ordinal, clusters } of stored.filter(isOwn))
    if (ordinal !== undefined) lists[ordinal - 1] = clusters.slice(0, DECISION_SIZE);
  return lists;
}

function once(list: readonly string[], seen: Set<string>): string[] {
  const first: string[] = [];
  for (const name of list) {
    if (seen.has(name)) continue;
    seen.add(name);
    first.push(name);
  }
  return first;
}

/** The clusters that a schedule selects, in no particular order; without those that are only held, or wait. */
export function selectedClusters(of: Schedule): readonly string[] {
  const held = new Set(stayingUnselected(of).map((one) => one.cluster));
  return [...of.kept.flat().filter((name) => !held.has(name)), ...of.added];
}
