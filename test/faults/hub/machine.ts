import type { UserInfo } from '@multicluster-engine/kube-apiserver';

import { asRecord, field, parseJson } from '../../../src/runtime/vocabulary/json.js';
import type { View } from './view.js';

/**
 * The machine of a managed cluster: a namespace of the server in this process stands for the cluster, and its annotation says
 * how the machine is. Since that is stored, a run that begins in the middle of a scenario finds it as it was.
 */
export interface Machine {
  /** Whether the agent runs. */
  readonly runs: boolean;
  /** Whether its network to the hub is cut. */
  readonly isCut: boolean;
  /** Whether the API server of the cluster says that it is not ready. */
  readonly isUnhealthy: boolean;
  /** Ms by which its wall time is ahead. */
  readonly aheadMs: number;
  /** How long each request about its Secret takes, ms. */
  readonly secretDelayMs: number;
}

/** As in the manifest. */
export const AGENT_ACCOUNT = 'multicluster-engine-agent';
export const MACHINE_ANNOTATION = 'example.com/machine';

const OFF: Machine = { runs: false, isCut: false, isUnhealthy: false, aheadMs: 0, secretDelayMs: 0 };

/** The namespace that stands for the cluster. */
export function namespaceOf(home: string): string {
  return `home-${home}`;
}

/** The ServiceAccount of the agent in its own cluster. */
export function userOf(home: string): UserInfo {
  const namespace = namespaceOf(home);
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { name: `system:serviceaccount:${namespace}:${AGENT_ACCOUNT}`, groups };
}

/** Of a namespace. */
export function readMachine(namespace: unknown): Machine {
  const text = field(field(field(namespace, 'metadata'), 'annotations'), MACHINE_ANNOTATION);
  return { ...OFF, ...(typeof text === 'string' ? asRecord(parseJson(text)) : {}) };
}

/** The cluster whose identity this is, by the name of its machine; undefined for none. */
export function homeWithId({ store }: View, clusterId: unknown): string | undefined {
  const found = store.list('namespaces', '').find(({ object }) => object.metadata.uid === clusterId);
  return found?.key.replace(/^home-/, '');
}
