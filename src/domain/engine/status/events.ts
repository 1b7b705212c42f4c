import type { EngineEvent } from '../../../api/enginereasons.js';
import type { MultiClusterEngineStatus } from '../../../api/generated/multiclusterengine.js';
import type { Condition } from '../../../api/meta.js';

export interface EngineEventNote {
  readonly reason: EngineEvent;
  readonly note: string;
}

interface StatusChange {
  readonly before: MultiClusterEngineStatus;
  readonly after: MultiClusterEngineStatus;
}

type Rule = (change: StatusChange) => readonly EngineEventNote[];

/** One rule per kind of change; a rule returns events only when the change is new in `after`. */
const RULES: readonly Rule[] = [
  (change) =>
    when(
      isNew(change) && !conditionOf(change.after, 'Stalled') && change.after.phase === 'Progressing',
      'EngineInstalling',
      installingText(change.after),
    ),
  (change) =>
    when(
      readyOf(change.after)?.status === 'True' && readyOf(change.before)?.status !== 'True',
      'EngineAvailable',
      readyText(change.after),
    ),
  (change) =>
    when(
      startsUpdate(change),
      'EngineUpdating',
      `from ${change.after.currentVersion} to ${change.after.desiredVersion}`,
    ),
  (change) => when(becomes(change, 'Paused'), 'EnginePaused', readyText(change.after)),
  (change) =>
    when(
      readyOf(change.before)?.reason === 'Paused' && readyOf(change.after)?.reason !== 'Paused',
      'EngineResumed',
      readyText(change.after),
    ),
  (change) => when(stalls(change), 'EngineStalled', `${readyOf(change.after)?.reason}: ${readyText(change.after)}`),
  (change) => when(becomes(change, 'Uninstalling'), 'EngineUninstalling', readyText(change.after)),
  unavailableComponents,
  (change) => when(startsToFail(change), 'ComponentFailed', readyText(change.after)),
  (change) => when(becomes(change, 'PullSecretNotFound'), 'PullSecretNotFound', readyText(change.after)),
];

/** The events of a change of status, in a fixed order; empty when none of it is worth an event. */
export function engineEvents(
  before: MultiClusterEngineStatus | undefined,
  after: MultiClusterEngineStatus,
): readonly EngineEventNote[] {
  const change = { before: before ?? {}, after };
  return RULES.flatMap((rule) => rule(change));
}

function installingText({ desiredVersion, targetNamespace }: MultiClusterEngineStatus): string {
  return `version ${desiredVersion} into namespace ${targetNamespace}`;
}

function unavailableComponents(change: StatusChange): readonly EngineEventNote[] {
  if (change.after.phase === 'Uninstalling') return [];
  const lost = (change.after.components ?? []).filter((row) => {
    const before = change.before.components?.find((one) => one.kind === row.kind && one.name === row.name);
    return row.type === 'Available' && row.status === 'False' && before?.status === 'True';
  });
  return lost.map((row) => ({ reason: 'ComponentUnavailable', note: `${row.kind} ${row.name}: ${row.message}` }));
}

function isNew(change: StatusChange): boolean {
  return (change.before.conditions ?? []).length === 0;
}

function startsUpdate(change: StatusChange): boolean {
  const { before, after } = change;
  const moved = before.desiredVersion !== undefined && before.desiredVersion !== after.desiredVersion;
  return moved && after.currentVersion !== undefined && after.currentVersion !== after.desiredVersion;
}

function becomes(change: StatusChange, reason: string): boolean {
  return readyOf(change.after)?.reason === reason && readyOf(change.before)?.reason !== reason;
}

function stalls(change: StatusChange): boolean {
  const stalled = conditionOf(change.after, 'Stalled');
  return stalled !== undefined && conditionOf(change.before, 'Stalled')?.reason !== stalled.reason;
}

function startsToFail(change: StatusChange): boolean {
  return (
    change.after.phase === 'Error' &&
    conditionOf(change.after, 'Stalled') === undefined &&
    change.before.phase !== 'Error'
  );
}

function when(holds: boolean, reason: EngineEvent, note: string): readonly EngineEventNote[] {
  return holds ? [{ reason, note }] : [];
}

function readyOf(status: MultiClusterEngineStatus): Condition | undefined {
  return conditionOf(status, 'Ready');
}

function readyText(status: MultiClusterEngineStatus): string {
  return readyOf(status)?.message ?? '';
}

function conditionOf(status: MultiClusterEngineStatus, type: string): Condition | undefined {
  return status.conditions?.find((one) => one.type === type);
}
