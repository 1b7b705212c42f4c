import { PlacementEvents, type PlacementEvent } from '../../api/placementevents.js';
import { PlacementConditions } from '../../api/placementreasons.js';
import { apiVersionOf, Placements } from '../../api/resources.js';
import type { Placement } from '../../api/generated/placement.js';
import type { Condition } from '../../api/meta.js';
import type { ConditionState } from '../../domain/conditions.js';
import { isList, isObject } from '../../domain/selectors.js';
import type { Schedule } from '../../domain/placement/schedule.js';
import { publishedAfter } from '../../domain/placement/slices.js';
import { hadDecision, type PlacementReport, type Publication } from '../../domain/placement/status.js';
import { nameList } from '../../domain/placement/wording.js';
import type { EventRecorder } from '../../kube/events/recorder.js';
import type { Input } from './gather.js';

/** An event, before it is recorded. */
interface Announcement {
  readonly reason: PlacementEvent;
  readonly note: string;
}

/** What was decided, and how much of it is stored. */
interface Decided {
  readonly schedule: Schedule;
  readonly publication: Publication;
}

/** Tells of what was stored by a pass without a failure, if the decision holds other clusters than before. */
export function announceDecision(gathered: Input, decided: Decided, recorder: EventRecorder): void {
  const news = newsOf(gathered, decided);
  if (news !== undefined) record(gathered.placement, news, recorder);
}

/**
 * Tells of a Placement that is not satisfied or cannot be published, once per change; where the first decision was told
 * of and nothing is in its way, that is enough.
 */
export function announceStatus(
  gathered: Input,
  decided: Decided,
  said: PlacementReport,
  recorder: EventRecorder,
): void {
  const failed = said.states.some(
    ({ type, reason }) => type === PlacementConditions.Ready && reason === 'PublishFailed',
  );
  const before = conditionsOf(gathered);
  const turned = (type: string): boolean => isTurned(before, said.states, type);
  const fails = failed && turned(PlacementConditions.Ready);
  const state = said.states.find((one) => one.type === PlacementConditions.PlacementSatisfied);
  if (state === undefined || (!fails && (state.status !== 'False' || !turned(state.type)))) return;
  if (!fails && isFirst(gathered) && newsOf(gathered, decided) !== undefined) return;
  record(gathered.placement, { reason: 'PlacementUnsatisfied', note: state.message }, recorder);
}

/** Whether a condition has another status or reason than it had. */
function isTurned(before: readonly Partial<Condition>[], states: readonly ConditionState[], type: string): boolean {
  const [was, is] = [before, states].map((list) => list.find((one) => one.type === type));
  return was?.status !== is?.status || was?.reason !== is?.reason;
}

function isFirst({ snapshot }: Input): boolean {
  return !hadDecision(snapshot.placement.status);
}

function newsOf(gathered: Input, { schedule, publication }: Decided): Announcement | undefined {
  const { plan, done, failure } = publication;
  if (done === 0 || failure !== undefined) return undefined;
  const stored = new Set(publishedAfter(plan, done).flatMap((slice) => slice.clusters));
  return isFirst(gathered) ? firstDecision(schedule, stored) : laterDecision(schedule, stored);
}

/** The stored conditions; what a stranger put there may be anything. */
function conditionsOf({ snapshot }: Input): readonly Partial<Condition>[] {
  const { status } = snapshot.placement;
  const stored = isObject(status) ? status['conditions'] : undefined;
  return isList(stored) ? stored.filter((one): one is Partial<Condition> => isObject(one)) : [];
}

function firstDecision({ kept, added, wanted }: Schedule, stored: ReadonlySet<string>): Announcement | undefined {
  const names = [...kept.flat(), ...added].filter((name) => stored.has(name));
  if (names.length === 0 && wanted !== 0) return undefined;
  return {
    reason: 'DecisionPublished',
    note: names.length === 0 ? 'no cluster is wanted' : `selected ${listed(names)}`,
  };
}

function laterDecision({ added, dropped }: Schedule, stored: ReadonlySet<string>): Announcement | undefined {
  const parts: string[] = [];
  const came = added.filter((name) => stored.has(name));
  if (came.length > 0) parts.push(`added ${listed(came)}`);
  if (dropped.length > 0) parts.push(`removed ${listed(dropped.map((one) => one.cluster))}`);
  return parts.length === 0 ? undefined : { reason: 'DecisionChanged', note: parts.join('; ') };
}

function listed(names: readonly string[]): string {
  return `${names.length} ${names.length === 1 ? 'cluster' : 'clusters'}: ${nameList(names)}`;
}

function record(placement: Placement, { reason, note }: Announcement, recorder: EventRecorder): void {
  const regarding = { ...placement, apiVersion: apiVersionOf(Placements), kind: Placements.kind };
  recorder.record({ regarding, type: PlacementEvents[reason].type, reason, action: 'Schedule', note });
}
