import { Nodes } from '../api/resources.js';
import type { KubeClient } from '../kube/client.js';
import { isFailure } from '../runtime/errors.js';
import type { Clock, Timer } from '../runtime/clock.js';
import type { Logger } from '../runtime/logger.js';
import type { Node, Taint } from './workload.js';

export interface NodeOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly name: string;
  /** Shown as kubelet version by `kubectl get nodes`. */
  readonly version: string;
}

const FIELD_MANAGER = 'multicluster-engine-local';
/** As a kubelet that has nothing new to say. */
const HEARTBEAT_MS = 300_000;

/** The Node that stands for this machine: made when it is missing, Ready while this process lives. Its labels and taints are the user's. */
export class LocalNode {
  readonly #options: NodeOptions;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: NodeOptions) {
    this.#options = options;
  }

  /** Resolves when the Node is there and Ready. */
  async start(): Promise<void> {
    const { client, name } = this.#options;
    const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': process.platform, 'kubernetes.io/arch': process.arch === 'x64' ? 'amd64' : process.arch };
    try {
      await client.create(Nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } }, { fieldManager: FIELD_MANAGER });
    } catch (error) {
      if (!isFailure(error, 'AlreadyExists')) throw error;
    }
    await this.#beat(true);
    await this.#open();
  }

  /** Says that nothing runs here any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#write(false).catch(() => undefined);
  }

  /** Takes away the taint that every new Node gets until it is Ready, as the controller of nodes does in a cluster. */
  async #open(): Promise<void> {
    const { client, name } = this.#options;
    const node = await client.get<Node>(Nodes, { name });
    const taints = node?.spec?.taints ?? [];
    if (node === undefined || !taints.some(isNotReady)) return;
    await client.update(Nodes, { ...node, spec: { ...node.spec, taints: taints.filter((taint) => !isNotReady(taint)) } }, { fieldManager: FIELD_MANAGER });
  }

  async #beat(first: boolean): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await this.#write(true);
    } catch (error) {
      if (first) throw error;
      log.warn({ err: error }, 'the node could not be reported');
    }
    if (!this.#stopped) this.#timer = clock.after(HEARTBEAT_MS, () => void this.#beat(false));
  }

  async #write(ready: boolean): Promise<void> {
    const { client, clock, name, version } = this.#options;
    const node = await client.get<Node>(Nodes, { name });
    if (node === undefined) return;
    const time = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
    const condition = ready
      ? { type: 'Ready', status: 'True', reason: 'RuntimeReady', message: 'Deployments of the engine run as processes' }
      : { type: 'Ready', status: 'False', reason: 'RuntimeStopped', message: 'the local runtime was stopped' };
    const before = conditionsOf(node).find(({ type }) => type === 'Ready');
    const since = before?.status === condition.status ? before.lastTransitionTime : time;
    const status = {
      ...node.status,
      conditions: [{ ...condition, lastHeartbeatTime: time, lastTransitionTime: since ?? time }],
      nodeInfo: nodeInfo(version),
      addresses: [{ type: 'Hostname', address: name }, { type: 'InternalIP', address: '127.0.0.1' }],
    };
    await client.updateStatus(Nodes, { ...node, status }, { fieldManager: FIELD_MANAGER });
  }
}

function isNotReady(taint: Taint): boolean {
  return taint.key === 'node.kubernetes.io/not-ready';
}

interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

function conditionsOf(node: Node): readonly NodeCondition[] {
  const status: { readonly conditions?: readonly NodeCondition[] } = node.status ?? {};
  return status.conditions ?? [];
}

function nodeInfo(version: string): Record<string, string> {
  const unknown = { machineID: '', systemUUID: '', bootID: '', kernelVersion: '', osImage: '' };
  return {
    ...unknown,
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    operatingSystem: process.platform,
    containerRuntimeVersion: `node://${process.versions.node}`,
    kubeletVersion: version,
    kubeProxyVersion: '',
  };
}
