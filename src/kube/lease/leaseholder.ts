import type { ObjectName } from '../../api/meta.js';
import { Leases, keyOf } from '../../api/resources.js';
import type { Clock, Random, Timer } from '../../runtime/clock.js';
import { delay } from '../../runtime/clock.js';
import { isFailure } from '../../runtime/errors.js';
import type { Logger } from '../../runtime/logger.js';
import type { KubeClient } from '../client/client.js';
import { Deadline } from '../transport/deadline.js';
import type { Lease } from './leaserecord.js';
import { LEASE_FIELD_MANAGER, creationFieldManager, newLease, releasedLease, renewedLease } from './leaserecord.js';

/** In ms. */
export interface LeaseTimes {
  /** A standby waits so long after the last renewal that it saw. */
  readonly duration: number;
  /** The holder stops so long after the start of its last renewal that succeeded; well below the duration. */
  readonly renewDeadline: number;
  /** Between two renewals, and between two tries. */
  readonly retryPeriod: number;
}

/** What everybody who has to do with one Lease needs. */
export interface LeaseContext {
  /** With its namespace. */
  readonly name: ObjectName;
  readonly identity: string;
  readonly times: LeaseTimes;
  readonly client: Pick<KubeClient, 'get' | 'apply' | 'update'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Longest time for giving the Lease up. */
const RELEASE_MS = 1_500;
/** Writes of the Lease within one renewal: each but the first after it was read again. */
const WRITES = 4;

/** The Lease belongs to somebody else, by the server's word. */
class LeaseLost extends Error {}

/**
 * A time for which a Lease is held without a break, kept up by renewals until it is lost or given up.
 *
 * Guarantees: it ends at the renew deadline after the start of its last renewal that succeeded, whatever the network or
 * the process do meanwhile; as soon as the Lease is seen in other hands; and before anything is written to give it up.
 */
export class LeaseHolder {
  readonly #context: LeaseContext;
  readonly #over = new AbortController();
  readonly #running: Promise<void>;
  #lease: Lease;
  #renewedAt: number;
  #deadline: Timer | undefined;

  /** `lease`: as the server stored it, ours; `startedAt`: monotonic time at which taking it was begun. */
  constructor(context: LeaseContext, lease: Lease, startedAt: number) {
    this.#context = context;
    this.#lease = lease;
    this.#renewedAt = startedAt;
    this.#arm();
    this.#running = this.#run();
  }

  /** Fires when the term is over. */
  get lost(): AbortSignal {
    return this.#over.signal;
  }

  held(): boolean {
    return !this.lost.aborted && this.#left() > 0;
  }

  /** Ends the term and then empties the Lease's holder. Never rejects. */
  async release(): Promise<void> {
    const { clock, log, name } = this.#context;
    this.#end('it was released');
    await this.#running;
    const deadline = new Deadline(clock, RELEASE_MS);
    try {
      await this.#write((lease) => releasedLease(lease, clock.now()), deadline.signal);
      log.info({ lease: keyOf(name) }, 'lease released');
    } catch (error) {
      log.warn({ lease: keyOf(name), error: String(error) }, 'lease was not released and has to expire');
    } finally {
      deadline.close();
    }
  }

  /** Resolves when nothing of the term is under way any more. */
  settled(): Promise<void> {
    return this.#running;
  }

  async #run(): Promise<void> {
    const { clock, times } = this.#context;
    let startedAt = this.#renewedAt;
    while (!this.lost.aborted) {
      await delay(clock, startedAt + times.retryPeriod - clock.monotonic(), this.lost).catch(() => undefined);
      if (this.#isLate()) return;
      startedAt = clock.monotonic();
      await this.#renew(startedAt);
    }
  }

  /** Whether the term is over; ends it when its deadline has passed: after the process stood still its timer may come last. */
  #isLate(): boolean {
    if (this.#left() <= 0) this.#end('it was not renewed in time');
    return this.lost.aborted;
  }

  async #renew(startedAt: number): Promise<void> {
    const { clock, times, log, name } = this.#context;
    const deadline = new Deadline(clock, Math.min(times.renewDeadline / 2, this.#left()), this.lost);
    try {
      await this.#write((lease) => renewedLease(lease, clock.now()), deadline.signal);
      if (this.#isLate()) return;
      this.#renewedAt = startedAt;
      this.#arm();
    } catch (error) {
      if (error instanceof LeaseLost) this.#end(error.message);
      else if (!this.lost.aborted) log.warn({ lease: keyOf(name), error: String(error) }, 'lease was not renewed');
    } finally {
      deadline.close();
    }
  }

  /** Stores what `change` makes of the Lease, reading it again where it has changed meanwhile and is still ours. */
  async #write(change: (lease: Lease) => Lease, signal: AbortSignal): Promise<void> {
    const { client } = this.#context;
    for (let left = WRITES; ;) {
      try {
        this.#lease = await client.update(Leases, change(this.#lease), { fieldManager: LEASE_FIELD_MANAGER, signal });
        return;
      } catch (error) {
        left -= 1;
        if (left === 0 || isFailure(error, 'Transport', 'Throttled', 'Aborted', 'Fenced', 'Guarded')) throw error;
        await this.#reread(signal);
      }
    }
  }

  async #reread(signal: AbortSignal): Promise<void> {
    const { client, name, identity, clock, times } = this.#context;
    const stored = await client.get<Lease>(Leases, name, { signal });
    if (stored === undefined) {
      // Somebody deleted it, and nobody else has made it since: whoever creates it first holds it.
      if (this.lost.aborted) throw new LeaseLost('the Lease is gone');
      const lease = newLease(name, identity, times.duration, clock.now());
      this.#lease = await client.apply(Leases, lease, {
        fieldManager: creationFieldManager(identity),
        force: false,
        signal,
      });
      return;
    }
    // Another process of the same identity is told by when it took the Lease.
    const ours = stored.spec?.holderIdentity === identity && stored.spec.acquireTime === this.#lease.spec?.acquireTime;
    if (!ours) throw new LeaseLost(`the Lease is held by "${stored.spec?.holderIdentity ?? ''}"`);
    this.#lease = stored;
  }

  #left(): number {
    return this.#renewedAt + this.#context.times.renewDeadline - this.#context.clock.monotonic();
  }

  #arm(): void {
    this.#deadline?.cancel();
    this.#deadline = this.#context.clock.after(this.#left(), () => this.#end('it was not renewed in time'));
  }

  #end(why: string): void {
    if (this.lost.aborted) return;
    this.#deadline?.cancel();
    this.#context.log.info({ lease: keyOf(this.#context.name), why }, 'lease no longer held');
    this.#over.abort(new Error(`lease ${keyOf(this.#context.name)}: ${why}`));
  }
}
