import { ShortenableDelay, reapplyMs } from '../schedule.js';
import type { Hub } from '../hub.js';
import type { ClusterReport } from '../../domain/agent/report/report.js';
import { Attempts, resultOf } from './attempts.js';
import type { SessionContext } from './context.js';

/** Changes are collected for this long. */
const SETTLE_MS = 1_000;

interface PublisherOptions {
  readonly hub: Hub;
  /** The current report; undefined while it is not complete. */
  readonly report: () => ClusterReport | undefined;
  /** Runs when the hub has named another duration of the lease. */
  readonly onLease: () => void;
}

/**
 * Applies the report to the status of the ManagedCluster: at once after the start, 1 s after a change, and each hour, which
 * brings back what somebody has removed on the hub.
 */
export class Publisher {
  readonly #context: SessionContext;
  readonly #options: PublisherOptions;
  readonly #attempts: Attempts;
  readonly #delay: ShortenableDelay;
  /** The report that is on the hub, as JSON; undefined where that is not known. */
  #applied: string | undefined;
  /** When the report is applied again although it is the same, monotonic ms; zero before the first write. */
  #reapplyAt = 0;
  #attempted: () => void = () => undefined;
  /** Resolves after the first attempt, whether or not it succeeded. */
  readonly attempted = new Promise<void>((resolve) => (this.#attempted = resolve));

  constructor(context: SessionContext, options: PublisherOptions) {
    this.#context = context;
    this.#options = options;
    this.#attempts = new Attempts(context, 'status');
    this.#delay = new ShortenableDelay(context.tools.clock);
  }

  /** The report may have changed. While a failed write is repeated this is ignored: the next attempt sends the newest. */
  changed(): void {
    if (this.#attempts.failures === 0 && this.#isDue()) this.#delay.shortenTo(SETTLE_MS);
  }

  /** Runs until `signal` fires; rejects with its reason. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#context.state.whenAvailable(signal);
      const report = this.#options.report();
      const { clock, random } = this.#context.tools;
      let wait = report === undefined ? reapplyMs(random) : this.#reapplyAt - clock.monotonic();
      // A change may have been taken back in the meantime.
      if (report !== undefined && (wait <= 0 || this.#isDue())) wait = await this.#publish(report, signal);
      await this.#delay.wait(wait, signal);
    }
  }

  /** Returns the ms until the next write. */
  async #publish(report: ClusterReport, signal: AbortSignal): Promise<number> {
    const { clock, metrics, random } = this.#context.tools;
    const outcome = await this.#attempts.run(() => this.#options.hub.applyStatus(report, signal), signal);
    this.#attempted();
    metrics.published(resultOf(outcome));
    // A write that failed may have been stored: what is on the hub is known again after the next one.
    this.#applied = outcome.kind === 'failed' ? undefined : JSON.stringify(report);
    if (outcome.kind === 'failed') return outcome.retryInMs;
    this.#takeLease(outcome.value * 1000);
    const reapply = reapplyMs(random);
    this.#reapplyAt = clock.monotonic() + reapply;
    return this.#isDue() ? SETTLE_MS : reapply;
  }

  #takeLease(ms: number): void {
    const { state } = this.#context;
    if (ms === state.leaseMs) return;
    state.setLease(ms);
    this.#options.onLease();
  }

  #isDue(): boolean {
    const report = this.#options.report();
    return report !== undefined && JSON.stringify(report) !== this.#applied;
  }
}
