import type { Node, PodSpec, Taint, Toleration } from '../workload.js';
import type { Clock } from '../../../runtime/clock.js';

const REPELLING_EFFECTS: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);

/**
 * Why a pod cannot run on the one node, with the message of kube-scheduler; undefined when it can. Compares the node
 * selector and the tolerations with the node's labels, its taints and `unschedulable`.
 */
export function unschedulable(pod: PodSpec, node: Node | undefined): string | undefined {
  if (node === undefined) return 'no nodes available to schedule pods';
  const reason = nodeMismatch(pod, node);
  return reason === undefined ? undefined : `0/1 nodes are available: 1 node(s) ${reason}.`;
}

function nodeMismatch(pod: PodSpec, node: Node): string | undefined {
  const tolerations = pod.tolerations ?? [];
  const cordon: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  if (node.spec?.unschedulable === true && !tolerates(tolerations, cordon)) return 'were unschedulable';
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(pod.nodeSelector ?? {});
  const unmatched = selector.some(([key, value]) => !Object.hasOwn(labels, key) || labels[key] !== value);
  if (unmatched) return "didn't match Pod's node affinity/selector";
  const taint = (node.spec?.taints ?? []).find(
    (one) => REPELLING_EFFECTS.has(one.effect) && !tolerates(tolerations, one),
  );
  return taint === undefined ? undefined : `had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
}

/** The eviction of a running pod. */
interface Eviction {
  /** Counted from when its taints are observed; 0: at once. */
  readonly afterSeconds: number;
  readonly message: string;
}

/**
 * Whether NoExecute taints of the node evict a running pod, by the rules of the taint eviction controller: at once when
 * one is not tolerated, else after the shortest `tolerationSeconds` of the matching tolerations.
 */
export function evictionFrom(pod: PodSpec, node: Node | undefined): Eviction | undefined {
  let soonest: Eviction | undefined;
  for (const taint of (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')) {
    const used = (pod.tolerations ?? []).find((one) => tolerates([one], taint));
    if (used === undefined)
      return { afterSeconds: 0, message: `the pod template does not tolerate the taint ${taintText(taint)}` };
    const { tolerationSeconds } = used;
    if (tolerationSeconds === undefined || (soonest !== undefined && soonest.afterSeconds <= tolerationSeconds))
      continue;
    const afterSeconds = Math.max(tolerationSeconds, 0);
    soonest = {
      afterSeconds,
      message: `the pod template tolerates the taint ${taintText(taint)} for no more than ${afterSeconds} s`,
    };
  }
  return soonest;
}

function taintText({ key, value = '', effect }: Taint): string {
  return `${key}${value === '' ? '' : `=${value}`}:${effect}`;
}

/** By the rule of the API: an empty key with Exists tolerates every taint, an empty effect matches every effect. */
function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(({ key = '', operator = 'Equal', value = '', effect = '' }) => {
    if (effect !== '' && effect !== taint.effect) return false;
    if (key === '' ? operator !== 'Exists' : key !== taint.key) return false;
    return operator === 'Exists' || value === (taint.value ?? '');
  });
}

/** The eviction of a pod by NoExecute taints of the node. */
export interface PendingEviction {
  /** Ms until the pod is evicted; 0: now. */
  readonly inMs: number;
  readonly message: string;
}

/**
 * Records since when a NoExecute taint is observed that a pod tolerates for a limited time. A pod whose time is over is
 * not started again while the taint lasts: there is no other node.
 */
export class Evictions {
  readonly #clock: Clock;
  /** By key, on the monotonic clock. */
  readonly #since = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The eviction of the pod of `key`; undefined while no taint evicts it. */
  of(key: string, spec: PodSpec, node: Node | undefined): PendingEviction | undefined {
    const eviction = evictionFrom(spec, node);
    if (eviction === undefined) {
      this.forget(key);
      return undefined;
    }
    const now = this.#clock.monotonic();
    const since = this.#since.get(key) ?? now;
    this.#since.set(key, since);
    return { inMs: Math.max(since + eviction.afterSeconds * 1000 - now, 0), message: eviction.message };
  }

  forget(key: string): void {
    this.#since.delete(key);
  }
}
