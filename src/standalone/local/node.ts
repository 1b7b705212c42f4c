import os from 'node:os';

import type { V1NodeSpec } from '@kubernetes/client-node';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { Nodes } from '../../runtime/vocabulary/kinds.js';
import type { KubeClient } from '../../runtime/client/client.js';

interface NodeOptions {
  readonly name: string;
  /** Shown as kubelet version by `kubectl get nodes`. */
  readonly version: string;
  /** Now, RFC 3339. */
  readonly time: string;
  readonly fieldManager: string;
}

interface Node extends KubeObject {
  readonly spec?: Pick<V1NodeSpec, 'taints'>;
  readonly status?: object;
}

/**
 * Creates the Node that represents this machine where it is missing, with the labels of a kubelet, and makes it Ready. Nothing is
 * scheduled here: what a template says of nodes is not compared with it. Errors: ApiError.
 */
export async function ensureNode(
  client: KubeClient,
  { name, version, time, fieldManager }: NodeOptions,
): Promise<void> {
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': process.platform, 'kubernetes.io/arch': ARCH };
  const fresh: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } };
  const found =
    (await client.get<Node>(Nodes, { name })) ?? (await client.create<Node>(Nodes, fresh, { fieldManager }));
  const status = statusOf(name, version, time);
  const node = await client.updateStatus<Node>(Nodes, { ...found, status }, { fieldManager });
  const taints = node.spec?.taints?.filter(({ key }) => key !== 'node.kubernetes.io/not-ready');
  if (taints?.length !== node.spec?.taints?.length)
    await client.update<Node>(Nodes, { ...node, spec: { ...node.spec, taints: taints ?? [] } }, { fieldManager });
}

/** The architecture, with its name in Kubernetes. */
const ARCH = process.arch === 'x64' ? 'amd64' : process.arch;

function statusOf(name: string, version: string, time: string): object {
  // The CPUs that this process may use, and the machine's memory.
  const resources = { cpu: String(os.availableParallelism()), memory: `${Math.floor(os.totalmem() / 1024)}Ki` };
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'RuntimeReady',
    message: 'Deployments of the engine run as processes',
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  };
  return {
    conditions: [ready],
    capacity: resources,
    allocatable: resources,
    addresses: [
      { type: 'Hostname', address: name },
      { type: 'InternalIP', address: '127.0.0.1' },
    ],
    nodeInfo: {
      kernelVersion: os.release(),
      osImage: `${os.type()} ${os.release()}`,
      architecture: ARCH,
      operatingSystem: process.platform,
      containerRuntimeVersion: `node://${process.versions.node}`,
      kubeletVersion: version,
    },
  };
}
