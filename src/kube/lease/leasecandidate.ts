import { Leases, keyOf } from '../../api/resources.js';
import type { Clock } from '../../runtime/clock.js';
import { isFailure } from '../../runtime/errors.js';
import { Deadline } from '../transport/deadline.js';
import type { Lease } from './leaserecord.js';
import { LEASE_FIELD_MANAGER, LeaseObserver, creationFieldManager, newLease, takenLease } from './leaserecord.js';
import type { Cache } from '../cache/reflector.js';
import type { LeaseContext } from './leaseholder.js';
import { LeaseHolder } from './leaseholder.js';

/** A look at the server is repeated this soon, and up to as much again, when what was seen proved old. */
const LOOK_AGAIN_MS = 100;

/**
 * Waits for a Lease and takes it. Follows it by a watch, so that it acts the moment it is released, deleted or expires;
 * while the watch is not current it looks at the server every retry period.
 */
export class LeaseCandidate {
  readonly #context: LeaseContext;
  readonly #cache: Cache<Lease>;
  readonly #seen: LeaseObserver;
  readonly #wake = new Notifier();
  #holder = '';
  /** What the cache says is not to be relied on: the server is asked. */
  #doubt = true;

  /** `cache`: not started, of this one Lease. */
  constructor(context: LeaseContext, cache: Cache<Lease>) {
    this.#context = context;
    this.#cache = cache;
    this.#seen = new LeaseObserver(context.clock);
  }

  /** Resolves with the term that has begun. Rejects with the signal's reason, except while the Lease is being taken. */
  async wait(signal: AbortSignal): Promise<LeaseHolder> {
    const { clock, log, name, times } = this.#context;
    this.#cache.onChange(() => this.#wake.notify());
    this.#cache.onState(() => this.#wake.notify());
    this.#cache.start();
    try {
      for (;;) {
        signal.throwIfAborted();
        let next: LeaseHolder | number;
        try {
          next = await this.#step();
        } catch (error) {
          log.warn({ lease: keyOf(name), error: String(error) }, 'lease could not be taken');
          this.#doubt = true;
          next = times.retryPeriod;
        }
        if (typeof next !== 'number') return next;
        await this.#wake.wait(clock, next, signal);
      }
    } finally {
      await this.#cache.stop();
    }
  }

  /** Looks once, and takes the Lease when it is free; else the ms after which to look again at the latest. */
  async #step(): Promise<LeaseHolder | number> {
    const { identity, times, random } = this.#context;
    this.#seen.observe(await this.#look());
    const { lease } = this.#seen;
    const wait = this.#seen.msUntilFree(identity, times.duration);
    if (wait > 0) {
      this.#note(lease?.spec?.holderIdentity ?? '');
      this.#doubt = false;
      return this.#cache.current() ? wait : Math.min(wait, times.retryPeriod);
    }
    const term = await this.#take(lease);
    this.#doubt = true;
    return term ?? LOOK_AGAIN_MS * (1 + random());
  }

  #look(): Promise<Lease | undefined> {
    const { client, name } = this.#context;
    if (!this.#doubt && this.#cache.current()) return Promise.resolve(this.#cache.store.get(keyOf(name)));
    return this.#timed((signal) => client.get<Lease>(Leases, name, { signal }));
  }

  /** Takes the Lease as it was seen; undefined when it has changed since. */
  async #take(lease: Lease | undefined): Promise<LeaseHolder | undefined> {
    const { client, clock, identity, times, name } = this.#context;
    const startedAt = clock.monotonic();
    try {
      const taken = await this.#timed((signal) => {
        if (lease !== undefined) {
          return client.update(Leases, takenLease(lease, identity, times.duration, clock.now()), {
            fieldManager: LEASE_FIELD_MANAGER,
            signal,
          });
        }
        return client.apply(Leases, newLease(name, identity, times.duration, clock.now()), {
          fieldManager: creationFieldManager(identity),
          force: false,
          signal,
        });
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

  #note(holder: string): void {
    if (holder === this.#holder) return;
    this.#holder = holder;
    this.#context.log.info({ lease: keyOf(this.#context.name), holder }, 'lease is held by another');
  }
}

/** A bell that can be rung before somebody waits for it. */
class Notifier {
  #rung = false;
  #hear: (() => void) | undefined;

  notify(): void {
    this.#rung = true;
    this.#hear?.();
  }

  /** Resolves when it is rung, or after `ms`; rejects with the signal's reason. */
  wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#hear = undefined;
        this.#rung = false;
        timer.cancel();
        signal.removeEventListener('abort', end);
        if (signal.aborted) reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
        else resolve();
      };
      const timer = clock.after(ms, end);
      signal.addEventListener('abort', end, { once: true });
      this.#hear = end;
      if (this.#rung || signal.aborted) end();
    });
  }
}
