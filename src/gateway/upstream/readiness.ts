import type { Clock, Timer } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import { UpstreamError } from './error.js';
import type { Upstream } from './upstream.js';

interface UpstreamReadinessOptions {
  readonly upstream: Pick<Upstream, 'checkConnection'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Between two attempts. */
const RETRY_MS = 1_000;

/**
 * Connects to the API server until it has been reached and verified once. Until then the gateway is not ready: one with
 * a wrong address or CA must not replace a working one in a rollout. Later failures do not change readiness: clients
 * get them as 503, for which the gateway has to be ready.
 */
export class UpstreamReadiness {
  readonly #options: UpstreamReadinessOptions;
  #notReadyReason: string | undefined = 'the API server has not been reached yet';
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: UpstreamReadinessOptions) {
    this.#options = options;
  }

  /** Undefined once the API server was reached and verified. */
  get notReadyReason(): string | undefined {
    return this.#notReadyReason;
  }

  /** Makes the first attempt at once. */
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
      this.#notReadyReason = undefined;
      log.info({}, 'the API server is reached and verified');
    } catch (error) {
      const { code, explanation } =
        error instanceof UpstreamError ? error : { code: 'UNKNOWN', explanation: undefined };
      const reason = `the API server cannot be reached or verified: ${code}`;
      if (this.#stopped) return;
      if (reason !== this.#notReadyReason) log.warn({ reason: explanation ?? reason }, 'not ready');
      this.#notReadyReason = reason;
      this.#timer = clock.after(RETRY_MS, () => void this.#attempt());
    }
  }
}
