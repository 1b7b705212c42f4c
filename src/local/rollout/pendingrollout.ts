import type { Clock } from '../../runtime/clock.js';
import type { PendingEviction } from './eviction.js';
import type { Observation } from './rollout.js';
import { unschedulable } from './scheduling.js';
import { isRunnable, podName, templateKey } from './template.js';
import type { Deployment, Node, PodSpec } from '../workload.js';

export type Problem = NonNullable<Observation['problem']>;

/** Why a pod cannot come to the node. */
export function schedulingProblem(
  spec: PodSpec,
  node: Node | undefined,
  leave: PendingEviction | undefined,
): Problem | undefined {
  const why = unschedulable(spec, node);
  if (why !== undefined) return { reason: 'FailedScheduling', message: why };
  if (leave?.inMs === 0) return { reason: 'TaintEviction', message: leave.message };
  return isRunnable(spec) ? undefined : { reason: 'FailedCreate', message: 'the pod template has no container' };
}

/** What a pod lacks that is on the node, or could be: what `work` with its volumes and its account throws. */
export async function mountProblem(work: () => Promise<void>): Promise<Problem | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return { reason: 'FailedMount', message: error instanceof Error ? error.message : String(error) };
  }
}

/** Changed templates that cannot be started yet, while the process of the earlier one goes on; by key. */
export class PendingRollouts {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, { readonly template: string; readonly since: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes that the current template waits while the pod `old` goes on. `isNew`: it was not known so far. */
  wait(
    key: string,
    deployment: Deployment,
    { old, lack }: { readonly old: string; readonly lack: Problem },
  ): { readonly trouble: Problem; readonly isNew: boolean } {
    const template = templateKey(deployment);
    const isNew = this.#waiting.get(key)?.template !== template;
    if (isNew) this.#waiting.set(key, { template, since: this.#clock.now() });
    const message = `${podName(deployment)} cannot be started yet, ${old} goes on: ${lack.message}`;
    return { trouble: { reason: lack.reason, message }, isNew };
  }

  /** Since when one waits, in ms since the epoch; undefined while none does. */
  since(key: string): number | undefined {
    return this.#waiting.get(key)?.since;
  }

  forget(key: string): void {
    this.#waiting.delete(key);
  }
}
