import type { Clock, Timer } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import { UpstreamError } from './error.js';
import type { Upstream } from './upstream.js';

export interface UpstreamReadinessOptions {
  readonly upstream: Pick<Upstream, 'checkConnection'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Between two tries, ms. */
const RETRY_MS = 1_000;

/**
 * Tries to reach the API server until it has once been reached and verified. A gateway with the wrong address or the wrong
 * authority serves nobody and must not take the place of one that does. What happens later is told to clients in answers,
 * which only a gateway that is ready can give.
 */
export class UpstreamReadiness {
  readonly #options: UpstreamReadinessOptions;
  #fault: string | undefined = 'the API server has not been reached yet';
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: UpstreamReadinessOptions) {
    this.#options = options;
  }

  /** Why there has been no contact; undefined once there was. */
  get notReadyReason(): string | undefined {
    return this.#fault;
  }

  /** Begins; the first try is made at once. */
  start(): void {
    void this.#attempt();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #attempt(): Promise<void> {
    const { upstream, clock, log } = this.#options;
    try {
      await upstream.checkConnection();
      this.#fault = undefined;
      log.info({}, 'the API server is reached and verified');
    } catch (error) {
      const fault = `the API server cannot be reached or verified: ${error instanceof UpstreamError ? error.code : 'UNKNOWN'}`;
      if (this.#stopped) return;
      if (fault !== this.#fault) log.warn({ reason: fault }, 'not ready');
      this.#fault = fault;
      this.#timer = clock.after(RETRY_MS, () => void this.#attempt());
    }
  }
}
