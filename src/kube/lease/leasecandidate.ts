import { Leases, keyOf } from '../../api/resources.js';
import type { Clock } from '../../runtime/clock.js';
import { asError, isFailure } from '../../runtime/errors.js';
import { Deadline } from '../transport/deadline.js';
import type { Lease } from './leaserecord.js';
import { LEASE_FIELD_MANAGER, LeaseObserver, creationFieldManager, newLease, takenLease } from './leaserecord.js';
import type { Cache } from '../cache/reflector.js';
import { LeaseHolder, type LeaseContext } from './leaseholder.js';

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
  readonly #notifier = new Notifier();
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
    const { clock, log, name, times } = this.#context;
    this.#cache.onChange(() => this.#notifier.notify());
    this.#cache.onState(() => this.#notifier.notify());
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
        await this.#notifier.wait(clock, step.ms, signal);
      }
    } finally {
      await this.#cache.stop();
    }
  }

  /** Reads the Lease and takes it when it is free; else returns the most ms to wait before the next step. */
  async #step(): Promise<Step> {
    const { identity, times, random } = this.#context;
    this.#observed.observe(await this.#read());
    const { lease } = this.#observed;
    const wait = this.#observed.msUntilFree(identity, times.duration);
    if (wait > 0) {
      this.#logHolder(lease?.spec?.holderIdentity ?? '');
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

  #logHolder(holder: string): void {
    if (holder === this.#holder) return;
    this.#holder = holder;
    this.#context.log.info({ lease: keyOf(this.#context.name), holder }, 'lease is held by another identity');
  }
}

/** A notification that is kept until the next wait, so that none is lost in between. */
class Notifier {
  #notified = false;
  #onNotify: (() => void) | undefined;

  notify(): void {
    this.#notified = true;
    this.#onNotify?.();
  }

  /** Resolves when notified, or after `ms`; rejects with the signal's reason. */
  wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#onNotify = undefined;
        this.#notified = false;
        timer.cancel();
        signal.removeEventListener('abort', end);
        if (signal.aborted) reject(asError(signal.reason));
        else resolve();
      };
      const timer = clock.after(ms, end);
      signal.addEventListener('abort', end, { once: true });
      this.#onNotify = end;
      if (this.#notified || signal.aborted) end();
    });
  }
}
