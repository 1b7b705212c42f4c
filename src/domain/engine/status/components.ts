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
    const before = rowOf(stored, row);
    return { ...row, lastTransitionTime: before?.status === row.status ? before.lastTransitionTime : now };
  });
  return sorted(rows);
}

/** The row of an object among `rows`. */
export function rowOf(
  rows: readonly ComponentCondition[] | undefined,
  object: { readonly kind: string; readonly name: string },
): ComponentCondition | undefined {
  return rows?.find((one) => one.kind === object.kind && one.name === object.name);
}

/** `rows`, and the rows of `stored` for other objects. */
export function withOtherRows(
  rows: readonly ComponentCondition[],
  stored: readonly ComponentCondition[],
): ComponentCondition[] {
  return sorted([...rows, ...stored.filter((one) => rowOf(rows, one) === undefined)]);
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
  const health = healthOf(state);
  const type = health === undefined ? 'Applied' : 'Available';
  const row = (isTrue: boolean, reason: ComponentReason, message: string): Row => {
    const status = isTrue ? 'True' : 'False';
    return { name: state.name.name, kind: state.type.kind, type, status, reason, message: clip(message) };
  };
  if (state.state !== 'applied')
    return row(state.state === 'drifted' && health?.serving !== false, REASONS[state.state], state.message);
  if (state.given === true) return row(true, 'Given', state.message);
  if (health === undefined) return row(true, 'Applied', 'applied');
  if (health.ready) return row(health.serving, 'Available', health.message);
  return row(health.serving, health.rollout === 'progressing' ? 'RollingOut' : 'Unavailable', health.message);
}
