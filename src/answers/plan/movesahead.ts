import { LAST_TIME, timestamp } from '../../runtime/vocabulary/meta.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { moveReason, moveText } from '../../domain/placement/explain/choicetext.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { isCompared } from '../../domain/placement/spec/predicates.js';
import { isBalanced } from '../../domain/placement/spec/prioritizers.js';
import type { PlacementSnapshot } from '../../domain/placement/select/snapshot.js';
import { forecastOf, snapshotAfter, type Forecast } from '../world/forecast.js';
import { comingIn, leaving, type Move, type MoveWait } from '../../domain/placement/select/decision.js';

/**
 * The moves of `spec.rebalance` that follow, as far as what is known now says: each decision is made at the time at which the
 * controller looks again, by the functions that it uses. What comes in after a move is said, too; what else that time brings, such
 * as the end of a toleration, is decided and not said.
 */

/** A cluster that makes room for a better one. */
export interface PlannedMove {
  readonly from: string;
  readonly to: string;
  readonly why: string;
  /** When, at the earliest, RFC 3339. */
  readonly at: string;
  /** The field of the spec that it waits for; undefined for one that is made at once. */
  readonly waitsFor?: MoveWait['field'] | 'intervalSeconds';
}

/** A cluster that comes in after a move: spread, or the number of a predicate, kept it out until then. */
export interface LaterAdd extends Pick<PlannedMove, 'why' | 'at'> {
  readonly name: string;
}

export interface MovesAhead {
  /** In the order in which they are made. */
  readonly moves: readonly PlannedMove[];
  readonly addLater: readonly LaterAdd[];
  /** False: more may follow, and are not computed. */
  readonly isComplete: boolean;
  /** The move that the disruption budget never lets be made. */
  readonly stuck: string | undefined;
}

/** The moves that follow from a change, and what comes in after them; undefined for none. */
export interface FollowingMoves extends Partial<Pick<MovesAhead, 'moves' | 'addLater'>> {
  /** More may follow, and are not computed. */
  readonly movesComputed?: false;
}

/** A Placement whose moves are asked for, and its decision of now. */
export interface Start {
  readonly snapshot: PlacementSnapshot;
  readonly forecast: Forecast;
  /** Notes what is decided: it counts for the scores of others. */
  readonly decided?: (clusters: readonly string[]) => void;
}

/** For how many clusters decisions are made at most, for all Placements together: some ten seconds. */
const MOST_COMPARED = 2_000_000;
/** What a decision costs beside its clusters, in clusters. */
const DECISION_COST = 200;
/** How often one Placement is decided at most, and how many moves of it are looked for. */
export interface MostOfOne {
  readonly decisions: number;
  readonly moves: number;
}

const MOST_OF_ONE: MostOfOne = { decisions: 500, moves: Infinity };

/** Whether clusters of the Placement may move. */
export function mayMove({ placement: { rules } }: PlacementSnapshot): boolean {
  return rules.rebalance !== undefined && !rules.paused && rules.problem === undefined && isCompared(rules);
}

/** By the keys of the Placements, the moves that follow after a change, and would not without it. */
export function movesFollowing(
  pairs: readonly { readonly before: Start | undefined; readonly after: Start | undefined }[],
): ReadonlyMap<string, FollowingMoves> {
  const after = aheadOf(pairs.flatMap((one) => one.after ?? []));
  if ([...after.values()].every(({ moves, isComplete }) => isComplete && moves.length === 0)) return new Map();
  const before = aheadOf(pairs.flatMap((one) => one.before ?? []));
  const following = [...after].map(([key, { moves, addLater, isComplete }]) => {
    const first = before.get(key);
    const anyway = new Set([...(first?.moves.map(pairText) ?? []), ...(first?.addLater.map(({ name }) => name) ?? [])]);
    const own = moves.filter((one) => !anyway.has(pairText(one)));
    const adds = addLater.filter(({ name }) => !anyway.has(name));
    const some = { ...(own.length > 0 && { moves: own }), ...(adds.length > 0 && { addLater: adds }) };
    return [key, { ...some, ...(!isComplete && { movesComputed: false as const }) }] as const;
  });
  return new Map(following);
}

function aheadOf(starts: readonly Start[]): ReadonlyMap<string, MovesAhead> {
  const found = movesAhead(starts);
  return new Map(
    starts.flatMap(({ snapshot: { placement } }, index) => {
      const ahead = found[index];
      return ahead === undefined ? [] : [[keyOf(placement), ahead] as const];
    }),
  );
}

/** A Placement at the time of its last decision. */
interface Timeline extends Start {
  snapshot: PlacementSnapshot;
  forecast: Forecast;
  next: number;
  decisions: number;
  isComplete: boolean;
  readonly moves: PlannedMove[];
  readonly addLater: LaterAdd[];
}

/**
 * The moves of each Placement, by the time at which they are made: those with Balance depend on each other. Where several are
 * decided at the same time, the first of `starts` is decided first; the controller has no such order.
 */
export function movesAhead(starts: readonly Start[], most: MostOfOne = MOST_OF_ONE): readonly MovesAhead[] {
  const timelines = starts.map((one) => timelineOf(one));
  const balanced = timelines.filter(({ snapshot: { placement } }) => isBalanced(placement.rules));
  for (const one of balanced) wake(one, one.snapshot.now);
  let left = MOST_COMPARED;
  for (let timeline = nextOf(timelines); timeline !== undefined; timeline = nextOf(timelines)) {
    left -= timeline.snapshot.candidates.matched.size + DECISION_COST;
    timeline.isComplete = left >= 0 && timeline.decisions < most.decisions && timeline.moves.length < most.moves;
    if (!timeline.isComplete) {
      timeline.next = Infinity;
      continue;
    }
    const decision = decide(timeline);
    if (comingIn(decision).length + leaving(decision).length === 0) continue;
    for (const one of balanced) if (one !== timeline) wake(one, timeline.snapshot.now);
  }
  return timelines.map(({ moves, addLater, isComplete, snapshot, forecast: { decision } }): MovesAhead => {
    const stuck = mayMove(snapshot) && decision.lookAgain === undefined ? decision.moveWaits?.move : undefined;
    return { moves, addLater, isComplete, stuck: stuck && moveText(stuck, snapshot.placement.rules) };
  });
}

function timelineOf({ snapshot, forecast, decided }: Start): Timeline {
  const { decision } = forecast;
  const next = mayMove(snapshot) ? (decision.lookAgain ?? Infinity) : Infinity;
  const moves: PlannedMove[] = [];
  const isMade = decision.move !== undefined && comingIn(decision).length > 0;
  if (decision.move !== undefined && isMade) moves.push(plannedMove(decision.move, snapshot));
  return { snapshot, forecast, ...(decided && { decided }), next, decisions: 0, isComplete: true, moves, addLater: [] };
}

/** One that is made at the time of the snapshot. */
function plannedMove(move: Move, { placement: { rules }, now }: PlacementSnapshot): PlannedMove {
  return { from: move.leaves, to: move.comes, why: moveReason(move, rules), at: timestamp(now) };
}

/** The scores may have changed at that time: they are looked at an interval later, as the index has it. */
function wake(timeline: Timeline, changedAt: number): void {
  const { intervalSeconds = 0 } = timeline.snapshot.placement.rules.rebalance ?? {};
  if (mayMove(timeline.snapshot)) timeline.next = Math.min(timeline.next, changedAt + intervalSeconds * 1_000);
}

/** The first of those that are decided next; undefined when nothing follows. */
function nextOf(timelines: readonly Timeline[]): Timeline | undefined {
  let first: Timeline | undefined;
  for (const timeline of timelines) if (timeline.next < (first?.next ?? LAST_TIME)) first = timeline;
  return first;
}

/** Decides once more, at the time of `next`. */
function decide(timeline: Timeline): Forecast['decision'] {
  const { next: at, forecast: before } = timeline;
  const snapshot = snapshotAfter(timeline.snapshot, before, at);
  const forecast = forecastOf(snapshot);
  const { decision, clusters } = forecast;
  const { move } = decision;
  const added = comingIn(decision);
  const last = timeline.moves.at(-1);
  if (move !== undefined && added.length > 0)
    timeline.moves.push({
      ...plannedMove(move, snapshot),
      waitsFor: before.decision.moveWaits?.field ?? 'intervalSeconds',
    });
  else if (last !== undefined && leaving(decision).length === 0) {
    const why = `comes in after ${pairText(last)}`;
    timeline.addLater.push(...added.map((name) => ({ name, why, at: timestamp(at) })));
  }
  Object.assign(timeline, {
    snapshot,
    forecast,
    next: decision.lookAgain ?? Infinity,
    decisions: timeline.decisions + 1,
  });
  timeline.decided?.(clusters);
  return decision;
}

/** The moves that follow later, and so are not part of `add` and `remove`. */
export function laterMoves({ moves = [] }: FollowingMoves): readonly PlannedMove[] {
  return moves.filter(({ waitsFor }) => waitsFor !== undefined);
}

/** `edge-1 → edge-7`. */
export function pairText({ from, to }: PlannedMove): string {
  return `${wordText(from)} → ${wordText(to)}`;
}

/**
 * `score 81, 55 before, margin 20; not before 2026-11-22T10:01:00Z (intervalSeconds)`,
 * `comes in after edge-1 → edge-7; not before 2026-11-22T10:02:00Z`.
 */
export function laterText({ why, at, waitsFor }: Pick<PlannedMove, 'why' | 'at' | 'waitsFor'>): string {
  return `${why}; not before ${at}${waitsFor === undefined ? '' : ` (${waitsFor})`}`;
}
