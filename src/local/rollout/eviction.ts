import type { Clock } from '../../runtime/clock.js';
import { evictionFrom } from './scheduling.js';
import type { Node, PodSpec } from '../workload.js';

/** What drives a pod out of the node. */
export interface PendingEviction {
  /** Ms until it has to be gone; 0: now. */
  readonly inMs: number;
  readonly message: string;
}

/**
 * Remembers since when NoExecute taints are seen that a pod tolerates for a while only. One whose time is over stays out while
 * they last: there is no other node that it could go to.
 */
export class Evictions {
  readonly #clock: Clock;
  /** By key, on the monotonic clock. */
  readonly #since = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether and when the pod of `key` has to leave the node; undefined while nothing drives it out. */
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
