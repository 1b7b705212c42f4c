import { byText } from '../../../runtime/vocabulary/names.js';
import { EngineConditions, type EnginePhase, type EngineEvent } from '../../../api/enginereasons.js';
import type {
  ComponentCondition,
  MultiClusterEngine,
  MultiClusterEngineStatus,
} from '../../../api/generated/multiclusterengine.js';
import { RECONCILE_ANNOTATION } from '../../../api/names.js';
import { mergeConditions, type ConditionState } from '../../conditions.js';
import { componentRows, describeRows, healthOf, isAsDesired, withOtherRows, rowOf } from './components.js';
import { hasFailedRepeatedly, type ObjectState, type StatusInput } from './input.js';
import { reconcilingReason, readyCondition, type ReadyCondition, WAIT_FOR_USER } from './ready.js';
import type { Condition } from '../../../runtime/vocabulary/meta.js';

/**
 * The whole status after a pass; equal to the stored one when only a time stamp would differ. A pass that decided
 * nothing keeps the stored status, unless that has no condition yet. `now` is RFC 3339.
 */
export function engineStatus(input: StatusInput, now: string): MultiClusterEngineStatus {
  const stored = input.engine.status ?? {};
  const ready = readyCondition(input);
  if (keepsStoredStatus(input, ready)) return stored;
  const generation = observedGeneration(input);
  const rows = rowsOf(input, now);
  const seen = objectsRead(input) === undefined ? conditionOf(stored, EngineConditions.Available) : undefined;
  const states = conditionStates(input, ready, rows).map((state) => {
    // A condition of what this pass has not read is one of the generation for which it was read.
    const isOld = state.type === seen?.type && state.status === seen.status;
    return { ...state, observedGeneration: isOld ? (seen.observedGeneration ?? generation) : generation };
  });
  const current = currentVersion(input);
  const handled = input.engine.metadata.annotations?.[RECONCILE_ANNOTATION] ?? stored.lastHandledReconcileAt;
  const isInvalid = (input.fieldErrors ?? []).length > 0;
  const target = isInvalid ? stored.targetNamespace : input.targetNamespace;
  return {
    phase: phaseOf(input, ready),
    observedGeneration: generation,
    ...(target === undefined ? {} : { targetNamespace: target }),
    desiredVersion: input.version,
    ...(current === undefined ? {} : { currentVersion: current }),
    ...(handled === undefined ? {} : { lastHandledReconcileAt: handled }),
    conditions: mergeConditions(stored.conditions ?? [], states, now),
    components: [...rows],
  };
}

/** The engine that is served: the oldest, then the first by name. An engine that is being deleted counts. */
export function servedEngine(engines: Iterable<MultiClusterEngine>): MultiClusterEngine | undefined {
  const createdAt = ({ metadata }: MultiClusterEngine): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
  return [...engines].sort((a, b) => createdAt(a) - createdAt(b) || byText(a.metadata.name, b.metadata.name))[0];
}

function keepsStoredStatus(input: StatusInput, ready: ReadyCondition): boolean {
  const undecided = input.objects === undefined && input.undecided !== undefined;
  const blocked = ready.stalled === true || input.terminating !== undefined;
  const stored = input.engine.status?.conditions?.find((one) => one.type === EngineConditions.Ready);
  return undecided && !blocked && stored !== undefined && (stored.reason === 'Paused') === input.paused;
}

/** The last applied generation: a paused engine keeps that of the stored status. */
function observedGeneration(input: StatusInput): number {
  const stored = input.engine.status?.observedGeneration ?? -1;
  return input.paused ? stored : (input.engine.metadata.generation ?? 0);
}

/** What the pass has read; undefined: no object. */
function objectsRead({ uninstall, objects }: StatusInput): readonly ObjectState[] | undefined {
  return uninstall === undefined ? objects : uninstall.remaining;
}

/** The rows of this pass; the stored rows where the pass read no object. */
function rowsOf(input: StatusInput, now: string): Rows {
  const stored = input.engine.status?.components ?? [];
  const objects = objectsRead(input);
  if (objects === undefined) return stored;
  const rows = componentRows(stored, objects, now);
  return input.partial === true ? withOtherRows(rows, stored) : rows;
}

type UnobservedState = Omit<ConditionState, 'observedGeneration'>;
type Rows = readonly ComponentCondition[];

function conditionStates(input: StatusInput, ready: ReadyCondition, rows: Rows): UnobservedState[] {
  const { Ready, Reconciling, Stalled } = EngineConditions;
  const { reason, message } = ready;
  const status = ready.ready ? 'True' : 'False';
  const states: UnobservedState[] = [{ type: Ready, status, reason, message }, availability(input, rows)];
  const motion = reconcilingReason(input, ready);
  if (motion !== undefined) states.push({ type: Reconciling, status: 'True', reason: motion, message });
  if (ready.stalled === true) states.push({ type: Stalled, status: 'True', reason, message });
  return states;
}

/** The condition Available: True while every row is. */
function availability(input: StatusInput, rows: Rows): UnobservedState {
  const base = { type: EngineConditions.Available, status: 'False', reason: 'ComponentsUnavailable' } as const;
  const missing = rows.filter((row) => row.status !== 'True');
  if (missing.length > 0) return { ...base, message: describeRows(missing) };
  if (input.uninstall !== undefined && !input.paused && objectsRead(input) === undefined)
    return {
      ...base,
      status: 'Unknown',
      reason: 'Uninstalling',
      message: 'what is left of the components is not known',
    };
  if (input.uninstall?.remaining !== undefined) return { ...base, message: 'the components are removed' };
  if (rows.length === 0) return { ...base, message: 'no component is installed yet' };
  return { ...base, status: 'True', reason: 'ComponentsAvailable', message: 'every component is available' };
}

/** The operator's version once every component is ready on it; the stored version until then. */
function currentVersion(input: StatusInput): string | undefined {
  const stored = input.engine.status?.currentVersion;
  const { objects, uninstall, paused, partial } = input;
  if (objects === undefined || objects.length === 0 || uninstall !== undefined || paused || partial === true)
    return stored;
  return objects.every((one) => isAsDesired(one) && healthOf(one)?.ready !== false) ? input.version : stored;
}

/** First match. Never derived from the stored phase. */
function phaseOf(input: StatusInput, ready: ReadyCondition): EnginePhase {
  if (input.uninstall !== undefined) return 'Uninstalling';
  if (input.paused) return 'Paused';
  if (ready.stalled === true || (input.objects ?? []).some(hasFailedRepeatedly)) return 'Error';
  if (input.engine.status?.currentVersion !== undefined && currentVersion(input) !== input.version) return 'Updating';
  return ready.ready ? 'Available' : 'Progressing';
}

export interface EngineEventNote {
  readonly reason: EngineEvent;
  readonly note: string;
}

/** The events of a change of status, in a fixed order; empty when none of it is worth an event. */
export function engineEvents(
  before: MultiClusterEngineStatus = {},
  after: MultiClusterEngineStatus,
): readonly EngineEventNote[] {
  const [wasReady, ready] = [conditionOf(before, 'Ready'), conditionOf(after, 'Ready')];
  const [wasStalled, stalled] = [conditionOf(before, 'Stalled'), conditionOf(after, 'Stalled')];
  const message = ready?.message ?? '';
  const becomes = (reason: string): boolean => ready?.reason === reason && wasReady?.reason !== reason;
  const installs = (before.conditions ?? []).length === 0 && stalled === undefined && after.phase === 'Progressing';
  const resumes = wasReady?.reason === 'Paused' && ready?.reason !== 'Paused';
  const stalls = stalled !== undefined && wasStalled?.reason !== stalled.reason;
  const startsToFail = after.phase === 'Error' && stalled === undefined && before.phase !== 'Error';
  const { desiredVersion, targetNamespace } = after;
  return [
    ...when(installs, 'EngineInstalling', `version ${desiredVersion} into namespace ${targetNamespace}`),
    ...when(ready?.status === 'True' && wasReady?.status !== 'True', 'EngineAvailable', message),
    ...when(startsUpdate(before, after), 'EngineUpdating', `from ${after.currentVersion} to ${desiredVersion}`),
    ...when(becomes('Paused'), 'EnginePaused', message),
    ...when(resumes, 'EngineResumed', message),
    ...when(stalls, 'EngineStalled', `${ready?.reason}: ${message}`),
    ...when(becomes('Uninstalling'), 'EngineUninstalling', message),
    ...componentEvents(before, after),
    ...when(startsToFail, 'ComponentFailed', message),
    ...WAIT_FOR_USER.flatMap((reason) => when(becomes(reason), reason, message)),
  ];
}

/** The components whose rows say what they did not say before. */
function componentEvents(
  { components: earlier }: MultiClusterEngineStatus,
  { components: rows = [], phase }: MultiClusterEngineStatus,
): readonly EngineEventNote[] {
  const isLost = (row: ComponentCondition): boolean =>
    row.type === 'Available' && row.status === 'False' && rowOf(earlier, row)?.status === 'True';
  const isOff = (row: ComponentCondition): boolean =>
    row.reason === 'Disabled' && rowOf(earlier, row)?.reason !== 'Disabled';
  const lost = phase === 'Uninstalling' ? [] : rows.filter(isLost);
  return [
    ...lost.map(
      (row) => ({ reason: 'ComponentUnavailable', note: `${row.kind} ${row.name}: ${row.message}` }) as const,
    ),
    ...rows
      .filter(isOff)
      .map((row) => ({ reason: 'ComponentDisabled', note: `${row.name} is off: ${row.message}` }) as const),
  ];
}

function startsUpdate(before: MultiClusterEngineStatus, after: MultiClusterEngineStatus): boolean {
  const moved = before.desiredVersion !== undefined && before.desiredVersion !== after.desiredVersion;
  return moved && after.currentVersion !== undefined && after.currentVersion !== after.desiredVersion;
}

function when(holds: boolean, reason: EngineEvent, note: string): readonly EngineEventNote[] {
  return holds ? [{ reason, note }] : [];
}

function conditionOf(status: MultiClusterEngineStatus, type: string): Condition | undefined {
  return status.conditions?.find((one) => one.type === type);
}
