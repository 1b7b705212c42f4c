import { isFailure } from '../../runtime/errors.js';
import { ShortenableDelay, firstRenewalMs, renewalPeriodMs } from '../schedule.js';
import type { Hub } from '../hub.js';
import { Attempts, resultOf } from './attempts.js';
import type { SessionContext } from './context.js';
import { tryAcquireLease } from './join.js';

/** Renews the Lease of the cluster. */
export class Renewals {
  readonly #context: SessionContext;
  readonly #hub: Hub;
  readonly #delay: ShortenableDelay;

  constructor(context: SessionContext, hub: Hub) {
    this.#context = context;
    this.#hub = hub;
    this.#delay = new ShortenableDelay(context.tools.clock);
  }

  /** Until `signal` fires; rejects with its reason. */
  async run(signal: AbortSignal): Promise<void> {
    const { state, tools } = this.#context;
    const { clock, random, metrics } = tools;
    const attempts = new Attempts(this.#context, 'renewal');
    let wait = firstRenewalMs(state.leaseMs, random);
    for (;;) {
      await this.#delay.wait(wait, signal);
      const startedAt = clock.monotonic();
      const outcome = await attempts.run(() => this.#renew(signal), signal);
      metrics.renewed(resultOf(outcome), clock.now());
      if (outcome.kind === 'done') {
        state.renewed();
        wait = Math.max(0, startedAt + renewalPeriodMs(state.leaseMs, random) - clock.monotonic());
      } else {
        state.renewalFailed(outcome.problem);
        wait = outcome.retryInMs;
      }
    }
  }

  /** The duration of the lease has changed: the Lease gets it at once, since the hub goes by the longer one until then. */
  reschedule(): void {
    this.#delay.shortenTo(0);
  }

  /** A Lease that somebody has deleted is created again. */
  async #renew(signal: AbortSignal): Promise<void> {
    try {
      await this.#hub.renewLease(this.#context.state.leaseMs / 1000, signal);
    } catch (error) {
      if (!isFailure(error, 'NotFound')) throw error;
      await tryAcquireLease(this.#context, this.#hub, signal);
    }
  }
}
