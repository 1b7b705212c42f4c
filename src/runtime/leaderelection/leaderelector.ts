import { keyOf } from '../vocabulary/names.js';
import { Leases } from '../vocabulary/kinds.js';
import type { LeaderMetrics } from '../metrics/managermetrics.js';
import { asError } from '../errors.js';
import { guardClient, type Leadership } from '../client/guard.js';
import { leaseRights, type Lease, type LeaseTaker } from './leaserecord.js';
import type { Cache, CacheTools } from '../cache/cache.js';
import { createCache } from '../cache/reflector.js';
import { createClient } from '../client/rest.js';
import { LeaseCandidate } from './leasecandidate.js';
import type { LeaseContext, LeaseTimes, LeaseHolder } from './leaseholder.js';
import type { Transport } from '../transport/transport.js';

/**
 * client-go's defaults: a candidate takes over 15 s after the last renewal that it observed, the holder stops 10 s after its last
 * one, and renews every 2 s.
 */
export const LEASE_TIMES: LeaseTimes = Object.freeze({ duration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 });

interface LeaseOptions extends Omit<LeaseTaker, 'times'>, Pick<LeaseContext, 'name' | 'fieldManager'> {
  readonly times?: LeaseTimes;
}

interface LeaseTools extends CacheTools {
  readonly leader?: LeaderMetrics | undefined;
}

/** An elector over a transport. Its writes are guarded and use the rate limit bucket `leases`. */
export function createElector(transport: Transport, options: LeaseOptions, tools: LeaseTools): LeaderElector {
  const { name, identity, times = LEASE_TIMES } = options;
  const client = guardClient(
    createClient(transport, { bucket: 'leases', deadlineMs: times.renewDeadline / 2, attempts: 1 }),
    leaseRights(name, identity),
    { log: tools.log },
  );
  const collection = {
    type: Leases,
    fieldSelector: `metadata.name=${name.name}`,
    ...(name.namespace === undefined ? {} : { namespace: name.namespace }),
  };
  return new LeaderElector(
    { ...tools, ...options, times, client },
    () => createCache<Lease>(transport, collection, tools),
    tools.leader,
  );
}

/**
 * Holds a Lease, or waits for it.
 *
 * Guarantees: `held()` is true only until the renew deadline after the start of the last successful renewal, on the local
 * monotonic clock. A candidate waits for the longer lease duration from when it observed that renewal, so two processes
 * never hold the Lease at once. Time stamps of other processes are not used. Every update of the Lease has a resourceVersion.
 * Caveat: a Lease is not a fence: a write in flight at the end of a leadership term may still arrive. Hence the preconditions of writes.
 */
export class LeaderElector implements Leadership {
  readonly identity: string;
  readonly #context: LeaseContext;
  readonly #watch: () => Cache<Lease>;
  readonly #metrics: LeaderMetrics | undefined;
  #holder: LeaseHolder | undefined;

  /** `watch` makes a new cache of the Lease for each time that the elector waits. */
  constructor(context: LeaseContext, watch: () => Cache<Lease>, metrics?: LeaderMetrics) {
    this.identity = context.identity;
    this.#context = context;
    this.#watch = watch;
    this.#metrics = metrics;
    this.#report(false);
  }

  held(): boolean {
    return this.#holder?.held() === true;
  }

  /** Waits until the Lease is held; resolves with a signal that fires when it is lost. Rejects with the reason of `signal`. */
  async acquire(signal: AbortSignal): Promise<AbortSignal> {
    if (this.held()) throw new Error(`lease ${keyOf(this.#context.name)}: already held`);
    await this.#holder?.ended();
    const holder = await new LeaseCandidate(this.#context, this.#watch()).wait(signal);
    if (signal.aborted) {
      await holder.release();
      throw asError(signal.reason);
    }
    this.#holder = holder;
    this.#report(true);
    holder.lost.addEventListener('abort', () => this.#report(false), { once: true });
    return holder.lost;
  }

  /**
   * Releases the Lease, if held, so that a candidate can take it at once. `held()` is false from the call on, and the caller must not
   * write after it. Never rejects.
   */
  async release(): Promise<void> {
    if (this.#holder === undefined || this.#holder.lost.aborted) return;
    await this.#holder.release();
  }

  #report(held: boolean): void {
    this.#metrics?.leader(this.#context.name.name, held);
  }
}
