import type { Clock, Timer } from '../clock.js';
import { connectionCode } from '../connection/failure.js';
import type { Logger } from '../logger.js';

interface UpstreamReadinessOptions {
  /** Connects to the API server, verifies it, and disconnects. */
  readonly connect: () => Promise<void>;
  /** An error of it in words, with what to do. */
  readonly explain: (error: unknown) => string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Between two attempts. */
const RETRY_MS = 1_000;

/**
 * Connects to the API server until it has been reached and verified once. Until then the process is not ready: one with a wrong
 * address or CA must not replace a working one in a rollout. Later failures do not change readiness: clients get them as errors
 * of their requests, for which the process has to be ready.
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
    const { connect, explain, clock, log } = this.#options;
    try {
      await connect();
      this.#notReadyReason = undefined;
      log.info({}, 'the API server is reached and verified');
    } catch (error) {
      const reason = `the API server cannot be reached or verified: ${connectionCode(error)}`;
      if (this.#stopped) return;
      if (reason !== this.#notReadyReason) log.warn({ reason: explain(error) }, 'not ready');
      this.#notReadyReason = reason;
      this.#timer = clock.after(RETRY_MS, () => void this.#attempt());
    }
  }
}
