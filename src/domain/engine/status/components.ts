import type { ComponentReason } from '../../../api/enginereasons.js';
import type { ComponentCondition } from '../../../api/generated/multiclusterengine.js';
import { clip } from '../../conditions.js';
import { byText } from '../manifest/manifest.js';
import { enumerate, healthOf, type ObjectState, type ObjectStateName } from './input.js';

type Row = Omit<ComponentCondition, 'lastTransitionTime'>;

/** The reasons of the states that do not depend on health. */
const REASONS: Readonly<Record<Exclude<ObjectStateName, 'applied'>, ComponentReason>> = {
  waiting: 'Pending',
  failed: 'ApplyFailed',
  denied: 'PermissionDenied',
  foreign: 'Skipped',
  drifted: 'Drifted',
  missing: 'Missing',
  removing: 'Uninstalling',
};

/**
 * The rows of the status: one per object, sorted by kind and name. `lastTransitionTime` changes with the row's status
 * only. `now` is RFC 3339.
 */
export function componentRows(
  stored: readonly ComponentCondition[],
  objects: readonly ObjectState[],
  now: string,
): ComponentCondition[] {
  const rows = objects.map((state) => {
    const row = componentRow(state);
    const before = stored.find((one) => one.kind === row.kind && one.name === row.name);
    const isChanged = before === undefined || before.status !== row.status;
    return { ...row, lastTransitionTime: isChanged ? now : before.lastTransitionTime };
  });
  return sorted(rows);
}

/** `rows`, and the rows of `stored` for other objects. */
export function withOtherRows(
  rows: readonly ComponentCondition[],
  stored: readonly ComponentCondition[],
): ComponentCondition[] {
  const others = stored.filter((one) => !rows.some((row) => row.kind === one.kind && row.name === one.name));
  return sorted([...rows, ...others]);
}

/** `Deployment name: message` of each, three at most. */
export function describeRows(rows: readonly ComponentCondition[]): string {
  return enumerate(rows.map((row) => `${row.kind} ${row.name}: ${row.message}`));
}

function sorted(rows: readonly ComponentCondition[]): ComponentCondition[] {
  return [...rows].sort((a, b) => byText(a.kind, b.kind) || byText(a.name, b.name));
}

/**
 * The row of one object. That of a Deployment is True while enough replicas are available, during a rollout too; that of
 * any other object while it is applied. An object that has drifted during a pause counts as applied.
 */
export function componentRow(state: ObjectState): Row {
  const { kind } = state.type;
  const { name } = state.name;
  const health = healthOf(state);
  const type = health === undefined ? 'Applied' : 'Available';
  if (state.state !== 'applied') {
    const isServing = state.state === 'drifted' && health?.serving !== false;
    return {
      name,
      kind,
      type,
      status: isServing ? 'True' : 'False',
      reason: REASONS[state.state],
      message: clip(state.message),
    };
  }
  if (state.given === true) return { name, kind, type, status: 'True', reason: 'Given', message: clip(state.message) };
  if (health === undefined) return { name, kind, type, status: 'True', reason: 'Applied', message: 'applied' };
  const reason: ComponentReason = health.ready
    ? 'Available'
    : health.rollout === 'progressing'
      ? 'RollingOut'
      : 'Unavailable';
  return { name, kind, type, status: health.serving ? 'True' : 'False', reason, message: clip(health.message) };
}
