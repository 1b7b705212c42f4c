import type { Clock, Timer } from '../clock.js';

export interface WatchdogLimits {
  /** Longest time between two resets, in ms. */
  readonly idleMs: number;
  /** Longest total time, in ms. */
  readonly totalMs: number;
}

/** Calls `onExpired` once, when it was not reset for `idleMs` or when `totalMs` have passed. */
export class Watchdog {
  readonly #clock: Clock;
  #limits: WatchdogLimits;
  readonly #onExpired: (why: string) => void;
  readonly #startedAt: number;
  #resetAt: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, limits: WatchdogLimits, onExpired: (why: string) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#onExpired = onExpired;
    this.#startedAt = clock.monotonic();
    this.#resetAt = this.#startedAt;
    this.#arm();
  }

  /** Restarts the idle time. Cheap: the timer stays armed. */
  reset(): void {
    this.#resetAt = this.#clock.monotonic();
  }

  /** Sets longer limits, from the next expiry of the timer on; the total time still counts from the start. */
  allow(limits: WatchdogLimits): void {
    this.#limits = limits;
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const now = this.#clock.monotonic();
    const idle = this.#resetAt + this.#limits.idleMs - now;
    const total = this.#startedAt + this.#limits.totalMs - now;
    if (total <= 0) this.#onExpired('its time limit has passed');
    else if (idle <= 0) this.#onExpired('nothing was received for too long');
    else this.#timer = this.#clock.after(Math.min(idle, total), () => this.#arm());
  }
}
