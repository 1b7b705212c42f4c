import type { ObjectName } from '../vocabulary/meta.js';
import { keyOf } from '../vocabulary/names.js';
import { Leases } from '../vocabulary/kinds.js';
import { delay, type Clock, type Random, type Timer } from '../clock.js';
import { isFailure } from '../errors.js';
import type { Logger } from '../logger.js';
import type { KubeClient } from '../client/client.js';
import { Deadline } from '../transport/deadline.js';
import {
  type Lease,
  type LeaseTaker,
  creationFieldManager,
  newLease,
  releasedLease,
  renewedLease,
} from './leaserecord.js';

/** In ms. */
export interface LeaseTimes {
  /** A candidate waits this long after the last renewal that it observed. */
  readonly duration: number;
  /** The holder stops this long after the start of its last successful renewal; well below the duration. */
  readonly renewDeadline: number;
  /** Between two renewals, and between two attempts to acquire. */
  readonly retryPeriod: number;
}

/** What holder and candidate of one Lease share. */
export interface LeaseContext extends LeaseTaker {
  /** With its namespace. */
  readonly name: ObjectName;
  /** The field manager of updates. That of creations begins with it. */
  readonly fieldManager: string;
  readonly times: LeaseTimes;
  readonly client: Pick<KubeClient, 'get' | 'apply' | 'update'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Creates the Lease with this identity as its holder. Fails with a conflict when another process creates it first. */
export function createLease(context: LeaseContext, signal: AbortSignal): Promise<Lease> {
  const { client, name, identity, fieldManager, clock } = context;
  const options = { fieldManager: creationFieldManager(fieldManager, identity), force: false, signal };
  return client.apply(Leases, newLease(name, context, clock.now()), options);
}

/** Longest time for the release. */
const RELEASE_MS = 1_500;
/** Attempts to write the Lease within one renewal; it is read again before each but the first. */
const WRITE_ATTEMPTS = 4;

/** The server has the Lease with another holder, or without one. */
class LeaseLost extends Error {}

/**
 * One leadership term: renews the Lease until it is lost or released.
 *
 * Guarantees: the term ends at the renew deadline after the start of the last successful renewal, also when the network
 * or the process hangs; as soon as the Lease is observed with another holder; and before the release is written.
 */
export class LeaseHolder {
  readonly #context: LeaseContext;
  readonly #lost = new AbortController();
  readonly #running: Promise<void>;
  #lease: Lease;
  #renewedAt: number;
  #deadline: Timer | undefined;

  /** `lease`: as stored by the server with this holder; `startedAt`: monotonic time before the write that took it. */
  constructor(context: LeaseContext, lease: Lease, startedAt: number) {
    this.#context = context;
    this.#lease = lease;
    this.#renewedAt = startedAt;
    this.#arm();
    this.#running = this.#run();
  }

  /** Fires at the end of the term. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  held(): boolean {
    return !this.lost.aborted && this.#remainingMs() > 0;
  }

  /** Ends the term, then removes the holder from the Lease. Never rejects. */
  async release(): Promise<void> {
    const { clock, log, name } = this.#context;
    this.#end('released');
    await this.#running;
    const deadline = new Deadline(clock, RELEASE_MS);
    try {
      await this.#write((lease) => releasedLease(lease, clock.now()), deadline.signal);
      log.info({ lease: keyOf(name) }, 'lease released');
    } catch (error) {
      log.warn({ lease: keyOf(name), error: String(error) }, 'failed to release the lease, it will expire');
    } finally {
      deadline.close();
    }
  }

  /** Resolves when the last renewal has ended. */
  ended(): Promise<void> {
    return this.#running;
  }

  async #run(): Promise<void> {
    const { clock, times } = this.#context;
    let startedAt = this.#renewedAt;
    while (!this.lost.aborted) {
      await delay(clock, startedAt + times.retryPeriod - clock.monotonic(), this.lost).catch(() => undefined);
      if (this.#checkDeadline()) return;
      startedAt = clock.monotonic();
      await this.#renew(startedAt);
    }
  }

  /** Whether the term has ended. Ends it when the deadline has passed: the timer may run late in a process that was suspended. */
  #checkDeadline(): boolean {
    if (this.#remainingMs() <= 0) this.#end('not renewed in time');
    return this.lost.aborted;
  }

  async #renew(startedAt: number): Promise<void> {
    const { clock, times, log, name } = this.#context;
    const deadline = new Deadline(clock, Math.min(times.renewDeadline / 2, this.#remainingMs()), this.lost);
    try {
      await this.#write((lease) => renewedLease(lease, clock.now()), deadline.signal);
      if (this.#checkDeadline()) return;
      this.#renewedAt = startedAt;
      this.#arm();
    } catch (error) {
      if (error instanceof LeaseLost) this.#end(error.message);
      else if (!this.lost.aborted) log.warn({ lease: keyOf(name), error: String(error) }, 'failed to renew the lease');
    } finally {
      deadline.close();
    }
  }

  /** Writes `change(lease)`. After a conflict it reads the Lease again and retries while this process is the holder. */
  async #write(change: (lease: Lease) => Lease, signal: AbortSignal): Promise<void> {
    const { client, fieldManager } = this.#context;
    for (let left = WRITE_ATTEMPTS; ;) {
      try {
        this.#lease = await client.update(Leases, change(this.#lease), { fieldManager, signal });
        return;
      } catch (error) {
        left -= 1;
        if (left === 0 || isFailure(error, 'Transport', 'Throttled', 'Aborted', 'Fenced', 'Guarded')) throw error;
        await this.#reread(signal);
      }
    }
  }

  async #reread(signal: AbortSignal): Promise<void> {
    const { client, name, identity } = this.#context;
    const stored = await client.get<Lease>(Leases, name, { signal });
    if (stored === undefined) {
      // The Lease was deleted: the first process to create it holds it.
      if (this.lost.aborted) throw new LeaseLost('the Lease was deleted');
      this.#lease = await createLease(this.#context, signal);
      return;
    }
    // acquireTime differs when another process with the same identity has taken the Lease.
    const ours = stored.spec?.holderIdentity === identity && stored.spec.acquireTime === this.#lease.spec?.acquireTime;
    if (!ours) throw new LeaseLost(`the Lease is held by "${stored.spec?.holderIdentity ?? ''}"`);
    this.#lease = stored;
  }

  #remainingMs(): number {
    return this.#renewedAt + this.#context.times.renewDeadline - this.#context.clock.monotonic();
  }

  #arm(): void {
    this.#deadline?.cancel();
    this.#deadline = this.#context.clock.after(this.#remainingMs(), () => this.#end('not renewed in time'));
  }

  #end(why: string): void {
    if (this.lost.aborted) return;
    this.#deadline?.cancel();
    this.#context.log.info({ lease: keyOf(this.#context.name), why }, 'lease lost');
    this.#lost.abort(new Error(`lease ${keyOf(this.#context.name)}: ${why}`));
  }
}
