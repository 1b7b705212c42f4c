import type { EngineEvent } from '../../../api/enginereasons.js';
import type { MultiClusterEngineStatus } from '../../../api/generated/multiclusterengine.js';
import type { Condition } from '../../../runtime/vocabulary/meta.js';
import { rowOf } from './components.js';
import { WAIT_FOR_USER } from './ready.js';

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
  const { currentVersion, desiredVersion, targetNamespace } = after;
  return [
    ...when(installs, 'EngineInstalling', `version ${desiredVersion} into namespace ${targetNamespace}`),
    ...when(ready?.status === 'True' && wasReady?.status !== 'True', 'EngineAvailable', message),
    ...when(startsUpdate(before, after), 'EngineUpdating', `from ${currentVersion} to ${desiredVersion}`),
    ...when(becomes('Paused'), 'EnginePaused', message),
    ...when(resumes, 'EngineResumed', message),
    ...when(stalls, 'EngineStalled', `${ready?.reason}: ${message}`),
    ...when(becomes('Uninstalling'), 'EngineUninstalling', message),
    ...unavailableComponents(before, after),
    ...disabledComponents(before, after),
    ...when(startsToFail, 'ComponentFailed', message),
    ...WAIT_FOR_USER.flatMap((reason) => when(becomes(reason), reason, message)),
  ];
}

function unavailableComponents(
  before: MultiClusterEngineStatus,
  after: MultiClusterEngineStatus,
): readonly EngineEventNote[] {
  if (after.phase === 'Uninstalling') return [];
  const lost = (after.components ?? []).filter((row) => {
    const earlier = rowOf(before.components, row);
    return row.type === 'Available' && row.status === 'False' && earlier?.status === 'True';
  });
  return lost.map((row) => ({ reason: 'ComponentUnavailable', note: `${row.kind} ${row.name}: ${row.message}` }));
}

function disabledComponents(
  before: MultiClusterEngineStatus,
  after: MultiClusterEngineStatus,
): readonly EngineEventNote[] {
  const off = (after.components ?? []).filter(
    (row) => row.reason === 'Disabled' && rowOf(before.components, row)?.reason !== 'Disabled',
  );
  return off.map((row) => ({ reason: 'ComponentDisabled', note: `${row.name} is off: ${row.message}` }));
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
