import { byText } from '../../../runtime/vocabulary/names.js';
import type { V1Deployment } from '@kubernetes/client-node';
import type { ComponentReason } from '../../../api/enginereasons.js';
import type { ComponentCondition } from '../../../api/generated/multiclusterengine.js';
import { Deployments } from '../../../runtime/vocabulary/kinds.js';
import type { BuiltIn } from '../../../runtime/vocabulary/meta.js';
import { ADOPTED_ANNOTATION } from '../../../api/names.js';
import { clip } from '../../conditions.js';
import { enumerate } from '../manifest/manifest.js';
import type { ObjectState, ObjectStateName } from './input.js';

type Row = Omit<ComponentCondition, 'lastTransitionTime'>;

/** The reasons of the states that do not depend on health. */
const REASONS: Readonly<Record<Exclude<ObjectStateName, 'applied'>, ComponentReason>> = {
  waiting: 'Pending',
  failed: 'ApplyFailed',
  denied: 'PermissionDenied',
  foreign: 'Skipped',
  unusable: 'Unusable',
  drifted: 'Drifted',
  missing: 'Missing',
  removing: 'Uninstalling',
  off: 'Disabled',
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
    return {
      ...row,
      lastTransitionTime: before?.status === row.status && before.type === row.type ? before.lastTransitionTime : now,
    };
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
 * any other object while it is applied. An object that has drifted during a pause counts as applied. That of a component that
 * is off is True: it is as the spec wants it.
 */
export function componentRow(state: ObjectState): Row {
  const health = healthOf(state);
  const type = state.state === 'off' ? 'Disabled' : health === undefined ? 'Applied' : 'Available';
  const row = (isTrue: boolean, reason: ComponentReason, message: string): Row => {
    const status = isTrue ? 'True' : 'False';
    return { name: state.name.name, kind: state.type.kind, type, status, reason, message: clip(message) };
  };
  if (state.state === 'off') return row(true, 'Disabled', state.message);
  if (state.state !== 'applied')
    return row(state.state === 'drifted' && health?.serving !== false, REASONS[state.state], state.message);
  if (state.given !== undefined) return row(true, state.given === 'usable' ? 'Given' : 'Doubtful', state.message);
  const adoptedAt = state.object?.metadata.annotations?.[ADOPTED_ANNOTATION];
  const adopted = adoptedAt === undefined ? undefined : `taken over at ${adoptedAt}`;
  if (health === undefined) return row(true, adopted === undefined ? 'Applied' : 'Adopted', adopted ?? 'applied');
  if (health.ready)
    return row(health.serving, 'Available', health.message + (adopted === undefined ? '' : `; ${adopted}`));
  return row(health.serving, health.rollout === 'progressing' ? 'RollingOut' : 'Unavailable', health.message);
}

/** Whether nothing is left to do for an object but to wait for its health. */
export function isAsDesired({ state }: ObjectState): boolean {
  return state === 'applied' || state === 'off';
}

/** The health of a Deployment; undefined for other kinds, and for a component that is off. */
export function healthOf({ type, state, object, lastReadyReplicas }: ObjectState): Health | undefined {
  return type === Deployments && state !== 'off' ? deploymentHealth(object, lastReadyReplicas) : undefined;
}

type Deployment = BuiltIn<V1Deployment>;

/** The health of a Deployment, from its status. */
export interface Health {
  /** The observed generation is rolled out and every replica is available. */
  readonly ready: boolean;
  /**
   * Enough replicas are available, also those of an earlier rollout: the Deployment is Available, or, while it scales
   * up, it has as many as when it was last ready.
   */
  readonly serving: boolean;
  /** deadlineExceeded: the condition Progressing is False. */
  readonly rollout: 'progressing' | 'deadlineExceeded' | 'complete';
  /** For people: the counts, and the failures that the Deployment's conditions report. */
  readonly message: string;
}

/**
 * Health of a Deployment. `lastReadyReplicas`: spec.replicas when all of them were last ready; undefined where that is
 * not known.
 *
 * Ready means: status.observedGeneration ≥ generation, updatedReplicas = replicas = availableReplicas = spec.replicas > 0,
 * and Available=True. So a Deployment that was just patched is not ready by its old status.
 */
export function deploymentHealth(object: Deployment | undefined, lastReadyReplicas = Infinity): Health {
  const wanted = object?.spec?.replicas ?? 1;
  const { generation = 0 } = object?.metadata ?? {};
  const {
    observedGeneration,
    replicas = 0,
    updatedReplicas: updated = 0,
    availableReplicas: available = 0,
  } = object?.status ?? {};
  const isObserved = observedGeneration !== undefined && observedGeneration >= generation;
  const isAvailable = condition(object, 'Available')?.status === 'True';
  const complete = isObserved && updated === wanted && replicas === wanted;
  const ready = complete && available === wanted && wanted > 0 && isAvailable;
  return {
    ready,
    serving: (isAvailable || available >= lastReadyReplicas) && available > 0 && wanted > 0,
    rollout: rolloutOf(object, { isObserved, complete }),
    message: `${available} of ${wanted} replicas available, ${updated} up to date${isObserved ? '' : ', the Deployment controller has not observed the change yet'}${failureText(object)}`,
  };
}

function rolloutOf(
  object: Deployment | undefined,
  observed: Record<'isObserved' | 'complete', boolean>,
): Health['rollout'] {
  if (!observed.isObserved) return 'progressing';
  const progressing = condition(object, 'Progressing');
  if (progressing?.status === 'False') return 'deadlineExceeded';
  if (!observed.complete) return 'progressing';
  const finished = progressing === undefined || progressing.reason === 'NewReplicaSetAvailable';
  return finished ? 'complete' : 'progressing';
}

/** The failures that the Deployment's conditions report. */
function failureText(object: Deployment | undefined): string {
  const failures = Object.entries({ Progressing: 'False', ReplicaFailure: 'True' }).flatMap(([type, failed]) => {
    const found = condition(object, type);
    return found?.status === failed ? [found] : [];
  });
  return failures.map(({ reason = '', message = '' }) => ` (${reason}: ${message})`).join('');
}

function condition(object: Deployment | undefined, type: string) {
  return object?.status?.conditions?.find((one) => one.type === type);
}
