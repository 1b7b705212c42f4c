import { timestamp } from '../../../runtime/vocabulary/meta.js';
import type { ContainerRuns, EndedRun } from './containerruns.js';
import type { ReplicaState } from './replica.js';
import type { PodContainer } from '../workload.js';

export interface PodObservation {
  readonly container: PodContainer;
  readonly runs: Pick<ContainerRuns, 'current' | 'last' | 'restartCount'>;
  readonly state: Pick<ReplicaState, 'ready' | 'problem'>;
  /** When the pod was created, in ms since the epoch. */
  readonly createdAt: number;
}

/** The status of a Pod, as a kubelet writes it. */
export interface PodStatus {
  readonly phase: string;
  readonly conditions: readonly PodCondition[];
  readonly [field: string]: unknown;
}

interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  /** RFC 3339, seconds. */
  readonly lastTransitionTime: string;
}

const ADDRESS = '127.0.0.1';

/** @param before the last status, for the times of its conditions. `now` in ms since the epoch. */
export function podStatus(observed: PodObservation, before: PodStatus | undefined, now: number): PodStatus {
  const { container, runs, state, createdAt } = observed;
  const hasRun = runs.current !== undefined || runs.last !== undefined;
  const ready = runs.current !== undefined && state.ready;
  const containerID = runs.current?.containerID ?? runs.last?.containerID;
  const unready = { reason: 'ContainersNotReady', message: `containers with unready status: [${container.name}]` };
  const conditions = [
    { type: 'PodReadyToStartContainers', status: 'True' },
    { type: 'Initialized', status: 'True' },
    { type: 'Ready', ...(ready ? { status: 'True' } : { status: 'False', ...unready }) },
    { type: 'ContainersReady', ...(ready ? { status: 'True' } : { status: 'False', ...unready }) },
    { type: 'PodScheduled', status: 'True' },
  ];
  return {
    phase: hasRun ? 'Running' : 'Pending',
    conditions: conditions.map((condition) => ({
      ...condition,
      lastTransitionTime: transitionTime(condition, before) ?? timestamp(now),
    })),
    hostIP: ADDRESS,
    hostIPs: [{ ip: ADDRESS }],
    podIP: ADDRESS,
    podIPs: [{ ip: ADDRESS }],
    startTime: timestamp(createdAt),
    containerStatuses: [
      {
        name: container.name,
        image: container.image ?? '',
        imageID: '',
        ...(containerID === undefined ? {} : { containerID }),
        restartCount: runs.restartCount,
        ready,
        started: runs.current !== undefined,
        state: stateOf(observed),
        lastState: runs.last === undefined ? {} : { terminated: terminatedState(runs.last) },
      },
    ],
  };
}

function transitionTime(
  { type, status }: { readonly type: string; readonly status: string },
  before: PodStatus | undefined,
): string | undefined {
  return before?.conditions.find((one) => one.type === type && one.status === status)?.lastTransitionTime;
}

function stateOf({ runs, state: { problem } }: PodObservation): object {
  if (runs.current !== undefined) return { running: { startedAt: timestamp(runs.current.startedAt) } };
  if (problem === undefined)
    return { waiting: { reason: runs.last === undefined ? 'ContainerCreating' : 'CrashLoopBackOff' } };
  const reason = problem.reason === 'FailedCreate' ? 'CreateContainerConfigError' : problem.reason;
  return { waiting: { reason, message: problem.message } };
}

function terminatedState({ exitCode, containerID, startedAt, finishedAt, message }: EndedRun): object {
  return {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    ...(message === '' ? {} : { message }),
    startedAt: timestamp(startedAt),
    finishedAt: timestamp(finishedAt),
    containerID,
  };
}
