import type { Clock } from '../runtime/clock.js';
import { Pod, type PodDeps } from './pod/pod.js';
import { Replica, type PodEvent } from './pod/replica.js';
import { podName, templateKey, type RunnableSpec } from './rollout/template.js';
import type { Deployment, PodSpec } from './workload.js';

/** The process of a Deployment, or the pending start of one. */
export interface Running {
  readonly deployment: string | undefined;
  readonly template: string;
  readonly spec: PodSpec;
  readonly pod: Pod;
  readonly replica: Replica;
  readonly since: number;
}

export interface ProcessesOptions {
  readonly deps: PodDeps;
  readonly clock: Clock;
  /** Called when the state of the process of a Deployment may have changed, with the key of the Deployment. */
  readonly onStateChange: (key: string) => void;
  readonly event: (key: string, event: PodEvent) => void;
  /** Called with one line for each start, stop and failure. */
  readonly report: (line: string) => void;
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
    return new Pod(this.#options.deps, { namespace, deployment: name, name: podName(deployment) }, spec);
  }

  start(key: string, deployment: Deployment, spec: RunnableSpec): void {
    const { clock, report, event, onStateChange } = this.#options;
    const pod = this.createPod(deployment, spec);
    const replica = new Replica({
      name: pod.identity.name,
      container: spec.containers[0],
      minReadyMs: (deployment.spec?.minReadySeconds ?? 0) * 1000,
      graceMs: (spec.terminationGracePeriodSeconds ?? 30) * 1000,
      launch: () => pod.launch(),
      terminationMessage: () => pod.terminationMessage(),
      clock,
      onStateChange: () => onStateChange(key),
      report,
      event: (one) => event(key, one),
    });
    this.#running.set(key, {
      deployment: deployment.metadata.uid,
      template: templateKey(deployment),
      spec,
      pod,
      replica,
      since: clock.now(),
    });
  }

  /** Resolves when the process has exited. `why` is reported. */
  async stop(key: string, why?: string): Promise<void> {
    const running = this.#running.get(key);
    if (running === undefined) return;
    await running.replica.stop();
    await running.pod.remove();
    this.#running.delete(key);
    this.#options.report(`stopped ${running.pod.identity.name}${why === undefined ? '' : `: ${why}`}`);
  }
}
