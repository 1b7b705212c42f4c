import type { Placement } from '../../api/generated/placement.js';
import { isRecord } from '../../api/json.js';
import type { Condition } from '../../api/meta.js';
import { PLACEMENT_FIELD_MANAGER } from '../../api/names.js';
import { PlacementEvents, type PlacementEvent } from '../../api/placementevents.js';
import { PlacementConditions } from '../../api/placementreasons.js';
import { apiVersionOf, Placements } from '../../api/resources.js';
import { nameList, timestamp, type ConditionState } from '../../domain/conditions.js';
import type { Schedule } from '../../domain/placement/schedule.js';
import { publishedAfter } from '../../domain/placement/slices.js';
import { hadDecision, placementReport, statusToWrite, type PlacementReport } from '../../domain/placement/status.js';
import { isList } from '../../domain/selectors.js';
import type { EventRecorder } from '../../kube/events/recorder.js';
import { isFailure } from '../../runtime/errors.js';
import type { Outcome } from './apply.js';
import type { Input } from './gather.js';
import type { ReconcileScope } from './scope.js';

interface PlacementNote {
  readonly reason: PlacementEvent;
  readonly note: string;
}

/**
 * Reports the outcome: log and event for a decision that was stored, then status, event and metrics of the Placement.
 * After an error that usually ends within moments the status stays as it is: the reconcile is retried. Throws when the
 * status is refused.
 */
export async function report(input: Input, outcome: Outcome, scope: ReconcileScope): Promise<void> {
  if (outcome.error === undefined) reportDecision(input, outcome, scope);
  if (isTransient(outcome.error)) return;
  const status = await writeStatus(input, outcome, scope);
  // Events cannot be created in a namespace that is being deleted.
  if (!isNamespaceTerminating(outcome.error)) recordStatus(input, outcome, status, scope.recorder);
  const { namespace, name, metrics } = scope;
  metrics?.placement({ namespace, name, phase: status.phase, clusters: status.numberOfSelectedClusters });
}

/** Whether a write was refused because its namespace is being deleted: only the status of existing objects can be written. */
export function isNamespaceTerminating(error: unknown): boolean {
  return isFailure(error, 'Forbidden') && error.causes.some((cause) => cause.reason === 'NamespaceTerminating');
}

function isTransient(error: unknown): boolean {
  return isFailure(error, 'Conflict', 'Fenced', 'Aborted', 'Throttled', 'Transport', 'Malformed', 'Guarded');
}

function reportDecision(input: Input, outcome: Outcome, { clock, pass, metrics, recorder }: ReconcileScope): void {
  const { schedule, publication } = outcome;
  if (publication.done === 0) return;
  const [added, dropped] = [schedule.added.length, schedule.dropped.length];
  pass.log.info({ writes: publication.done, added, dropped }, 'decision published');
  if (pass.enqueuedAt !== undefined) metrics?.decided((clock.monotonic() - pass.enqueuedAt) / 1000);
  recordDecision(input, outcome, recorder);
}

/**
 * Writes the status if it differs from the stored one; returns what it says. Throws when it is refused, unless the
 * Placement is gone; after a conflict the stored Placement has been read for the next reconcile.
 */
async function writeStatus(input: Input, outcome: Outcome, scope: ReconcileScope): Promise<PlacementReport> {
  const { placement, snapshot } = input;
  const { client, clock, mutations, key, pass } = scope;
  const reported = placementReport(snapshot, outcome.schedule, outcome.publication);
  const status = statusToWrite(placement.status, reported, timestamp(clock.now()));
  if (status === undefined) return reported;
  const wanted: Placement = { ...placement, apiVersion: apiVersionOf(Placements), kind: Placements.kind, status };
  const options = { fieldManager: PLACEMENT_FIELD_MANAGER, signal: pass.signal };
  try {
    mutations.placements.mutated(key, await client.updateStatus(Placements, wanted, options));
  } catch (error) {
    if (isFailure(error, 'NotFound')) return reported;
    if (isFailure(error, 'Conflict')) {
      const { namespace, name, uid } = input.owner;
      const found = await client.get<Placement>(Placements, { namespace, name });
      if (found?.metadata.uid === uid) mutations.placements.mutated(key, found);
    }
    throw error;
  }
  return reported;
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
