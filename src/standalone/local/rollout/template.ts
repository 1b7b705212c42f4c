import { createHash, randomInt } from 'node:crypto';

import type { Deployment, PodContainer, PodSpec } from '../workload.js';

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
