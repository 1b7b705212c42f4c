import { timestamp } from '../../runtime/vocabulary/meta.js';
import { Nodes, Leases, apiVersionOf } from '../../runtime/vocabulary/kinds.js';
import type { KubeClient, WriteOptions } from '../../runtime/client/client.js';
import type { Cache, CacheOptions } from '../../runtime/cache/cache.js';
import { systemRandom, type Clock } from '../../runtime/clock.js';
import { createController, type Controller } from '../../runtime/controller/controller.js';
import { isFailure } from '../../runtime/errors.js';
import type { Logger } from '../../runtime/logger.js';
import type { Result } from '../../runtime/controller/result.js';
import { architecture, capacity, nodeInfo } from './machine.js';
import type { Node, Taint } from './workload.js';
import { microTime, type Lease } from '../../runtime/leaderelection/leaserecord.js';

interface NodeOptions {
  readonly client: KubeClient;
  readonly openCache: (options: CacheOptions<Node>) => Cache<Node>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly name: string;
  /** Shown as kubelet version by `kubectl get nodes`. */
  readonly version: string;
}

const FIELD_MANAGER = 'multicluster-engine-local';

/**
 * The Node that represents this machine, with its Lease. It is created whenever it is missing. While this process runs,
 * it is Ready, has the labels of a kubelet, and has no taint not-ready. All other labels and taints are the user's.
 */
export class LocalNode {
  readonly #options: NodeOptions;
  readonly #cache: Cache<Node>;
  readonly #controller: Controller;
  /** When the next heartbeat is due, on the monotonic clock. */
  #heartbeatAt = 0;

  constructor(options: NodeOptions) {
    const { openCache, clock, log, name } = options;
    this.#options = options;
    this.#cache = openCache({ type: Nodes, fieldSelector: `metadata.name=${name}` });
    this.#controller = createController({
      name: 'local-node',
      kind: 'Node',
      reconciler: { reconcile: (_key, { signal }) => this.#reconcile(signal) },
      keys: () => [name],
      clock,
      random: systemRandom,
      log,
    });
    this.#cache.onChange(() => this.#controller.add(name));
  }

  /** Resolves when the Node exists and is Ready. */
  async start(): Promise<void> {
    await this.#reconcile();
    this.#cache.start();
    this.#controller.start();
  }

  /** Sets Ready to False. */
  async stop(): Promise<void> {
    await this.#controller.stop(0);
    await this.#cache.stop();
    await this.#reportStopped().catch(() => undefined);
  }

  async #reconcile(signal?: AbortSignal): Promise<Result> {
    const { client, clock } = this.#options;
    const write = { fieldManager: FIELD_MANAGER, ...(signal === undefined ? {} : { signal }) };
    const found = await this.#getOrCreate();
    const due = readyOf(found)?.status !== 'True' || clock.monotonic() >= this.#heartbeatAt;
    const ready = due
      ? await client.updateStatus(Nodes, { ...found, status: this.#status(found, READY) }, write)
      : found;
    if (due) await this.#heartbeat(ready, write);
    const updated = schedulable(ready, this.#labels());
    if (updated !== ready) await client.update(Nodes, updated, write);
    return { ending: 'done', requeueAfterMs: Math.max(this.#heartbeatAt - clock.monotonic(), 0) };
  }

  async #heartbeat(node: Node, write: WriteOptions): Promise<void> {
    const { client, clock, log } = this.#options;
    this.#heartbeatAt = clock.monotonic() + HEARTBEAT_MS;
    try {
      await renewNodeLease(client, node, clock.now(), write);
    } catch (error) {
      // Nothing in this program depends on the Lease.
      log.warn({ err: error }, 'the Lease of the Node could not be renewed');
    }
  }

  async #getOrCreate(): Promise<Node> {
    const { client, name } = this.#options;
    const found = await client.get<Node>(Nodes, { name });
    if (found !== undefined) return found;
    const fresh: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: this.#labels() } };
    try {
      return await client.create<Node>(Nodes, fresh, { fieldManager: FIELD_MANAGER });
    } catch (error) {
      const created = isFailure(error, 'AlreadyExists') ? await client.get<Node>(Nodes, { name }) : undefined;
      if (created === undefined) throw error;
      return created;
    }
  }

  async #reportStopped(): Promise<void> {
    const { client, name } = this.#options;
    const node = await client.get<Node>(Nodes, { name });
    if (node === undefined) return;
    const stopped = { ...node, status: this.#status(node, STOPPED) };
    await client.updateStatus(Nodes, stopped, { fieldManager: FIELD_MANAGER });
  }

  #labels(): Readonly<Record<string, string>> {
    return {
      'kubernetes.io/hostname': this.#options.name,
      'kubernetes.io/os': process.platform,
      'kubernetes.io/arch': architecture(),
    };
  }

  #status(node: Node, condition: Omit<NodeCondition, 'lastTransitionTime'>): object {
    const { clock, name, version } = this.#options;
    const time = timestamp(clock.now());
    const before = readyOf(node);
    const since = before?.status === condition.status ? before.lastTransitionTime : time;
    return {
      ...node.status,
      conditions: [{ ...condition, lastHeartbeatTime: time, lastTransitionTime: since ?? time }],
      capacity: capacity(),
      allocatable: capacity(),
      nodeInfo: nodeInfo(version),
      addresses: [
        { type: 'Hostname', address: name },
        { type: 'InternalIP', address: '127.0.0.1' },
      ],
    };
  }
}

const READY = {
  type: 'Ready',
  status: 'True',
  reason: 'RuntimeReady',
  message: 'Deployments of the engine run as processes',
};
const STOPPED = { type: 'Ready', status: 'False', reason: 'RuntimeStopped', message: 'the local runtime was stopped' };

/** The Node with its own labels and without the taint not-ready; the same object when nothing changes. */
function schedulable(node: Node, own: Readonly<Record<string, string>>): Node {
  const { labels = {} } = node.metadata;
  const taints = node.spec?.taints ?? [];
  const labelled = Object.entries(own).every(([label, value]) => labels[label] === value);
  if (labelled && !taints.some(isNotReady)) return node;
  return {
    ...node,
    metadata: { ...node.metadata, labels: { ...labels, ...own } },
    spec: { ...node.spec, taints: taints.filter((taint) => !isNotReady(taint)) },
  };
}

function readyOf(node: Node): NodeCondition | undefined {
  const status: { readonly conditions?: readonly NodeCondition[] } = node.status ?? {};
  return status.conditions?.find(({ type }) => type === 'Ready');
}

function isNotReady(taint: Taint): boolean {
  return taint.key === 'node.kubernetes.io/not-ready';
}

interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

/** The namespace of the Leases of Nodes. */
const NAMESPACE = 'kube-node-lease';

/** As a kubelet whose status does not change (nodeStatusReportFrequency). */
const HEARTBEAT_MS = 300_000;
/** The Node counts as lost when the Lease is not renewed for so long: four heartbeats, as a kubelet. */
const LEASE_SECONDS = (4 * HEARTBEAT_MS) / 1000;

/**
 * Creates or renews the Lease that is the heartbeat of a Node. The Node owns it, so it is deleted with the Node.
 * `now`: ms since the epoch. Errors: ApiError.
 */
async function renewNodeLease(client: KubeClient, node: Node, now: number, write: WriteOptions): Promise<void> {
  const { name, uid = '' } = node.metadata;
  const owner = { apiVersion: 'v1', kind: Nodes.kind, name, uid };
  const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime: microTime(now) };
  const found = await client.get<Lease>(Leases, { namespace: NAMESPACE, name });
  if (found !== undefined) {
    const metadata = { ...found.metadata, ownerReferences: [owner] };
    await client.update<Lease>(Leases, { ...found, metadata, spec: { ...found.spec, ...spec } }, write);
    return;
  }
  const metadata = { name, namespace: NAMESPACE, ownerReferences: [owner] };
  await client.create<Lease>(Leases, { apiVersion: apiVersionOf(Leases), kind: Leases.kind, metadata, spec }, write);
}
