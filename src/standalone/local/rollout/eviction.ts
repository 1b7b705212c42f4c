import type { Clock } from '../../../runtime/clock.js';
import { evictionFrom } from './scheduling.js';
import type { Node, PodSpec } from '../workload.js';

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
