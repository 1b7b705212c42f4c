import type { Node, PodSpec, Taint, Toleration } from './workload.js';

const KEEPS_OUT: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);

/**
 * Why a pod cannot run on the one node, in the words of kube-scheduler; undefined when it can. Looked at are what an engine can
 * set: node selector and tolerations, against the node's labels, taints and cordon.
 */
export function unschedulable(pod: PodSpec, node: Node | undefined): string | undefined {
  if (node === undefined) return 'no nodes available to schedule pods';
  const reason = reasonAgainst(pod, node);
  return reason === undefined ? undefined : `0/1 nodes are available: 1 node(s) ${reason}.`;
}

function reasonAgainst(pod: PodSpec, node: Node): string | undefined {
  const tolerations = pod.tolerations ?? [];
  const cordon: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  if (node.spec?.unschedulable === true && !tolerates(tolerations, cordon)) return 'were unschedulable';
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(pod.nodeSelector ?? {});
  const unmatched = selector.some(([key, value]) => !Object.hasOwn(labels, key) || labels[key] !== value);
  if (unmatched) return "didn't match Pod's node affinity/selector";
  const taint = (node.spec?.taints ?? []).find((one) => KEEPS_OUT.has(one.effect) && !tolerates(tolerations, one));
  return taint === undefined ? undefined : `had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
}

/** The rule of the API: an empty key with Exists tolerates all, an empty effect every effect. */
function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(({ key = '', operator = 'Equal', value = '', effect = '' }) => {
    if (effect !== '' && effect !== taint.effect) return false;
    if (key === '' ? operator !== 'Exists' : key !== taint.key) return false;
    return operator === 'Exists' || value === (taint.value ?? '');
  });
}
