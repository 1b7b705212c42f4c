import { EngineConditions, type EnginePhase } from '../../../api/enginereasons.js';
import type {
  ComponentCondition,
  MultiClusterEngine,
  MultiClusterEngineStatus,
} from '../../../api/generated/multiclusterengine.js';
import { RECONCILE_ANNOTATION } from '../../../api/names.js';
import { settleConditions, type ConditionState } from '../../conditions.js';
import { sameValue } from '../manifest/manifest.js';
import { componentRows, nameRows, withOthers } from './components.js';
import { hasFailedForLong, healthOf, type Situation } from './input.js';
import { motionOf, readyVerdict, type Verdict } from './ready.js';

/**
 * The status to store after a pass, all of it; equal to the stored one when nothing but a time would differ. A pass that
 * decided nothing leaves what is stored as it is, unless that says nothing yet. `now` is RFC 3339.
 */
export function engineStatus(situation: Situation, now: string): MultiClusterEngineStatus {
  const stored = situation.engine.status ?? {};
  const verdict = readyVerdict(situation);
  if (knowsNothingNew(situation, verdict)) return stored;
  const generation = observedGeneration(situation);
  const rows = rowsOf(situation, now);
  const states = conditionStates({ situation, verdict, rows }).map((state) => ({
    ...state,
    observedGeneration: generation,
  }));
  const current = currentVersion(situation);
  const handled = situation.engine.metadata.annotations?.[RECONCILE_ANNOTATION] ?? stored.lastHandledReconcileAt;
  const broken = (situation.faults ?? []).length > 0;
  const target = broken ? stored.targetNamespace : situation.targetNamespace;
  return {
    phase: phaseOf(situation, verdict),
    observedGeneration: generation,
    ...(target === undefined ? {} : { targetNamespace: target }),
    desiredVersion: situation.version,
    ...(current === undefined ? {} : { currentVersion: current }),
    ...(handled === undefined ? {} : { lastHandledReconcileAt: handled }),
    conditions: settleConditions(stored.conditions ?? [], states, now),
    components: [...rows],
  };
}

/** Whether two statuses say the same. */
export function sameStatus(a: MultiClusterEngineStatus | undefined, b: MultiClusterEngineStatus): boolean {
  return sameValue(a, b);
}

/** The engine that is served: the oldest, then the first by name. Deleting ones count until they are gone. */
export function servedEngine(engines: Iterable<MultiClusterEngine>): MultiClusterEngine | undefined {
  let served: MultiClusterEngine | undefined;
  for (const engine of engines) if (served === undefined || comesBefore(engine, served)) served = engine;
  return served;
}

function comesBefore(a: MultiClusterEngine, b: MultiClusterEngine): boolean {
  const [bornA, bornB] = [bornAt(a), bornAt(b)];
  return bornA === bornB ? a.metadata.name < b.metadata.name : bornA < bornB;
}

function bornAt(engine: MultiClusterEngine): number {
  return Date.parse(engine.metadata.creationTimestamp ?? '') || 0;
}

function knowsNothingNew(situation: Situation, verdict: Verdict): boolean {
  const undecided = situation.findings === undefined && situation.undecided !== undefined;
  const blocked = verdict.stalled === true || situation.terminating !== undefined;
  const stored = situation.engine.status?.conditions?.find((one) => one.type === EngineConditions.Ready);
  return undecided && !blocked && stored !== undefined && (stored.reason === 'Paused') === situation.paused;
}

/** Paused, nothing was applied: the last applied generation stays. */
function observedGeneration(situation: Situation): number {
  const stored = situation.engine.status?.observedGeneration ?? -1;
  return situation.paused ? stored : (situation.engine.metadata.generation ?? 0);
}

/** What was found; where nothing was looked at, what is stored still stands. */
function rowsOf(situation: Situation, now: string): readonly ComponentCondition[] {
  const stored = situation.engine.status?.components ?? [];
  const findings = situation.uninstall === undefined ? situation.findings : situation.uninstall.remaining;
  if (findings === undefined) return stored;
  const rows = componentRows(stored, findings, now);
  return situation.partial === true ? withOthers(rows, stored) : rows;
}

interface Said {
  readonly situation: Situation;
  readonly verdict: Verdict;
  readonly rows: readonly ComponentCondition[];
}

type State = Omit<ConditionState, 'observedGeneration'>;

function conditionStates(said: Said): State[] {
  const { Ready, Reconciling, Stalled } = EngineConditions;
  const { verdict } = said;
  const { reason, message } = verdict;
  const states: State[] = [
    { type: Ready, status: verdict.ready ? 'True' : 'False', reason, message },
    availability(said),
  ];
  const motion = motionOf(said.situation, verdict);
  if (motion !== undefined) states.push({ type: Reconciling, status: 'True', reason: motion, message });
  if (verdict.stalled === true) states.push({ type: Stalled, status: 'True', reason, message });
  return states;
}

/** True while every row is True. */
function availability({ situation, rows }: Said): State {
  const base = { type: EngineConditions.Available, status: 'False', reason: 'ComponentsUnavailable' } as const;
  const missing = rows.filter((row) => row.status !== 'True');
  if (missing.length > 0) return { ...base, message: nameRows(missing) };
  if (situation.uninstall?.remaining !== undefined) return { ...base, message: 'the components are removed' };
  if (rows.length === 0) return { ...base, message: 'no component is installed yet' };
  return { ...base, status: 'True', reason: 'ComponentsAvailable', message: 'every component is available' };
}

/** Follows the operator's version when every component is ready on it. */
function currentVersion(situation: Situation): string | undefined {
  const stored = situation.engine.status?.currentVersion;
  const { findings, uninstall, paused, partial } = situation;
  if (findings === undefined || findings.length === 0 || uninstall !== undefined || paused || partial === true)
    return stored;
  return findings.every((one) => one.state === 'applied' && healthOf(one)?.ready !== false)
    ? situation.version
    : stored;
}

/** First match; derived, never read back. */
function phaseOf(situation: Situation, verdict: Verdict): EnginePhase {
  if (situation.uninstall !== undefined) return 'Uninstalling';
  if (situation.paused) return 'Paused';
  if (verdict.stalled === true || (situation.findings ?? []).some(hasFailedForLong)) return 'Error';
  if (situation.engine.status?.currentVersion !== undefined && currentVersion(situation) !== situation.version)
    return 'Updating';
  return verdict.ready ? 'Available' : 'Progressing';
}
