import { keyOf } from '../vocabulary/names.js';
import { Leases } from '../vocabulary/kinds.js';
import { delay } from '../clock.js';
import { isFailure } from '../errors.js';
import { Deadline } from '../transport/deadline.js';
import { type Lease, LeaseObserver, takenLease } from './leaserecord.js';
import type { Cache } from '../cache/cache.js';
import { LeaseHolder, createLease, type LeaseContext } from './leaseholder.js';

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
