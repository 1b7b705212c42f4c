import type { Clock, Timer } from './clock.js';

interface WaitLimitOptions {
  readonly clock: Clock;
  /** How long one wait may take. */
  readonly ms: number;
  /** Called once, when a wait has taken longer. */
  readonly exceeded: () => void;
}

/** Limits each wait for the other end of a connection. */
export class WaitLimit {
  readonly #options: WaitLimitOptions;
  #timer: Timer | undefined;

  constructor(options: WaitLimitOptions) {
    this.#options = options;
  }

  /** A wait begins, unless one is going on. */
  start(): void {
    const { clock, ms, exceeded } = this.#options;
    this.#timer ??= clock.after(ms, exceeded);
  }

  /** The wait is over. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
