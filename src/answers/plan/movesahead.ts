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
 * Which moves of `spec.rebalance` follow. The next decisions of a Placement are made as the controller would make them, each at the
 * time at which it would look again, from the facts of now. Reported are the moves, and the clusters that come in after one. What
 * else changes by then, such as the end of a toleration, counts in these decisions and is not reported.
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

/** A Placement whose moves are asked for, with its decision of now. */
export interface Start {
  readonly snapshot: PlacementSnapshot;
  readonly forecast: Forecast;
  /** Called with the clusters of each decision, which count for the scores of other Placements. */
  readonly decided?: (clusters: readonly string[]) => void;
}

/**
 * The bound of the work for all Placements together, in matching clusters of all decisions: some ten seconds. A decision without any
 * costs as much as {@link DECISION_COST} of them.
 */
const MOST_COMPARED = 2_000_000;
const DECISION_COST = 200;

/** The bounds of the work for one Placement: how often it is decided, and how many moves of it are looked for. */
export interface BoundsOfOne {
  readonly decisions: number;
  readonly moves: number;
}

const BOUNDS_OF_ONE: BoundsOfOne = { decisions: 500, moves: Infinity };

/** Whether clusters of the Placement may move. */
export function mayMove({ placement: { rules } }: PlacementSnapshot): boolean {
  return rules.rebalance !== undefined && !rules.paused && rules.problem === undefined && isCompared(rules);
}

/** The moves that follow after a change and would not without it, by the key of the Placement. */
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

/** {@link movesAhead} by the key of the Placement. */
function aheadOf(starts: readonly Start[]): ReadonlyMap<string, MovesAhead> {
  const found = movesAhead(starts);
  return new Map(
    starts.flatMap(({ snapshot: { placement } }, index) => {
      const ahead = found[index];
      return ahead === undefined ? [] : [[keyOf(placement), ahead] as const];
    }),
  );
}

/** A Placement at the time of its last decision, and what was found up to then. */
interface Timeline extends Start {
  snapshot: PlacementSnapshot;
  forecast: Forecast;
  /** When it is decided next: ms since the epoch; Infinity for never. */
  next: number;
  /** How many decisions were made. */
  decisions: number;
  isComplete: boolean;
  readonly moves: PlannedMove[];
  readonly addLater: LaterAdd[];
}

/**
 * The moves of each Placement, in the order of `starts`. All are decided in one order of time, since those with the score Balance
 * depend on each other. Where several are decided at the same time, the first of `starts` is decided first; the controller has no
 * such order.
 */
export function movesAhead(starts: readonly Start[], bounds: BoundsOfOne = BOUNDS_OF_ONE): readonly MovesAhead[] {
  const timelines = starts.map((one) => timelineOf(one));
  const balanced = timelines.filter(({ snapshot: { placement } }) => isBalanced(placement.rules));
  for (const one of balanced) wake(one, one.snapshot.now);
  let left = MOST_COMPARED;
  for (let timeline = nextOf(timelines); timeline !== undefined; timeline = nextOf(timelines)) {
    left -= timeline.snapshot.candidates.matched.size + DECISION_COST;
    timeline.isComplete = left >= 0 && timeline.decisions < bounds.decisions && timeline.moves.length < bounds.moves;
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

/** Begins with the decision of now, whose move is the first. */
function timelineOf({ snapshot, forecast, decided }: Start): Timeline {
  const { decision } = forecast;
  const next = mayMove(snapshot) ? (decision.lookAgain ?? Infinity) : Infinity;
  const moves: PlannedMove[] = [];
  const isMade = decision.move !== undefined && comingIn(decision).length > 0;
  if (decision.move !== undefined && isMade) moves.push(plannedMove(decision.move, snapshot));
  return { snapshot, forecast, ...(decided && { decided }), next, decisions: 0, isComplete: true, moves, addLater: [] };
}

/** A move that is made at the time of the snapshot. */
function plannedMove(move: Move, { placement: { rules }, now }: PlacementSnapshot): PlannedMove {
  return { from: move.leaves, to: move.comes, why: moveReason(move, rules), at: timestamp(now) };
}

/** Another decision has changed the scores at that time. The controller then looks again an interval later. */
function wake(timeline: Timeline, changedAt: number): void {
  const { intervalSeconds = 0 } = timeline.snapshot.placement.rules.rebalance ?? {};
  if (mayMove(timeline.snapshot)) timeline.next = Math.min(timeline.next, changedAt + intervalSeconds * 1_000);
}

/** The Placement that is decided next; undefined when none is any more. */
function nextOf(timelines: readonly Timeline[]): Timeline | undefined {
  let first: Timeline | undefined;
  for (const timeline of timelines) if (timeline.next < (first?.next ?? LAST_TIME)) first = timeline;
  return first;
}

/** Makes the next decision of the Placement, and notes its move, or what comes in after an earlier one. */
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

/** Without the move that is made at once, which is part of what the plan adds and removes. */
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
