import type { V1NodeSpec, V1PodSpec, V1Taint, V1Toleration } from '@kubernetes/client-node';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';

/** A Node, with the fields that decide which pods may run there. */
export interface Node extends KubeObject {
  readonly spec?: Pick<V1NodeSpec, 'taints' | 'unschedulable'>;
  readonly status?: object;
}

/** What of a pod template decides where it runs. */
export type Placed = Pick<V1PodSpec, 'nodeSelector' | 'tolerations'>;

/**
 * Why a pod cannot run on the one node, with the message of kube-scheduler; undefined when it can. Compares the node
 * selector and the tolerations with the node's labels, its taints and `unschedulable`.
 */
export function unschedulable(pod: Placed, node: Node | undefined): string | undefined {
  if (node === undefined) return 'no nodes available to schedule pods';
  const reason = nodeMismatch(pod, node);
  return reason === undefined ? undefined : `0/1 nodes are available: 1 node(s) ${reason}.`;
}

function nodeMismatch({ tolerations = [], nodeSelector = {} }: Placed, node: Node): string | undefined {
  const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  if (node.spec?.unschedulable === true && !tolerates(tolerations, cordon)) return 'were unschedulable';
  const labels = new Map(Object.entries(node.metadata.labels ?? {}));
  if (Object.entries(nodeSelector).some(([key, value]) => labels.get(key) !== value))
    return "didn't match Pod's node affinity/selector";
  const taint = untolerated(tolerations, node, ['NoSchedule', 'NoExecute']);
  return taint === undefined ? undefined : `had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
}

function untolerated(given: readonly V1Toleration[], node: Node, effects: readonly string[]): V1Taint | undefined {
  return node.spec?.taints?.find((taint) => effects.includes(taint.effect) && !tolerates(given, taint));
}

/** By the rule of the API: an empty key with Exists tolerates every taint, an empty effect matches every effect. */
function tolerates(tolerations: readonly V1Toleration[], taint: V1Taint): boolean {
  return tolerations.some(({ key = '', operator = 'Equal', value = '', effect = '' }) => {
    if (effect !== '' && effect !== taint.effect) return false;
    if (key === '' ? operator !== 'Exists' : key !== taint.key) return false;
    return operator === 'Exists' || value === (taint.value ?? '');
  });
}
