import type { Placement } from '../../api/generated/placement.js';
import { isRecord } from '../../api/json.js';
import type { Condition } from '../../api/meta.js';
import { PlacementEvents, type PlacementEvent } from '../../api/placementevents.js';
import { PlacementConditions } from '../../api/placementreasons.js';
import { apiVersionOf, Placements } from '../../api/resources.js';
import { nameList, type ConditionState } from '../../domain/conditions.js';
import type { Schedule } from '../../domain/placement/schedule.js';
import { publishedAfter } from '../../domain/placement/slices.js';
import { hadDecision, type PlacementReport } from '../../domain/placement/status.js';
import { isList } from '../../domain/selectors.js';
import type { EventRecorder } from '../../kube/events/recorder.js';
import type { Outcome } from './apply.js';
import type { Input } from './gather.js';

/** The events of a pass. */

interface PlacementNote {
  readonly reason: PlacementEvent;
  readonly note: string;
}

/** Records an event for a decision that was stored without a failure, if it holds other clusters than before. */
export function recordDecision(input: Input, outcome: Outcome, recorder: EventRecorder): void {
  const note = decisionNote(input, outcome);
  if (note !== undefined) record(input.placement, note, recorder);
}

/**
 * Records an event for a Placement that is not satisfied or cannot be published, once per change of the condition. A
 * first decision without a failure has its own event already.
 */
export function recordStatus(
  input: Input,
  outcome: Outcome,
  { states }: PlacementReport,
  recorder: EventRecorder,
): void {
  const before = conditionsOf(input);
  const changed = (type: string): boolean => isChanged(before, states, type);
  const isRefused = states.some(({ type, reason }) => type === PlacementConditions.Ready && reason === 'PublishFailed');
  const failed = isRefused && changed(PlacementConditions.Ready);
  const state = states.find((one) => one.type === PlacementConditions.PlacementSatisfied);
  if (state === undefined || (!failed && (state.status !== 'False' || !changed(state.type)))) return;
  if (!failed && isFirst(input) && decisionNote(input, outcome) !== undefined) return;
  record(input.placement, { reason: 'PlacementUnsatisfied', note: state.message }, recorder);
}

/** Whether a condition has another status or reason than before. */
function isChanged(before: readonly Partial<Condition>[], states: readonly ConditionState[], type: string): boolean {
  const [was, is] = [before, states].map((list) => list.find((one) => one.type === type));
  return was?.status !== is?.status || was?.reason !== is?.reason;
}

function isFirst({ snapshot }: Input): boolean {
  return !hadDecision(snapshot.placement.status);
}

/** The stored conditions, unchecked: others may have edited them. */
function conditionsOf({ snapshot }: Input): readonly Partial<Condition>[] {
  const { status } = snapshot.placement;
  const stored = isRecord(status) ? status['conditions'] : undefined;
  return isList(stored) ? stored.filter((one): one is Partial<Condition> => isRecord(one)) : [];
}

function decisionNote(input: Input, { schedule, publication }: Outcome): PlacementNote | undefined {
  const { plan, done, failure } = publication;
  if (done === 0 || failure !== undefined) return undefined;
  const stored = new Set(publishedAfter(plan, done).flatMap((slice) => slice.clusters));
  return isFirst(input) ? firstDecision(schedule, stored) : laterDecision(schedule, stored);
}

function firstDecision({ kept, added, wanted }: Schedule, stored: ReadonlySet<string>): PlacementNote | undefined {
  const names = [...kept.flat(), ...added].filter((name) => stored.has(name));
  if (names.length === 0 && wanted !== 0) return undefined;
  const note = names.length === 0 ? 'no cluster is wanted' : `selected ${listed(names)}`;
  return { reason: 'DecisionPublished', note };
}

function laterDecision({ added, dropped }: Schedule, stored: ReadonlySet<string>): PlacementNote | undefined {
  const parts: string[] = [];
  const addedNames = added.filter((name) => stored.has(name));
  if (addedNames.length > 0) parts.push(`added ${listed(addedNames)}`);
  if (dropped.length > 0) parts.push(`removed ${listed(dropped.map((one) => one.cluster))}`);
  return parts.length === 0 ? undefined : { reason: 'DecisionChanged', note: parts.join('; ') };
}

function listed(names: readonly string[]): string {
  return `${names.length} ${names.length === 1 ? 'cluster' : 'clusters'}: ${nameList(names)}`;
}

function record(placement: Placement, { reason, note }: PlacementNote, recorder: EventRecorder): void {
  const regarding = { ...placement, apiVersion: apiVersionOf(Placements), kind: Placements.kind };
  recorder.record({ regarding, type: PlacementEvents[reason].type, reason, action: 'Schedule', note });
}
