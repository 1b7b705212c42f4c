import { byText } from '../../../runtime/vocabulary/names.js';
import { EngineConditions, type EnginePhase } from '../../../api/enginereasons.js';
import type {
  ComponentCondition,
  MultiClusterEngine,
  MultiClusterEngineStatus,
} from '../../../api/generated/multiclusterengine.js';
import { RECONCILE_ANNOTATION } from '../../../api/names.js';
import { mergeConditions, type ConditionState } from '../../conditions.js';
import { componentRows, describeRows, healthOf, isAsDesired, withOtherRows } from './components.js';
import { hasFailedRepeatedly, type StatusInput } from './input.js';
import { reconcilingReason, readyCondition, type ReadyCondition } from './ready.js';

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
  const states = conditionStates(input, ready, rows).map((state) => ({ ...state, observedGeneration: generation }));
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

/** The rows of this pass; the stored rows where the pass read no object. */
function rowsOf(input: StatusInput, now: string): Rows {
  const stored = input.engine.status?.components ?? [];
  const objects = input.uninstall === undefined ? input.objects : input.uninstall.remaining;
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

/** True while every row is True. */
function availability(input: StatusInput, rows: Rows): UnobservedState {
  const base = { type: EngineConditions.Available, status: 'False', reason: 'ComponentsUnavailable' } as const;
  const missing = rows.filter((row) => row.status !== 'True');
  if (missing.length > 0) return { ...base, message: describeRows(missing) };
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
