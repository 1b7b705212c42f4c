import { createHash, randomInt } from 'node:crypto';
import type { Clock } from '../../../runtime/clock.js';
import { errorText } from '../../../runtime/errors.js';
import { unschedulable, type PendingEviction } from './scheduling.js';
import type { Observation } from './rollout.js';
import type { Deployment, Node, PodSpec, PodContainer } from '../workload.js';

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

export type RunnableSpec = PodSpec & { readonly containers: readonly [PodContainer, ...PodContainer[]] };

export function isRunnable(spec: PodSpec): spec is RunnableSpec {
  return (spec.containers ?? []).length > 0;
}

/** Equal for two pods of the same Deployment (by uid) and pod template. */
export function templateKey(deployment: Deployment): string {
  return JSON.stringify([deployment.metadata.uid, deployment.spec?.template]);
}

/** Name of the ReplicaSet of the current template: `NAME-` and ten hexadecimal digits. */
export function replicaSetName(deployment: Deployment): string {
  const hash = createHash('sha256').update(templateKey(deployment)).digest('hex').slice(0, 10);
  return `${deployment.metadata.name}-${hash}`;
}

/** Name of a new pod of a ReplicaSet: its name and five characters. */
export function newPodName(replicaSet: string): string {
  const suffix = Array.from({ length: 5 }, () => SAFE.charAt(randomInt(SAFE.length))).join('');
  return `${replicaSet}-${suffix}`;
}

/** The alphabet of generated names. */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';

/** When the rollout last progressed by the stored condition Progressing; undefined when there is none. */
export function lastProgressAt(deployment: Deployment): number | undefined {
  const found = deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
  const time = found === undefined ? NaN : Date.parse(found.lastUpdateTime);
  return Number.isNaN(time) ? undefined : time;
}
