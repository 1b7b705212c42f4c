import { keyOf } from '../vocabulary/names.js';
import { Leases } from '../vocabulary/kinds.js';
import type { LeaderMetrics } from '../metrics/managermetrics.js';
import { asError, isFailure } from '../errors.js';
import { guardClient, type Leadership } from '../client/guard.js';
import { leaseRights, type Lease, type LeaseTaker, LeaseObserver, takenLease } from './leaserecord.js';
import type { Cache, CacheTools } from '../cache/cache.js';
import { createCache } from '../cache/reflector.js';
import { createClient } from '../client/rest.js';
import { type LeaseContext, type LeaseTimes, LeaseHolder, createLease } from './leaseholder.js';
import type { Transport } from '../transport/transport.js';
import { delay } from '../clock.js';
import { Deadline } from '../transport/deadline.js';

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

/** What one step of a candidate has led to. */
type Step =
  | { readonly kind: 'acquired'; readonly holder: LeaseHolder }
  | { readonly kind: 'wait'; readonly ms: number };

/** Least delay before the next read when the Lease had changed since it was read; up to twice as much at random. */
const REREAD_MS = 100;

/**
 * Waits for a Lease and takes it. A watch reports at once when the Lease is released or deleted; while the watch is not
 * current, the Lease is read from the server every retry period.
 */
export class LeaseCandidate {
  readonly #context: LeaseContext;
  readonly #cache: Cache<Lease>;
  readonly #observed: LeaseObserver;
  /** Aborted by a change that the next step has to see; replaced before that step. */
  #changed = new AbortController();
  #holder = '';
  /** The cache may be outdated: the next read goes to the server. */
  #readFromServer = true;

  /** `cache`: not started, of this one Lease. */
  constructor(context: LeaseContext, cache: Cache<Lease>) {
    this.#context = context;
    this.#cache = cache;
    this.#observed = new LeaseObserver(context.clock);
  }

  /** Resolves with the holder of the taken Lease. Rejects with the signal's reason, except while the Lease is being taken. */
  async wait(signal: AbortSignal): Promise<LeaseHolder> {
    const { log, name, times } = this.#context;
    const notify = (): void => this.#changed.abort();
    this.#cache.onChange(notify);
    this.#cache.onState(notify);
    signal.addEventListener('abort', notify, { once: true });
    this.#cache.start();
    try {
      for (;;) {
        signal.throwIfAborted();
        let step: Step;
        try {
          step = await this.#step();
        } catch (error) {
          log.warn({ lease: keyOf(name), error: String(error) }, 'failed to acquire the lease');
          this.#readFromServer = true;
          step = { kind: 'wait', ms: times.retryPeriod };
        }
        if (step.kind === 'acquired') return step.holder;
        await this.#pause(step.ms);
      }
    } finally {
      signal.removeEventListener('abort', notify);
      await this.#cache.stop();
    }
  }

  /** Waits `ms`, or until a change since the last call. */
  async #pause(ms: number): Promise<void> {
    await delay(this.#context.clock, ms, this.#changed.signal).catch(() => undefined);
    this.#changed = new AbortController();
  }

  /** Reads the Lease and takes it when it is free; else returns the most ms to wait before the next step. */
  async #step(): Promise<Step> {
    const { identity, times, random } = this.#context;
    this.#observed.observe(await this.#read());
    const { lease } = this.#observed;
    const wait = this.#observed.msUntilFree(identity, times.duration);
    if (wait > 0) {
      if (lease !== undefined) this.#logHolder(lease);
      this.#readFromServer = false;
      return { kind: 'wait', ms: this.#cache.current() ? wait : Math.min(wait, times.retryPeriod) };
    }
    const holder = await this.#take(lease);
    this.#readFromServer = true;
    if (holder !== undefined) return { kind: 'acquired', holder };
    return { kind: 'wait', ms: REREAD_MS * (1 + random()) };
  }

  #read(): Promise<Lease | undefined> {
    const { client, name } = this.#context;
    if (!this.#readFromServer && this.#cache.current()) return Promise.resolve(this.#cache.store.get(keyOf(name)));
    return this.#timed((signal) => client.get<Lease>(Leases, name, { signal }));
  }

  /** Takes the Lease as observed; undefined when it has changed since. */
  async #take(lease: Lease | undefined): Promise<LeaseHolder | undefined> {
    const { client, clock, fieldManager } = this.#context;
    const startedAt = clock.monotonic();
    try {
      const taken = await this.#timed((signal) => {
        if (lease !== undefined) {
          return client.update(Leases, takenLease(lease, this.#context, clock.now()), {
            fieldManager,
            signal,
          });
        }
        return createLease(this.#context, signal);
      });
      return new LeaseHolder(this.#context, taken, startedAt);
    } catch (error) {
      if (isFailure(error, 'Conflict', 'AlreadyExists', 'NotFound')) return undefined;
      throw error;
    }
  }

  async #timed<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = new Deadline(this.#context.clock, this.#context.times.renewDeadline / 2);
    try {
      return await work(deadline.signal);
    } finally {
      deadline.close();
    }
  }

  #logHolder(lease: Lease): void {
    const { holderIdentity: holder = '' } = lease.spec ?? {};
    if (holder === this.#holder) return;
    this.#holder = holder;
    const { log, name, annotations = {} } = this.#context;
    log.info({ lease: keyOf(name), holder }, 'lease is held by another identity');
    for (const [annotation, ours] of Object.entries(annotations)) {
      const theirs = lease.metadata.annotations?.[annotation] ?? ours;
      if (theirs !== ours)
        log.warn(
          { lease: keyOf(name), holder, annotation, ours, theirs },
          'the holder of the lease differs from this process',
        );
    }
  }
}
