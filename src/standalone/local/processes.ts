import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import type { Clock } from '../../runtime/clock.js';
import { Pod, type PodDeps } from './pod/pod.js';
import { Replica } from './pod/replica.js';
import { PodObject, type PodObjectDeps } from './pod/podobject.js';
import { newPodName, replicaSetName, templateKey, type RunnableSpec } from './rollout/pendingrollout.js';
import type { Deployment } from './workload.js';

/** The process of a Deployment, or the pending start of one. */
export interface Running {
  readonly deploymentUid: string | undefined;
  /** {@link templateKey} of the Deployment when the process was started. */
  readonly templateKey: string;
  readonly spec: RunnableSpec;
  readonly pod: Pod;
  readonly object: PodObject;
  readonly replica: Replica;
  /** Ms since the epoch. */
  readonly createdAt: number;
}

interface ProcessesOptions {
  readonly podDeps: PodDeps;
  readonly podObjectDeps: PodObjectDeps;
  readonly clock: Clock;
  /** Called when the state of the process of a Deployment may have changed, with the key of the Deployment. */
  readonly onStateChange: (key: string) => void;
  /** Called with one line for each start, stop and failure. */
  readonly report: (line: string) => void;
}

export interface StopOptions {
  readonly why?: string | undefined;
  /** Whether another Pod of the same ReplicaSet follows. */
  readonly keepReplicaSet?: boolean;
}

/** The processes that run, by key of their Deployment: at most one each. */
export class Processes {
  readonly #options: ProcessesOptions;
  readonly #running = new Map<string, Running>();

  constructor(options: ProcessesOptions) {
    this.#options = options;
  }

  get(key: string): Running | undefined {
    return this.#running.get(key);
  }

  keys(): readonly string[] {
    return [...this.#running.keys()];
  }

  createPod(deployment: Deployment, spec: RunnableSpec): Pod {
    const { namespace = '', name } = deployment.metadata;
    const identity = { namespace, deployment: name, name: newPodName(replicaSetName(deployment)) };
    return new Pod(this.#options.podDeps, identity, spec);
  }

  start(key: string, deployment: Deployment, spec: RunnableSpec): void {
    const { clock, report, podObjectDeps, onStateChange } = this.#options;
    const pod = this.createPod(deployment, spec);
    const { namespace, name } = pod.identity;
    const object = new PodObject(podObjectDeps, { namespace, replicaSet: replicaSetName(deployment), name });
    const replica = new Replica({
      name: pod.identity.name,
      container: spec.containers[0],
      minReadyMs: (deployment.spec?.minReadySeconds ?? 0) * 1000,
      graceMs: (spec.terminationGracePeriodSeconds ?? 30) * 1000,
      launch: (containerID) => pod.launch(containerID),
      terminationMessage: () => pod.terminationMessage(),
      clock,
      onStateChange: () => onStateChange(key),
      report,
      event: (event) => object.record(event),
    });
    this.#running.set(key, {
      deploymentUid: deployment.metadata.uid,
      templateKey: templateKey(deployment),
      spec,
      pod,
      object,
      replica,
      createdAt: clock.now(),
    });
  }

  /** Passes a Pod of a watch event to its process; returns the key of the Deployment, undefined for other Pods. */
  observePod(podKey: string, pod: KubeObject | undefined): string | undefined {
    for (const [key, { object }] of this.#running) {
      if (keyOf(object.name) !== podKey) continue;
      object.observe(pod);
      return key;
    }
    return undefined;
  }

  /** Writes the Pod of a process, where it has changed. Errors: ApiError. */
  async syncPod(key: string, deployment: Deployment, signal: AbortSignal): Promise<void> {
    const running = this.#running.get(key);
    // While a rollout is pending, the Deployment has the template of another Pod.
    if (running === undefined || (running.templateKey !== templateKey(deployment) && !running.object.exists)) return;
    const { object, replica, spec, createdAt } = running;
    const { runs, state } = replica;
    await object.sync(deployment, { container: spec.containers[0], runs, state, createdAt }, signal);
  }

  /**
   * Stops the process and removes its Pod. Resolves when the process has exited. `why` is reported. Errors: ApiError,
   * where the process has exited and its Pod is left: a second call removes it.
   */
  async stop(key: string, { why, keepReplicaSet = false }: StopOptions = {}): Promise<void> {
    const running = this.#running.get(key);
    if (running === undefined) return;
    // The Pod is only shown as Terminating: a failure does not keep the process.
    await running.object.terminate().catch(() => undefined);
    await running.replica.stop();
    await running.pod.remove();
    await running.object.remove(keepReplicaSet);
    this.#running.delete(key);
    this.#options.report(`stopped ${running.pod.identity.name}${why === undefined ? '' : `: ${why}`}`);
  }
}
