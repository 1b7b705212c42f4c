import type { Placement } from '../../../api/generated/placement.js';
import { field, recordsIn } from '../../../runtime/vocabulary/json.js';
import type { Condition } from '../../../runtime/vocabulary/meta.js';
import { PlacementEvents, type PlacementEvent, PlacementConditions } from '../../../api/placementreasons.js';
import { Placements } from '../../../api/resources.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import type { ConditionState } from '../../../domain/conditions.js';
import { hadDecision } from '../../../domain/placement/stored/basis.js';
import { changeNote, listed, shortageNote } from '../../../domain/placement/report/notes.js';
import type { Explanation } from '../../../domain/placement/explain/verdict.js';
import { chosen, comingIn, leaving, type Decision } from '../../../domain/placement/select/decision.js';
import { publishedAfter } from '../../../domain/placement/publish/slices.js';
import { heldStates, type PlacementReport } from '../../../domain/placement/report/status.js';
import type { EventRecorder } from '../../../runtime/events/recorder.js';
import type { Outcome } from './decide.js';
import type { Input } from './gather.js';

/** The events of a pass. */

/** An event; without `type`, that of its reason in {@link PlacementEvents}. */
interface PlacementNote {
  readonly reason: PlacementEvent;
  readonly type?: 'Normal' | 'Warning';
  readonly note: string;
}

/** What a report of events works with. */
export interface EventTools {
  readonly recorder: EventRecorder;
  /** Explains the Placement; undefined while the status of too many Placements changes at once. */
  readonly explain: () => Explanation | undefined;
}

/** Records an event for a decision that was stored without a failure, if it names other clusters than before. */
export function recordDecision(outcome: Outcome, recorder: EventRecorder): void {
  const note = decisionNote(outcome);
  if (note !== undefined) record(outcome.input.placement, note, recorder);
}

/**
 * Records an event for a Placement that is not satisfied or cannot be published, once per change of the condition. Also for
 * groups that begin to be empty. A first decision without a failure has its own event already.
 */
export function recordStatus(outcome: Outcome, { states }: PlacementReport, { recorder, explain }: EventTools): void {
  const { input } = outcome;
  const before = conditionsOf(input);
  /** Whether a condition has another status or reason than before. */
  const changed = (type: string): boolean => {
    const [was, is] = [stateIn(before, type), stateIn(states, type)];
    return was?.status !== is?.status || was?.reason !== is?.reason;
  };
  recordEmptyGroups(input, { before, states }, recorder);
  const isRefused = states.some(({ type, reason }) => type === PlacementConditions.Ready && reason === 'PublishFailed');
  const becameRefused = isRefused && changed(PlacementConditions.Ready);
  const satisfied = states.find((one) => one.type === PlacementConditions.PlacementSatisfied);
  if (satisfied === undefined) return;
  const becameUnsatisfied = satisfied.status === 'False' && changed(satisfied.type);
  if (!becameRefused && !becameUnsatisfied) return;
  if (!becameRefused && isFirst(input) && decisionNote(outcome) !== undefined) return;
  // An invalid spec and a refused write say themselves what to do.
  const isShortage = !isRefused && outcome.decision.problem === undefined;
  const note = shortageNote(satisfied.message, isShortage ? explain() : undefined);
  record(input.placement, { reason: 'PlacementUnsatisfied', note }, recorder);
}

function stateIn(list: readonly Partial<Condition>[], type: string): Partial<Condition> | undefined {
  return list.find((one) => one.type === type);
}

/** Records an event for each group that begins to have no cluster: the condition has another message then. */
function recordEmptyGroups(
  { placement }: Input,
  { before, states }: { readonly before: readonly Partial<Condition>[]; readonly states: readonly ConditionState[] },
  recorder: EventRecorder,
): void {
  const reason = PlacementConditions.GroupsEmpty;
  const [was, is] = [stateIn(before, reason), stateIn(states, reason)];
  if (is?.message === undefined || was?.message === is.message) return;
  record(placement, { reason, note: is.message }, recorder);
}

/** One row a hold: the type of its condition, which is also the event of its begin, and what the event of its end says. */
const HOLDS = [
  {
    type: 'RemovalsHeld',
    end: 'RemovalsReleased',
    ended: 'no cluster is held any more',
    verb: 'removed',
    moved: (decision: Decision) => leaving(decision).map(({ cluster }) => cluster),
  },
  {
    type: 'AdditionsHeld',
    end: 'AdditionsReleased',
    ended: 'no cluster is held back any more',
    verb: 'added',
    moved: comingIn,
  },
] as const;

/** Records an event for each hold that the stored status does not have, or has with another reason. */
export function recordHoldBegins(input: Input, decision: Decision, recorder: EventRecorder): void {
  const states = heldStates(input.snapshot, decision);
  for (const { type } of HOLDS) {
    const state = states.find((one) => one.type === type);
    if (state === undefined || storedHold(input, type)?.reason === state.reason) continue;
    record(input.placement, { reason: type, note: state.message }, recorder);
  }
}

/** Records an event for each hold that has ended. It names the clusters that moved, unless a write was refused. */
export function recordHoldEnds({ input, decision, publication }: Outcome, recorder: EventRecorder): void {
  const states = heldStates(input.snapshot, decision);
  for (const { type, end, ended, verb, moved } of HOLDS) {
    if (storedHold(input, type) === undefined || states.some((one) => one.type === type)) continue;
    const names = publication.failure === undefined ? moved(decision) : [];
    const note = names.length === 0 ? ended : `${ended}; ${verb} ${listed(names)}`;
    record(input.placement, { reason: end, note }, recorder);
  }
}

function storedHold(input: Input, type: string): Partial<Condition> | undefined {
  return conditionsOf(input).find((one) => one.type === type && one.status === 'True');
}

function isFirst({ snapshot }: Input): boolean {
  return !hadDecision(snapshot.placement.status);
}

/** The stored conditions, unchecked: others may have edited them. */
function conditionsOf({ snapshot }: Input): readonly Partial<Condition>[] {
  return recordsIn(field(snapshot.placement.status, 'conditions'));
}

/** The event of a new decision; undefined where nothing is stored, a write has failed, or the clusters are the same as before. */
function decisionNote(outcome: Outcome): PlacementNote | undefined {
  const { input, publication } = outcome;
  const { changes, done, failure } = publication;
  if (done === 0 || failure !== undefined) return undefined;
  const stored = new Set(publishedAfter(changes, done).flatMap((slice) => slice.clusters));
  return isFirst(input) ? firstDecision(outcome, stored) : laterDecision(outcome, stored);
}

function firstDecision({ decision }: Outcome, stored: ReadonlySet<string>): PlacementNote | undefined {
  const names = chosen(decision).filter((name) => stored.has(name));
  if (names.length === 0 && decision.wanted !== 0) return undefined;
  const note = names.length === 0 ? 'no cluster is wanted' : `selected ${listed(names)}`;
  return { reason: 'DecisionPublished', note };
}

/** A warning where clusters left although nobody edited the Placement. */
function laterDecision(
  { input: { snapshot }, decision }: Outcome,
  stored: ReadonlySet<string>,
): PlacementNote | undefined {
  const note = changeNote(snapshot, decision, stored);
  if (note === undefined) return undefined;
  const { status, generation } = snapshot.placement;
  const isEdited = field(status, 'observedGeneration') !== generation;
  const type = leaving(decision).length > 0 && !isEdited ? 'Warning' : 'Normal';
  return { reason: 'DecisionChanged', type, note };
}

function record(
  placement: Placement,
  { reason, type = PlacementEvents[reason].type, note }: PlacementNote,
  recorder: EventRecorder,
): void {
  const regarding = { ...placement, apiVersion: apiVersionOf(Placements), kind: Placements.kind };
  recorder.record({ regarding, type, reason, action: 'Schedule', note });
}
