import { keyOf } from '../../../src/runtime/vocabulary/names.js';
import { Deployments, Nodes } from '../../../src/runtime/vocabulary/kinds.js';
import type { KubeClient } from '../../../src/runtime/client/client.js';
import { unschedulable, type Node } from './scheduling.js';
import type { Deployment, DeploymentCondition, DeploymentStatus } from '../../../src/standalone/local/deployment.js';
import { delay, type Clock } from '../../../src/runtime/clock.js';

/** How long simulated pods take to be scheduled, started and ready. */
const START_MS = 500;
const SYNC_MS = 100;
const MANAGER = { fieldManager: 'rollouts' };
const NOT_READY = 'node.kubernetes.io/not-ready';

/** The simulated pods of a Deployment: when those of the newest template started, and how many ran before. */
interface Rollout {
  readonly asked: string;
  readonly since: number;
  readonly before: number;
}

/**
 * Stands in for scheduler, Deployment controller and kubelets on a server that has none, as kwok does for kubelets: each Node turns Ready,
 * and each Deployment's status counts pods that a Node could run. No pod exists; tests start the programs themselves.
 */
export class Rollouts {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #rollouts = new Map<string, Rollout>();

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Polls until `signal` fires; a step that fails is repeated at the next poll. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#sync().catch(() => undefined);
      await delay(this.#clock, SYNC_MS);
    }
  }

  async #sync(): Promise<void> {
    const nodes = await this.#client.list<Node>(Nodes, undefined);
    for (const node of nodes) await this.#open(node);
    const deployments = await this.#client.list<Deployment>(Deployments, undefined);
    const uids = new Set(deployments.map(({ metadata }) => metadata.uid ?? ''));
    for (const uid of this.#rollouts.keys()) if (!uids.has(uid)) this.#rollouts.delete(uid);
    for (const deployment of deployments) await this.#roll(deployment, nodes).catch(() => undefined);
  }

  /** Reports a Node Ready, and takes away the taint that keeps pods off until it is. */
  async #open(node: Node): Promise<void> {
    if (JSON.stringify(node.status ?? {}).includes('"KubeletReady"')) return;
    const time = `${new Date(this.#clock.now()).toISOString().slice(0, 19)}Z`;
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      message: 'make-believe',
      lastHeartbeatTime: time,
      lastTransitionTime: time,
    };
    const taints = (node.spec?.taints ?? []).filter(({ key }) => key !== NOT_READY);
    const opened = await this.#client.update<Node>(Nodes, { ...node, spec: { ...node.spec, taints } }, MANAGER);
    await this.#client.updateStatus<Node>(
      Nodes,
      { ...opened, status: { ...opened.status, conditions: [ready] } },
      MANAGER,
    );
  }

  async #roll(deployment: Deployment, nodes: readonly Node[]): Promise<void> {
    const { metadata, spec, status } = deployment;
    if (metadata.deletionTimestamp !== undefined) return;
    const uid = metadata.uid ?? keyOf(metadata);
    const asked = JSON.stringify([spec?.replicas, spec?.template]);
    let rollout = this.#rollouts.get(uid);
    if (rollout?.asked !== asked) {
      rollout = { asked, since: isDone(deployment) ? 0 : this.#clock.now(), before: status?.availableReplicas ?? 0 };
      this.#rollouts.set(uid, rollout);
    }
    const fits = nodes.some((node) => unschedulable(spec?.template?.spec ?? {}, node) === undefined);
    const done = fits && this.#clock.now() - rollout.since >= START_MS;
    const next = statusOf(deployment, { done, before: rollout.before, now: this.#clock.now() });
    if (JSON.stringify(essence(next)) === JSON.stringify(essence(status))) return;
    await this.#client.updateStatus<Deployment>(Deployments, { ...deployment, status: next }, MANAGER);
  }
}

/** Whether the status reports a rollout that ended before this process observed the Deployment. */
function isDone({ metadata, spec, status }: Deployment): boolean {
  const wanted = spec?.replicas ?? 1;
  return (
    status?.observedGeneration === metadata.generation &&
    status?.updatedReplicas === wanted &&
    status.availableReplicas === wanted
  );
}

/** As the Deployment controller with its default strategy: one new pod beside the old ones, which go when the new ones are ready. */
function statusOf(
  deployment: Deployment,
  { done, before, now }: { readonly done: boolean; readonly before: number; readonly now: number },
): DeploymentStatus {
  const wanted = deployment.spec?.replicas ?? 1;
  const old = done ? 0 : Math.min(before, wanted);
  const updated = done || old === 0 ? wanted : 1;
  const available = done ? wanted : old;
  const conditions = [
    condition(
      'Available',
      available >= wanted ? ['True', 'MinimumReplicasAvailable'] : ['False', 'MinimumReplicasUnavailable'],
    ),
    condition('Progressing', done ? ['True', 'NewReplicaSetAvailable'] : ['True', 'ReplicaSetUpdated']),
  ];
  const counts = {
    replicas: old + updated,
    updatedReplicas: updated,
    readyReplicas: available,
    availableReplicas: available,
    unavailableReplicas: old + updated - available,
  };
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    conditions: conditions.map((one) => dated(one, deployment.status?.conditions ?? [], now)),
  };
}

type Undated = Omit<DeploymentCondition, 'lastUpdateTime' | 'lastTransitionTime'>;

function condition(type: string, [status, reason]: readonly [Undated['status'], string]): Undated {
  return { type, status, reason, message: 'make-believe pods' };
}

function dated(one: Undated, before: readonly DeploymentCondition[], now: number): DeploymentCondition {
  const old = before.find(({ type }) => type === one.type);
  if (old?.status === one.status && old.reason === one.reason) return old;
  const time = `${new Date(now).toISOString().slice(0, 19)}Z`;
  return {
    ...one,
    lastUpdateTime: time,
    lastTransitionTime: old?.status === one.status ? old.lastTransitionTime : time,
  };
}

/** The fields of a status in a fixed order, to compare two of them. */
function essence(status: DeploymentStatus = {}): unknown {
  const { conditions = [], ...counts } = status;
  return [
    Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)),
    conditions.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`).sort(),
  ];
}
