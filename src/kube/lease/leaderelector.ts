import type { ObjectName } from '../../api/meta.js';
import { Leases, keyOf } from '../../api/resources.js';
import type { LeaderMetrics } from '../../runtime/metrics.js';
import { guardClient } from '../guard/guard.js';
import type { Leadership } from '../guard/leadership.js';
import type { Lease } from './leaserecord.js';
import { leaseRights } from './leaserecord.js';
import type { Cache, CacheTools } from '../cache/reflector.js';
import { createCache } from '../cache/reflector.js';
import { createClient } from '../client/rest.js';
import { LeaseCandidate } from './leasecandidate.js';
import type { LeaseContext, LeaseTimes, LeaseHolder } from './leaseholder.js';
import type { Transport } from '../transport/transport.js';

export type { Leadership } from '../guard/leadership.js';

/** What is promised: a standby acts 15 s after the last renewal it saw, the holder stops 10 s after its last one, renewals come every 2 s. */
export const LEASE_TIMES: LeaseTimes = Object.freeze({ duration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 });

export interface LeaseOptions {
  /** With its namespace. */
  readonly lease: ObjectName;
  /** Unique to a process, or to a process and those that come after it: a holder with the same identity is taken for this one. */
  readonly identity: string;
  readonly times?: LeaseTimes;
}

export interface LeaseTools extends CacheTools {
  readonly leader?: LeaderMetrics | undefined;
}

/** An elector over a transport; its writes are guarded, and fall under the rate limit of leases. */
export function createElector(transport: Transport, options: LeaseOptions, tools: LeaseTools): LeaderElector {
  const { lease, identity, times = LEASE_TIMES } = options;
  const client = guardClient(
    createClient(transport, { bucket: 'leases', deadlineMs: times.renewDeadline / 2, attempts: 1 }),
    leaseRights(lease, identity),
    { log: tools.log },
  );
  const collection = {
    type: Leases,
    fieldSelector: `metadata.name=${lease.name}`,
    ...(lease.namespace === undefined ? {} : { namespace: lease.namespace }),
  };
  return new LeaderElector(
    { ...tools, name: lease, identity, times, client },
    () => createCache<Lease>(transport, collection, tools),
    tools.leader,
  );
}

/**
 * Holds a Lease, or waits for it.
 *
 * Guarantees: `held()` is true only until the renew deadline after the start of the last renewal that succeeded, on the local
 * monotonic clock: that is before any standby, which waits for the longer duration from when it saw that renewal, can
 * take over. No remote clock is believed. Every write of the Lease names the resourceVersion that it was decided on.
 * Caveat: a Lease is no fence: a write that is on its way when the term ends may still arrive. Writes carry preconditions for that.
 */
export class LeaderElector implements Leadership {
  readonly identity: string;
  readonly #context: LeaseContext;
  readonly #watch: () => Cache<Lease>;
  readonly #metrics: LeaderMetrics | undefined;
  #term: LeaseHolder | undefined;

  /** `watch` makes a new cache of the one Lease, for a time of standing by. */
  constructor(context: LeaseContext, watch: () => Cache<Lease>, metrics?: LeaderMetrics) {
    this.identity = context.identity;
    this.#context = context;
    this.#watch = watch;
    this.#metrics = metrics;
    this.#report(false);
  }

  held(): boolean {
    return this.#term?.held() === true;
  }

  /** Waits until the Lease is held; gives a signal that fires when it is not any more. Rejects with the reason of `signal`. */
  async acquire(signal: AbortSignal): Promise<AbortSignal> {
    if (this.held()) throw new Error(`lease ${keyOf(this.#context.name)}: held already`);
    await this.#term?.settled();
    const term = await new LeaseCandidate(this.#context, this.#watch()).wait(signal);
    if (signal.aborted) {
      await term.release();
      throw signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));
    }
    this.#term = term;
    this.#report(true);
    term.lost.addEventListener('abort', () => this.#report(false), { once: true });
    return term.lost;
  }

  /** Gives the Lease up, so that a standby can take it at once. From the call on nothing counts as held. Never rejects. */
  async release(): Promise<void> {
    if (this.#term === undefined || this.#term.lost.aborted) return;
    await this.#term.release();
  }

  #report(held: boolean): void {
    this.#metrics?.leader(this.#context.name.name, held);
  }
}
