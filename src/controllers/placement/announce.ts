import { PlacementEvents, type PlacementEvent } from '../../api/placementevents.js';
import { PlacementConditions } from '../../api/placementreasons.js';
import { apiVersionOf, Placements } from '../../api/resources.js';
import type { Placement } from '../../api/generated/placement.js';
import type { Condition } from '../../api/meta.js';
import { isList, isObject } from '../../domain/selectors.js';
import type { Schedule } from '../../domain/placement/schedule.js';
import type { PlacementReport, Publication } from '../../domain/placement/status.js';
import { nameList } from '../../domain/placement/wording.js';
import type { EventRecorder } from '../../kube/recorder.js';
import type { Gathered } from './gather.js';

/** An event, before it is recorded. */
interface Announcement {
  readonly reason: PlacementEvent;
  readonly note: string;
}

/** Tells of the decision that was stored completely, if it holds other clusters than before. */
export function announceDecision(gathered: Gathered, schedule: Schedule, recorder: EventRecorder): void {
  const news = isFirst(gathered) ? firstDecision(schedule) : laterDecision(schedule);
  if (news !== undefined) record(gathered.placement, news, recorder);
}

/** Tells of a Placement that is not satisfied, once per change; where the first decision was told of, that is enough. */
export function announceStatus(
  gathered: Gathered,
  { schedule, publication }: { readonly schedule: Schedule; readonly publication: Publication },
  said: PlacementReport,
  recorder: EventRecorder,
): void {
  const state = said.states.find((one) => one.type === PlacementConditions.PlacementSatisfied);
  if (state?.status !== 'False') return;
  const before = conditionsOf(gathered).find((one) => one.type === state.type);
  if (before?.status === state.status && before.reason === state.reason) return;
  if (isFirst(gathered) && publication.failure === undefined && firstDecision(schedule) !== undefined) return;
  record(gathered.placement, { reason: 'PlacementUnsatisfied', note: state.message }, recorder);
}

/** Whether no decision object of this Placement has been reported yet: afterwards there always is one. */
function isFirst({ snapshot }: Gathered): boolean {
  const { status } = snapshot.placement;
  const stored = isObject(status) ? status['decisions'] : undefined;
  return !isList(stored) || stored.length === 0;
}

/** The stored conditions; what a stranger put there may be anything. */
function conditionsOf({ snapshot }: Gathered): readonly Partial<Condition>[] {
  const { status } = snapshot.placement;
  const stored = isObject(status) ? status['conditions'] : undefined;
  return isList(stored) ? stored.filter((one): one is Partial<Condition> => isObject(one)) : [];
}

function firstDecision({ kept, added, wanted }: Schedule): Announcement | undefined {
  const names = [...kept.flat(), ...added];
  if (names.length === 0 && wanted !== 0) return undefined;
  return { reason: 'DecisionPublished', note: names.length === 0 ? 'no cluster is wanted' : `selected ${listed(names)}` };
}

function laterDecision({ added, dropped }: Schedule): Announcement | undefined {
  const parts: string[] = [];
  if (added.length > 0) parts.push(`added ${listed(added)}`);
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
