import { createHash } from 'node:crypto';

import type { V1DeploymentSpec, V1DeploymentStatus } from '@kubernetes/client-node';
import { sameJson } from '../../runtime/vocabulary/json.js';
import { timestamp, type ConditionStatus, type KubeObject } from '../../runtime/vocabulary/meta.js';
import { timedCondition } from '../../domain/conditions.js';

export interface Deployment extends KubeObject {
  readonly spec?: Partial<V1DeploymentSpec>;
  readonly status?: DeploymentStatus;
}
export interface DeploymentStatus extends Omit<V1DeploymentStatus, 'conditions'> {
  readonly conditions?: readonly DeploymentCondition[];
}

/** Why a process does not run or is not ready, as reason and message of a condition. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
}

interface Undated extends Problem {
  readonly type: string;
  readonly status: ConditionStatus;
}

/** Times are RFC 3339. */
export interface DeploymentCondition extends Undated {
  readonly lastUpdateTime: string;
  readonly lastTransitionTime: string;
}

/** What is observed of the process of a Deployment. */
export interface Observation {
  /** There is a Pod of the current template. */
  readonly started: boolean;
  readonly ready: boolean;
  readonly problem: Problem | undefined;
}

/** The problem of a Deployment that this runtime does not run. */
export const NOT_RUN_HERE: Problem = {
  reason: 'NotRunHere',
  message: 'The local runtime does not run this Deployment: it runs only those of multicluster-engine.',
};

/** Equal for Pods of the same Deployment (by uid) and pod template: its name, and ten hexadecimal digits. */
export function templateName({ metadata: { name, uid }, spec }: Deployment): string {
  const text = JSON.stringify([uid, spec?.template]);
  return `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 10)}`;
}

/**
 * The status of a Deployment, as the Deployment controller would write it: with one process, however many replicas are wanted.
 * Returns the stored status itself when nothing has changed. `now` in ms since the epoch.
 */
export function deploymentStatus(deployment: Deployment, observed: Observation, now: number): DeploymentStatus {
  const { metadata, spec, status: stored } = deployment;
  const [replicas, ready] = [Number(observed.started), Number(observed.ready)];
  const counts = {
    observedGeneration: metadata.generation ?? 0,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max((spec?.replicas ?? 1) - ready, 0),
  };
  const conditions = conditionsOf(deployment, observed);
  const status: DeploymentStatus = {
    // The API server leaves out what is 0.
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)),
    terminatingReplicas: 0,
    conditions: conditions.map((one) => {
      const before = stored?.conditions?.find(({ type }) => type === one.type);
      return timedCondition(one, before, timestamp(now));
    }),
  };
  return stored !== undefined && sameJson(sorted(status), sorted(stored)) ? stored : status;
}

function conditionsOf(deployment: Deployment, { ready, problem }: Observation): readonly Undated[] {
  const wanted = deployment.spec?.replicas ?? 1;
  const isForeign = problem === NOT_RUN_HERE && wanted > 0;
  const met = Number(ready) >= wanted;
  const available = {
    type: 'Available',
    status: met ? ('True' as const) : ('False' as const),
    reason: `MinimumReplicas${met ? 'Available' : 'Unavailable'}`,
    message: `Deployment ${met ? 'has' : 'does not have'} minimum availability.`,
    ...(isForeign ? NOT_RUN_HERE : {}),
  };
  // At this reason `kubectl rollout status` stops waiting.
  const progressing = isForeign
    ? { type: 'Progressing', status: 'False' as const, ...NOT_RUN_HERE, reason: 'ProgressDeadlineExceeded' }
    : progress(deployment, met);
  const failure = problem === NOT_RUN_HERE ? undefined : (problem ?? (wanted > 1 ? oneProcess(wanted) : undefined));
  return [
    available,
    progressing,
    ...(failure ? [{ type: 'ReplicaFailure', status: 'True' as const, ...failure }] : []),
  ];
}

/**
 * A template that was rolled out stays so when its process exits or is not ready for a while: a rollout begins with a change
 * of the template, not with a crash.
 */
function progress(deployment: Deployment, met: boolean): Undated {
  const process = `Process "${templateName(deployment)}"`;
  const complete = `${process} has successfully progressed.`;
  const [type, status] = ['Progressing', 'True'] as const;
  if (met || deployment.status?.conditions?.some(({ message }) => message === complete) === true)
    return { type, status, reason: 'NewReplicaSetAvailable', message: complete };
  return { type, status, reason: 'ReplicaSetUpdated', message: `${process} is progressing.` };
}

function oneProcess(wanted: number): Problem {
  const message = `${wanted} replicas are wanted; this runtime runs 1 process for each Deployment`;
  return { reason: 'OneProcessEach', message };
}

function sorted({ conditions = [], ...counts }: DeploymentStatus): DeploymentStatus {
  return { ...counts, conditions: [...conditions].sort((a, b) => (a.type < b.type ? -1 : 1)) };
}
