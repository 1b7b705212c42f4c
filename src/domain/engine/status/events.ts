import type { EngineEvent } from '../../../api/enginereasons.js';
import type { MultiClusterEngineStatus } from '../../../api/generated/multiclusterengine.js';
import type { Condition } from '../../../api/meta.js';

export interface EngineNote {
  readonly reason: EngineEvent;
  readonly note: string;
}

interface Turn {
  readonly before: MultiClusterEngineStatus;
  readonly after: MultiClusterEngineStatus;
}

type Rule = (turn: Turn) => readonly EngineNote[];

/** One rule a kind of change; each speaks only when its change is new in `after`. */
const RULES: readonly Rule[] = [
  (turn) =>
    when(
      isNew(turn) && !has(turn.after, 'Stalled') && turn.after.phase === 'Progressing',
      'EngineInstalling',
      installingText(turn.after),
    ),
  (turn) =>
    when(
      ready(turn.after)?.status === 'True' && ready(turn.before)?.status !== 'True',
      'EngineAvailable',
      readyText(turn.after),
    ),
  (turn) =>
    when(startsUpdate(turn), 'EngineUpdating', `from ${turn.after.currentVersion} to ${turn.after.desiredVersion}`),
  (turn) => when(turnsTo(turn, 'Paused'), 'EnginePaused', readyText(turn.after)),
  (turn) =>
    when(
      ready(turn.before)?.reason === 'Paused' && ready(turn.after)?.reason !== 'Paused',
      'EngineResumed',
      readyText(turn.after),
    ),
  (turn) => when(stalls(turn), 'EngineStalled', `${ready(turn.after)?.reason}: ${readyText(turn.after)}`),
  (turn) => when(turnsTo(turn, 'Uninstalling'), 'EngineUninstalling', readyText(turn.after)),
  lostComponents,
  (turn) => when(failsForLong(turn), 'ComponentFailed', readyText(turn.after)),
  (turn) => when(turnsTo(turn, 'PullSecretNotFound'), 'PullSecretNotFound', readyText(turn.after)),
];

/** What a change of status is worth telling as events, in a fixed order; empty when nothing of it changed. */
export function engineEvents(
  before: MultiClusterEngineStatus | undefined,
  after: MultiClusterEngineStatus,
): readonly EngineNote[] {
  const turn = { before: before ?? {}, after };
  return RULES.flatMap((rule) => rule(turn));
}

/** Where to and in which version; what is done at the very first moment is of no interest later. */
function installingText({ desiredVersion, targetNamespace }: MultiClusterEngineStatus): string {
  return `version ${desiredVersion} into namespace ${targetNamespace}`;
}

function lostComponents(turn: Turn): readonly EngineNote[] {
  if (turn.after.phase === 'Uninstalling') return [];
  const lost = (turn.after.components ?? []).filter((row) => {
    const before = turn.before.components?.find((one) => one.kind === row.kind && one.name === row.name);
    return row.type === 'Available' && row.status === 'False' && before?.status === 'True';
  });
  return lost.map((row) => ({ reason: 'ComponentUnavailable', note: `${row.kind} ${row.name}: ${row.message}` }));
}

function isNew(turn: Turn): boolean {
  return (turn.before.conditions ?? []).length === 0;
}

function startsUpdate(turn: Turn): boolean {
  const { before, after } = turn;
  const moved = before.desiredVersion !== undefined && before.desiredVersion !== after.desiredVersion;
  return moved && after.currentVersion !== undefined && after.currentVersion !== after.desiredVersion;
}

function turnsTo(turn: Turn, reason: string): boolean {
  return ready(turn.after)?.reason === reason && ready(turn.before)?.reason !== reason;
}

function stalls(turn: Turn): boolean {
  const stalled = has(turn.after, 'Stalled');
  return stalled !== undefined && has(turn.before, 'Stalled')?.reason !== stalled.reason;
}

function failsForLong(turn: Turn): boolean {
  return turn.after.phase === 'Error' && has(turn.after, 'Stalled') === undefined && turn.before.phase !== 'Error';
}

function when(holds: boolean, reason: EngineEvent, note: string): readonly EngineNote[] {
  return holds ? [{ reason, note }] : [];
}

function ready(status: MultiClusterEngineStatus): Condition | undefined {
  return has(status, 'Ready');
}

function readyText(status: MultiClusterEngineStatus): string {
  return ready(status)?.message ?? '';
}

function has(status: MultiClusterEngineStatus, type: string): Condition | undefined {
  return status.conditions?.find((one) => one.type === type);
}
