import type { Clock } from '../../../runtime/clock.js';
import { errorText } from '../../../runtime/errors.js';
import type { PendingEviction } from './eviction.js';
import type { Observation } from './rollout.js';
import { unschedulable } from './scheduling.js';
import { isRunnable, replicaSetName, templateKey } from './template.js';
import type { Deployment, Node, PodSpec } from '../workload.js';

export type Problem = NonNullable<Observation['problem']>;

/** Why a pod cannot be placed on the node; undefined when it can. */
export function schedulingProblem(
  spec: PodSpec,
  node: Node | undefined,
  eviction: PendingEviction | undefined,
): Problem | undefined {
  const why = unschedulable(spec, node);
  if (why !== undefined) return { reason: 'FailedScheduling', message: why };
  if (eviction?.inMs === 0) return { reason: 'TaintEviction', message: eviction.message };
  return isRunnable(spec) ? undefined : { reason: 'FailedCreate', message: 'the pod template has no container' };
}

/** The error of `work`, which uses volumes and ServiceAccount of a pod, as a problem; undefined when it succeeds. */
export async function mountProblem(work: () => Promise<void>): Promise<Problem | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return { reason: 'FailedMount', message: errorText(error) };
  }
}

/** New templates that cannot be started yet while the process of the old one keeps running; by Deployment key. */
export class PendingRollouts {
  readonly #clock: Clock;
  readonly #pending = new Map<string, { readonly template: string; readonly since: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that the current template is pending while the pod `old` keeps running. `isNew`: it was not before. */
  add(
    key: string,
    deployment: Deployment,
    { old, cause }: { readonly old: string; readonly cause: Problem },
  ): { readonly problem: Problem; readonly isNew: boolean } {
    const template = templateKey(deployment);
    const isNew = this.#pending.get(key)?.template !== template;
    if (isNew) this.#pending.set(key, { template, since: this.#clock.now() });
    const message = `${replicaSetName(deployment)} cannot be started yet, ${old} keeps running: ${cause.message}`;
    return { problem: { reason: cause.reason, message }, isNew };
  }

  /** Since when the template is pending, in ms since the epoch; undefined when it is not. */
  since(key: string): number | undefined {
    return this.#pending.get(key)?.since;
  }

  forget(key: string): void {
    this.#pending.delete(key);
  }
}
