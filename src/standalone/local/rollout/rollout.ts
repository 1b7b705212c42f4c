import { sameJson } from '../../../runtime/vocabulary/json.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import type { Deployment, DeploymentCondition, DeploymentStatus } from '../workload.js';

/** The observed state of a Deployment. */
export interface Observation {
  /** A process exists (it may be waiting for its restart). */
  readonly started: boolean;
  /** The process is of the current pod template; false while one of an earlier template keeps running. */
  readonly updated: boolean;
  /** Its readiness probe passes. */
  readonly ready: boolean;
  /** Ready for minReadySeconds. */
  readonly available: boolean;
  /** Name of the pod of the current template. */
  readonly pod: string;
  /** Why the process does not run or is not ready, as reason and message of a condition; undefined when it is well. */
  readonly problem: { readonly reason: string; readonly message: string } | undefined;
  /** When this rollout began or last progressed, in ms since the epoch. */
  readonly progressedAt: number;
}

const DEADLINE_S = 600;

/**
 * The status of a Deployment, as the Deployment controller would write it. One process runs for more than one wanted
 * replica, and the status shows it. Returns the stored status itself when nothing has changed. `now` in ms since the
 * epoch.
 */
export function rolloutStatus(deployment: Deployment, observed: Observation, now: number): DeploymentStatus {
  const wanted = deployment.spec?.replicas ?? 1;
  const replicas = observed.started ? 1 : 0;
  const available = observed.available ? 1 : 0;
  const complete =
    (wanted === replicas && wanted === available && observed.updated) || isRolledOut(deployment, observed);
  const conditions = [
    availability(available >= wanted - maxUnavailable(deployment, wanted)),
    progress(deployment, {
      complete,
      pod: observed.pod,
      overdue: now - observed.progressedAt > deadlineMs(deployment),
      pendingReason: observed.updated ? undefined : observed.problem,
    }),
    ...replicaFailure(wanted, observed),
  ];
  const status: DeploymentStatus = {
    ...countField('observedGeneration', deployment.metadata.generation ?? 0),
    ...countField('replicas', replicas),
    ...countField('updatedReplicas', observed.updated ? replicas : 0),
    ...countField('readyReplicas', observed.ready ? 1 : 0),
    ...countField('availableReplicas', available),
    ...countField('unavailableReplicas', Math.max(wanted - available, observed.updated ? 0 : 1)),
    terminatingReplicas: 0,
    conditions: conditions.map((condition) => withTimes(condition, deployment.status?.conditions ?? [], now)),
  };
  return sameStatus(status, deployment.status) && deployment.status !== undefined ? deployment.status : status;
}

export const NOT_RUN_HERE = {
  reason: 'NotRunHere',
  message: 'The local runtime does not run this Deployment: it runs only those of multicluster-engine.',
};

/**
 * The status of a Deployment that this runtime does not run. `now` in ms since the epoch. The reason of Progressing is
 * the one at which `kubectl rollout status` stops waiting.
 */
export function unmanagedStatus(deployment: Deployment, now: number): DeploymentStatus {
  const wanted = deployment.spec?.replicas ?? 1;
  const { message } = NOT_RUN_HERE;
  const notRun: ConditionWithoutTimes[] = [
    { type: 'Available', status: 'False', ...NOT_RUN_HERE },
    { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message },
  ];
  const complete = progress(deployment, { complete: true, pod: '', overdue: false, pendingReason: undefined });
  const conditions = wanted > 0 ? notRun : [availability(true), complete];
  return {
    ...countField('observedGeneration', deployment.metadata.generation ?? 0),
    ...countField('unavailableReplicas', wanted),
    terminatingReplicas: 0,
    conditions: conditions.map((condition) => withTimes(condition, deployment.status?.conditions ?? [], now)),
  };
}

/** Ms until the rollout will be overdue; undefined when it is complete or overdue already. */
export function msUntilDeadline(deployment: Deployment, observed: Observation, now: number): number | undefined {
  const wanted = deployment.spec?.replicas ?? 1;
  const left = deadlineMs(deployment) - (now - observed.progressedAt);
  if (isRolledOut(deployment, observed)) return undefined;
  return left < 0 || (wanted === 1 && observed.available && observed.updated) || wanted === 0 ? undefined : left + 1;
}

/**
 * Whether the stored status says that the current template is rolled out. It stays rolled out when its process exits or
 * is not ready for a while: a rollout begins with a change of the template, not with a crash.
 */
function isRolledOut(deployment: Deployment, { updated, pod }: Observation): boolean {
  const stored = deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
  const over = progress(deployment, { complete: true, pod, overdue: false, pendingReason: undefined });
  return updated && stored?.reason === over.reason && stored.message === over.message;
}

type ConditionWithoutTimes = Omit<DeploymentCondition, 'lastUpdateTime' | 'lastTransitionTime'>;

function availability(met: boolean): ConditionWithoutTimes {
  const type = 'Available';
  const message = `Deployment ${met ? 'has' : 'does not have'} minimum availability.`;
  if (met) return { type, status: 'True', reason: 'MinimumReplicasAvailable', message };
  return { type, status: 'False', reason: 'MinimumReplicasUnavailable', message };
}

interface Progress {
  readonly complete: boolean;
  readonly pod: string;
  readonly overdue: boolean;
  /** Why the current template cannot be started. */
  readonly pendingReason: Observation['problem'];
}

function progress(deployment: Deployment, { complete, pod, overdue, pendingReason }: Progress): ConditionWithoutTimes {
  const type = 'Progressing';
  const what = pod === '' ? `Deployment "${deployment.metadata.name}"` : `Process "${pod}"`;
  if (complete)
    return { type, status: 'True', reason: 'NewReplicaSetAvailable', message: `${what} has successfully progressed.` };
  if (overdue)
    return { type, status: 'False', reason: 'ProgressDeadlineExceeded', message: `${what} has timed out progressing.` };
  if (pendingReason !== undefined) return { type, status: 'True', ...pendingReason };
  return { type, status: 'True', reason: 'ReplicaSetUpdated', message: `${what} is progressing.` };
}

function replicaFailure(wanted: number, { problem }: Observation): ConditionWithoutTimes[] {
  const type = 'ReplicaFailure';
  if (problem !== undefined) return [{ type, status: 'True', ...problem }];
  if (wanted <= 1) return [];
  const message = `${wanted} replicas are wanted; this runtime runs 1 process for each Deployment`;
  return [{ type, status: 'True', reason: 'OneProcessEach', message }];
}

/** How many replicas may be unavailable: maxUnavailable of a rolling update, a percentage rounded down. */
function maxUnavailable(deployment: Deployment, wanted: number): number {
  if (deployment.spec?.strategy?.type === 'Recreate') return wanted;
  const most = deployment.spec?.strategy?.rollingUpdate?.maxUnavailable ?? '25%';
  if (typeof most === 'number') return most;
  const share = /^(\d+)%$/.exec(most);
  return share === null ? 0 : Math.floor((Number(share[1]) * wanted) / 100);
}

/**
 * Whether the process of the old template keeps running while that of the new one cannot be started, as in a rolling
 * update. False when the strategy allows that no replica is available.
 */
export function keepsOldProcess(deployment: Deployment): boolean {
  const wanted = deployment.spec?.replicas ?? 1;
  return maxUnavailable(deployment, wanted) < wanted;
}

function deadlineMs(deployment: Deployment): number {
  return (deployment.spec?.progressDeadlineSeconds ?? DEADLINE_S) * 1000;
}

/** Zero is omitted, as the API server does. */
function countField(field: string, count: number): Record<string, number> {
  return count === 0 ? {} : { [field]: count };
}

function withTimes(
  condition: ConditionWithoutTimes,
  before: readonly DeploymentCondition[],
  now: number,
): DeploymentCondition {
  const old = before.find(({ type }) => type === condition.type);
  const time = timestamp(now);
  if (old === undefined || old.status !== condition.status)
    return { ...condition, lastUpdateTime: time, lastTransitionTime: time };
  const same = old.reason === condition.reason && old.message === condition.message;
  return same ? old : { ...condition, lastUpdateTime: time, lastTransitionTime: old.lastTransitionTime };
}

function sameStatus(a: DeploymentStatus, b: DeploymentStatus | undefined): boolean {
  return b !== undefined && sameJson(byType(a), byType(b));
}

function byType({ conditions = [], ...counts }: DeploymentStatus): DeploymentStatus {
  return { ...counts, conditions: [...conditions].sort((a, b) => (a.type < b.type ? -1 : 1)) };
}
