import type { V1Container, V1PodSpec } from '@kubernetes/client-node';
import { timestamp, type KubeObject } from '../../runtime/vocabulary/meta.js';
import { apiVersionOf, controllerReference, Deployments, Pods } from '../../runtime/vocabulary/kinds.js';
import type { Deployment, Problem } from './deployment.js';

const ADDRESS = '127.0.0.1';

/** The interface of V1PodSpec, which is a class. */
export interface PodSpec extends V1PodSpec {}

export interface PodObject extends KubeObject {
  /** The first container is run. */
  readonly spec: PodSpec & { readonly containers: [V1Container, ...V1Container[]] };
  readonly status?: PodStatus;
}

export interface PodStatus {
  readonly [field: string]: unknown;
  readonly conditions: readonly Readonly<Record<'type' | 'status' | 'lastTransitionTime', string>>[];
}

/** Times in ms since the epoch. */
interface RunState {
  readonly containerID: string;
  readonly startedAt: number;
}

interface EndedRun extends RunState {
  readonly finishedAt: number;
  /** 128 and the number of the signal, where one has ended it. */
  readonly exitCode: number;
  /** Its last line. */
  readonly message: string;
}

/** The state of the process of a Pod. */
export interface ReplicaState {
  /** How many runs there were. */
  readonly runs: number;
  readonly current: RunState | undefined;
  readonly last: EndedRun | undefined;
  readonly ready: boolean;
  readonly problem: Problem | undefined;
}

/** A Pod of a Deployment on a node; undefined where its template has no container. There is no ReplicaSet between them. */
export function podOf({ metadata, spec }: Deployment, name: string, nodeName: string): PodObject | undefined {
  const { labels = {}, annotations = {} } = spec?.template?.metadata ?? {};
  const template: PodSpec | undefined = spec?.template?.spec;
  const [container, ...others] = template?.containers ?? [];
  if (container === undefined) return undefined;
  const { namespace = '' } = metadata;
  const ownerReferences = [controllerReference({ metadata }, Deployments)];
  return {
    apiVersion: apiVersionOf(Pods),
    kind: Pods.kind,
    metadata: { name, namespace, labels, annotations, ownerReferences },
    spec: { ...template, containers: [container, ...others], nodeName },
  };
}

/**
 * The status of a Pod whose process has this state, as a kubelet writes it. `before`: the one that was written last, for the
 * times of its conditions. `now` in ms since the epoch.
 */
export function podStatus(
  {
    metadata,
    spec: {
      containers: [container],
    },
  }: PodObject,
  { state, before }: { readonly state: ReplicaState; readonly before: PodStatus | undefined },
  now: number,
): PodStatus {
  const { current, last, ready, runs } = state;
  const containerID = current?.containerID ?? last?.containerID;
  const conditions = Object.entries({ PodScheduled: true, Initialized: true, ContainersReady: ready, Ready: ready });
  return {
    phase: runs > 0 ? 'Running' : 'Pending',
    conditions: conditions.map(([type, is]) => {
      const status = is ? 'True' : 'False';
      const old = before?.conditions.find((one) => one.type === type && one.status === status);
      return old ?? { type, status, lastTransitionTime: timestamp(now) };
    }),
    hostIP: ADDRESS,
    hostIPs: [{ ip: ADDRESS }],
    podIP: ADDRESS,
    podIPs: [{ ip: ADDRESS }],
    startTime: metadata.creationTimestamp,
    containerStatuses: [
      {
        name: container.name,
        image: container.image ?? '',
        imageID: '',
        ...(containerID === undefined ? {} : { containerID }),
        restartCount: Math.max(runs - 1, 0),
        ready,
        started: current !== undefined,
        state: stateOf(state),
        lastState: last === undefined ? {} : { terminated: terminated(last) },
      },
    ],
  };
}

function stateOf({ current, problem }: ReplicaState): object {
  if (current !== undefined) return { running: { startedAt: timestamp(current.startedAt) } };
  if (problem === undefined) return { waiting: { reason: 'ContainerCreating' } };
  const reason = problem.reason === 'FailedCreate' ? 'CreateContainerConfigError' : problem.reason;
  return { waiting: { reason, message: problem.message } };
}

function terminated({ startedAt, finishedAt, ...ended }: EndedRun): object {
  const reason = ended.exitCode === 0 ? 'Completed' : 'Error';
  return { ...ended, reason, startedAt: timestamp(startedAt), finishedAt: timestamp(finishedAt) };
}
