import { randomBytes } from 'node:crypto';
import os from 'node:os';
import type { V1NodeSpec } from '@kubernetes/client-node';
import { EVENTS_FIELD_MANAGER, PART_OF_LABEL, PRODUCT } from '../../api/names.js';
import { timestamp, type KubeObject } from '../../runtime/vocabulary/meta.js';
import { sameJson } from '../../runtime/vocabulary/json.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { Deployments, Pods, Nodes } from '../../runtime/vocabulary/kinds.js';
import type { KubeClient } from '../../runtime/client/client.js';
import { createRecorder, type EventRecorder } from '../../runtime/events/recorder.js';
import type { Cache } from '../../runtime/cache/cache.js';
import { createCache } from '../../runtime/cache/reflector.js';
import { createController, type Controller } from '../../runtime/controller/controller.js';
import { systemRandom, whenAborted } from '../../runtime/clock.js';
import type { Runnable } from '../../runtime/process/lifecycle.js';
import type { Logger } from '../../runtime/logger.js';
import { DONE, type Pass, type Result } from '../../runtime/controller/result.js';
import {
  deploymentStatus,
  NOT_RUN_HERE,
  templateName,
  type Deployment,
  type Observation,
  type Problem,
} from './deployment.js';
import { removePod, startRun, type PodTools } from './pod.js';
import { podOf, podStatus, type PodObject, type PodStatus } from './podobject.js';
import { Replica } from './replica.js';

interface LocalRuntimeOptions extends PodTools {
  readonly log: Logger;
  /** Shown as version of the Node. */
  readonly version: string;
  /** Called with one line for each start, stop and failure. */
  readonly report: (line: string) => void;
}

/** The process of a Deployment, and its Pod. */
interface Running {
  /** {@link templateName} of the Deployment when the process was started. */
  readonly template: string;
  readonly replica: Replica;
  /** The Pod as it was read or written last. */
  pod: PodObject;
  /** The status of the Pod as it was written last. */
  status: PodStatus | undefined;
  /** Whether somebody else has deleted the Pod, so that the process has to be replaced. */
  isDeleted: boolean;
}

const NODE = 'local';
const WRITE = { fieldManager: 'multicluster-engine-local' };

/**
 * Runs Deployments of this product without kubelet, scheduler and Deployment controller: each as one child process with a token
 * of its ServiceAccount, on one Node, as one Pod, and with the status of its process. Of other Deployments it reports that they
 * are not run.
 *
 * Guarantees: at most one process per Deployment; a change of the pod template stops the process, and then starts one of the new
 * template; after `stop` none is left.
 */
export class LocalRuntime implements Runnable {
  readonly name = 'local-runtime';
  readonly #options: LocalRuntimeOptions;
  readonly #client: KubeClient;
  readonly #deployments: Cache<Deployment>;
  readonly #pods: Cache<PodObject>;
  readonly #controller: Controller;
  readonly #events: EventRecorder;
  readonly #running = new Map<string, Running>();

  constructor(options: LocalRuntimeOptions) {
    const { transport, client, clock, log } = options;
    const tools = { clock, random: systemRandom, log };
    this.#options = options;
    this.#client = client;
    const reporter = {
      controller: 'multicluster.platform.io/local-runtime',
      instance: NODE,
      fieldManager: EVENTS_FIELD_MANAGER,
    };
    this.#events = createRecorder(this.#client, reporter, tools);
    this.#deployments = createCache(transport, { type: Deployments }, tools);
    this.#pods = createCache(transport, { type: Pods, fieldSelector: `spec.nodeName=${NODE}` }, tools);
    this.#controller = createController({
      name: 'local-runtime',
      kind: 'Deployment',
      reconciler: { reconcile: (key, pass) => this.#reconcile(key, pass) },
      keys: () => [...this.#deployments.store.keys(), ...this.#running.keys()],
      workers: 4,
      ...tools,
    });
    this.#deployments.onChange(({ key }) => this.#controller.add(key));
    this.#pods.onChange(({ key: podKey, after }) => {
      for (const [key, running] of this.#running) {
        if (keyOf(running.pod.metadata) !== podKey) continue;
        if (after === undefined || after.metadata.deletionTimestamp !== undefined) running.isDeleted = true;
        else running.pod = after;
        this.#controller.add(key);
      }
    });
  }

  /** Resolves when the Node is Ready, and the caches have synced. Nothing of an earlier runtime is left then. */
  async start(signal?: AbortSignal): Promise<void> {
    const { clock, version } = this.#options;
    await removePod(this.#options);
    await ensureNode(this.#client, { name: NODE, version, time: timestamp(clock.now()), ...WRITE });
    const stale = await this.#client.list<KubeObject>(Pods, undefined, { fieldSelector: `spec.nodeName=${NODE}` });
    for (const pod of stale) await this.#deletePod(pod);
    this.#deployments.start();
    this.#pods.start();
    await Promise.all([this.#deployments.whenSynced(signal), this.#pods.whenSynced(signal)]);
    this.#controller.start();
  }

  /** Runs until `signal` fires; then stops all processes. Resolves with true. */
  async run(signal: AbortSignal): Promise<true> {
    await whenAborted(signal);
    await this.stop();
    return true;
  }

  async stop(): Promise<void> {
    await this.#controller.stop(0);
    // The next start deletes a Pod that is left.
    await Promise.allSettled([...this.#running.keys()].map((key) => this.#stopProcess(key)));
    await Promise.all([this.#deployments.stop(), this.#pods.stop()]);
    await this.#events.flush();
  }

  async #reconcile(key: string, { signal }: Pass): Promise<Result> {
    const deployment = this.#deployments.store.get(key);
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) {
      await this.#stopProcess(key);
      return DONE;
    }
    if (deployment.metadata.labels?.[PART_OF_LABEL] !== PRODUCT) return this.#reconcileForeign(key, deployment, signal);
    const problem = await this.#ensureProcess(key, deployment);
    const running = this.#running.get(key);
    if (running !== undefined) await this.#writePod(running, signal);
    const { ready, problem: own } = running?.replica.state ?? { ready: false };
    await this.#writeStatus(deployment, { started: running !== undefined, ready, problem: own ?? problem }, signal);
    return DONE;
  }

  /** Starts, replaces or stops the process; returns why none can run. */
  async #ensureProcess(key: string, deployment: Deployment): Promise<Problem | undefined> {
    const running = this.#running.get(key);
    const wanted = (deployment.spec?.replicas ?? 1) > 0;
    if (wanted && running?.template === templateName(deployment) && !running.isDeleted) return undefined;
    await this.#stopProcess(key, running?.isDeleted === true ? ': its Pod was deleted' : '');
    if (!wanted) return undefined;
    const template = templateName(deployment);
    const wantedPod = podOf(deployment, `${template}-${randomBytes(3).toString('hex')}`, NODE);
    if (wantedPod === undefined) return { reason: 'FailedCreate', message: 'the pod template has no container' };
    const pod = await this.#client.create(Pods, wantedPod, WRITE);
    const replica = new Replica({
      ...this.#options,
      pod,
      launch: (run) => startRun(this.#options, pod, run),
      onStateChange: () => this.#controller.add(key),
      event: (event) => this.#events.record({ regarding: { ...pod, apiVersion: 'v1', kind: Pods.kind }, ...event }),
    });
    this.#running.set(key, { template, replica, pod, status: undefined, isDeleted: false });
    return undefined;
  }

  /**
   * Resolves when the process has exited and its Pod is deleted. `why` ends the line that is reported. After an ApiError, another
   * call continues.
   */
  async #stopProcess(key: string, why = ''): Promise<void> {
    const running = this.#running.get(key);
    if (running === undefined) return;
    await running.replica.stop();
    await removePod(this.#options, running.pod);
    await this.#deletePod(running.pod);
    this.#running.delete(key);
    this.#options.report(`stopped ${running.pod.metadata.name}${why}`);
  }

  /** Deletes this Pod, and no later one of the same name. */
  async #deletePod({ metadata: { namespace = '', name, uid = '' } }: KubeObject): Promise<void> {
    const found = await this.#client.get<KubeObject>(Pods, { namespace, name });
    if (found === undefined || found.metadata.uid !== uid) return;
    const { resourceVersion = '' } = found.metadata;
    await this.#client.delete(
      Pods,
      { namespace, name },
      { preconditions: { uid, resourceVersion }, gracePeriodSeconds: 0 },
    );
  }

  async #writePod(running: Running, signal: AbortSignal): Promise<void> {
    const { pod, replica, status: before } = running;
    const status = podStatus(pod, { state: replica.state, before }, this.#options.clock.now());
    if (sameJson(status, before)) return;
    const written = await this.#client.updateStatus<PodObject>(Pods, { ...pod, status }, { ...WRITE, signal });
    Object.assign(running, { pod: written, status });
  }

  async #writeStatus(deployment: Deployment, observed: Observation, signal: AbortSignal): Promise<void> {
    const status = deploymentStatus(deployment, observed, this.#options.clock.now());
    if (status === deployment.status) return;
    await this.#client.updateStatus<Deployment>(Deployments, { ...deployment, status }, { ...WRITE, signal });
  }

  /**
   * A Deployment of another product gets the status that it is not run, unless somebody else has written a status for its
   * generation. If it was one of this product until now, its process still runs and is stopped.
   */
  async #reconcileForeign(key: string, deployment: Deployment, signal: AbortSignal): Promise<Result> {
    const { metadata, status } = deployment;
    const hasStatus = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
    // While a process runs here, the status is this runtime's own. It is therefore written before the process stops: if the write
    // fails, the next pass still finds the process.
    if (this.#running.has(key) || !hasStatus) await this.#reportNotRun(deployment, signal);
    await this.#stopProcess(key);
    return DONE;
  }

  async #reportNotRun(deployment: Deployment, signal: AbortSignal): Promise<void> {
    await this.#writeStatus(deployment, { started: false, ready: false, problem: NOT_RUN_HERE }, signal);
    const { reason, message: note } = NOT_RUN_HERE;
    const regarding = { ...deployment, apiVersion: 'apps/v1', kind: Deployments.kind };
    if (deployment.spec?.replicas !== 0)
      this.#events.record({ regarding, type: 'Warning', reason, action: 'Reconciling', note });
  }
}

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
async function ensureNode(client: KubeClient, { name, version, time, fieldManager }: NodeOptions): Promise<void> {
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
