import type { Deployment, DeploymentCondition, DeploymentStatus } from '../workload.js';

/** What the runtime sees of a Deployment at one moment. */
export interface Observation {
  /** A process exists (it may be waiting to be started again). */
  readonly started: boolean;
  /** It is of the current pod template; false while one of an earlier template goes on because no other can be started. */
  readonly updated: boolean;
  /** Its readiness probe passes. */
  readonly ready: boolean;
  /** Ready for minReadySeconds. */
  readonly available: boolean;
  /** Name of the pod of the current template. */
  readonly pod: string;
  /** What keeps the process from running, with the reason of a condition; undefined when nothing does. */
  readonly problem: { readonly reason: string; readonly message: string } | undefined;
  /** Ms since the epoch: when this rollout began or last got further. */
  readonly progressedAt: number;
}

const DEADLINE_S = 600;

/**
 * The status of a Deployment, as the Deployment controller would write it; a wanted count above 1 is run as 1 and shown so.
 * Gives the very status that is stored when nothing changed. `now` in ms since the epoch.
 */
export function rolloutStatus(deployment: Deployment, seen: Observation, now: number): DeploymentStatus {
  const wanted = deployment.spec?.replicas ?? 1;
  const replicas = seen.started ? 1 : 0;
  const available = seen.available ? 1 : 0;
  const complete = (wanted === replicas && wanted === available && seen.updated) || isRolledOut(deployment, seen);
  const conditions = [
    availability(available >= wanted - maxUnavailable(deployment, wanted)),
    progress(deployment, {
      complete,
      pod: seen.pod,
      late: now - seen.progressedAt > deadlineMs(deployment),
      lack: seen.updated ? undefined : seen.problem,
    }),
    ...replicaFailure(wanted, seen),
  ];
  const status: DeploymentStatus = {
    ...countField('observedGeneration', deployment.metadata.generation ?? 0),
    ...countField('replicas', replicas),
    ...countField('updatedReplicas', seen.updated ? replicas : 0),
    ...countField('readyReplicas', seen.ready ? 1 : 0),
    ...countField('availableReplicas', available),
    ...countField('unavailableReplicas', Math.max(wanted - available, seen.updated ? 0 : 1)),
    terminatingReplicas: 0,
    conditions: conditions.map((condition) => withTimes(condition, deployment.status?.conditions ?? [], now)),
  };
  return sameStatus(status, deployment.status) && deployment.status !== undefined ? deployment.status : status;
}

export const NOT_RUN_HERE = {
  reason: 'NotRunHere',
  message: 'No process is made for it: of all Deployments only those that an engine installs are run here.',
};

/**
 * The status of a Deployment that this runtime does not run. `now` in ms since the epoch. The reason of Progressing is the one for
 * which `kubectl rollout status` does not wait any longer.
 */
export function unmanagedStatus(deployment: Deployment, now: number): DeploymentStatus {
  const wanted = deployment.spec?.replicas ?? 1;
  const { message } = NOT_RUN_HERE;
  const lost: ConditionWithoutTimes[] = [
    { type: 'Available', status: 'False', ...NOT_RUN_HERE },
    { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message },
  ];
  const conditions =
    wanted > 0
      ? lost
      : [availability(true), progress(deployment, { complete: true, pod: '', late: false, lack: undefined })];
  return {
    ...countField('observedGeneration', deployment.metadata.generation ?? 0),
    ...countField('unavailableReplicas', wanted),
    terminatingReplicas: 0,
    conditions: conditions.map((condition) => withTimes(condition, deployment.status?.conditions ?? [], now)),
  };
}

/** Ms until the rollout will be late, for who wants to look again then; undefined when it is complete or late already. */
export function msUntilDeadline(deployment: Deployment, seen: Observation, now: number): number | undefined {
  const wanted = deployment.spec?.replicas ?? 1;
  const left = deadlineMs(deployment) - (now - seen.progressedAt);
  if (isRolledOut(deployment, seen)) return undefined;
  return left < 0 || (wanted === 1 && seen.available && seen.updated) || wanted === 0 ? undefined : left + 1;
}

/**
 * Whether the stored status says already that this very template was rolled out to its end. That stays true when its process ends or is
 * not ready for a while: a rollout begins with a change of the template, not with a crash.
 */
function isRolledOut(deployment: Deployment, { updated, pod }: Observation): boolean {
  const stored = deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
  const over = progress(deployment, { complete: true, pod, late: false, lack: undefined });
  return updated && stored?.reason === over.reason && stored.message === over.message;
}

type ConditionWithoutTimes = Omit<DeploymentCondition, 'lastUpdateTime' | 'lastTransitionTime'>;

function availability(met: boolean): ConditionWithoutTimes {
  const type = 'Available';
  if (met)
    return {
      type,
      status: 'True',
      reason: 'MinimumReplicasAvailable',
      message: 'Deployment has minimum availability.',
    };
  return {
    type,
    status: 'False',
    reason: 'MinimumReplicasUnavailable',
    message: 'Deployment does not have minimum availability.',
  };
}

interface Progress {
  readonly complete: boolean;
  readonly pod: string;
  readonly late: boolean;
  /** What a successor waits for. */
  readonly lack: Observation['problem'];
}

function progress(deployment: Deployment, { complete, pod, late, lack }: Progress): ConditionWithoutTimes {
  const type = 'Progressing';
  const what = pod === '' ? `Deployment "${deployment.metadata.name}"` : `Process "${pod}"`;
  if (complete)
    return { type, status: 'True', reason: 'NewReplicaSetAvailable', message: `${what} has successfully progressed.` };
  if (late)
    return { type, status: 'False', reason: 'ProgressDeadlineExceeded', message: `${what} has timed out progressing.` };
  if (lack !== undefined) return { type, status: 'True', ...lack };
  return { type, status: 'True', reason: 'ReplicaSetUpdated', message: `${what} is progressing.` };
}

function replicaFailure(wanted: number, { problem: trouble }: Observation): ConditionWithoutTimes[] {
  const type = 'ReplicaFailure';
  if (trouble !== undefined) return [{ type, status: 'True', ...trouble }];
  if (wanted <= 1) return [];
  const message = `${wanted} replicas are wanted; this runtime runs 1 process for each Deployment`;
  return [{ type, status: 'True', reason: 'OneProcessEach', message }];
}

/** How many replicas may be missing: maxUnavailable of a rolling update, a share being rounded down. */
function maxUnavailable(deployment: Deployment, wanted: number): number {
  if (deployment.spec?.strategy?.type === 'Recreate') return wanted;
  const most = deployment.spec?.strategy?.rollingUpdate?.maxUnavailable ?? '25%';
  if (typeof most === 'number') return most;
  const share = /^(\d+)%$/.exec(most);
  return share === null ? 0 : Math.floor((Number(share[1]) * wanted) / 100);
}

/**
 * Whether a process goes on while its successor cannot be started, as the last Pod of a rolling update would: not where the strategy
 * allows that none is there.
 */
export function keepsOldProcess(deployment: Deployment): boolean {
  const wanted = deployment.spec?.replicas ?? 1;
  return maxUnavailable(deployment, wanted) < wanted;
}

function deadlineMs(deployment: Deployment): number {
  return (deployment.spec?.progressDeadlineSeconds ?? DEADLINE_S) * 1000;
}

/** Zero is left out, as the API does. */
function countField(field: string, count: number): Record<string, number> {
  return count === 0 ? {} : { [field]: count };
}

function withTimes(
  condition: ConditionWithoutTimes,
  before: readonly DeploymentCondition[],
  now: number,
): DeploymentCondition {
  const old = before.find(({ type }) => type === condition.type);
  const time = `${new Date(now).toISOString().slice(0, 19)}Z`;
  if (old === undefined || old.status !== condition.status)
    return { ...condition, lastUpdateTime: time, lastTransitionTime: time };
  const same = old.reason === condition.reason && old.message === condition.message;
  return same ? old : { ...condition, lastUpdateTime: time, lastTransitionTime: old.lastTransitionTime };
}

function sameStatus(a: DeploymentStatus, b: DeploymentStatus | undefined): boolean {
  return b !== undefined && JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(status: DeploymentStatus): unknown {
  const { conditions = [], ...counts } = status;
  const byType = [...conditions].sort((a, b) => (a.type < b.type ? -1 : 1));
  const fields = byType.map((one) => [
    one.type,
    one.status,
    one.reason,
    one.message,
    one.lastUpdateTime,
    one.lastTransitionTime,
  ]);
  return [Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)), fields];
}
