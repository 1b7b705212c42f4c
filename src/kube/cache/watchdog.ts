import type { Clock, Timer } from '../../runtime/clock.js';

export interface WatchdogLimits {
  /** Longest time between two resets, in ms. */
  readonly idleMs: number;
  /** Longest total time, in ms. */
  readonly totalMs: number;
}

/** Calls `onExpired` once, when it was not reset for `idleMs` or when `totalMs` have passed. */
export class Watchdog {
  readonly #clock: Clock;
  readonly #totalMs: number;
  #idleMs: number;
  readonly #onExpired: (why: string) => void;
  readonly #startedAt: number;
  #resetAt: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, limits: WatchdogLimits, onExpired: (why: string) => void) {
    this.#clock = clock;
    this.#totalMs = limits.totalMs;
    this.#idleMs = limits.idleMs;
    this.#onExpired = onExpired;
    this.#startedAt = clock.monotonic();
    this.#resetAt = this.#startedAt;
    this.#arm();
  }

  /** Restarts the idle time. Cheap: the timer stays armed. */
  reset(): void {
    this.#resetAt = this.#clock.monotonic();
  }

  /** Changes the longest time between two resets, from the next expiry of the timer on. */
  allowIdle(idleMs: number): void {
    this.#idleMs = idleMs;
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const now = this.#clock.monotonic();
    const idle = this.#resetAt + this.#idleMs - now;
    const total = this.#startedAt + this.#totalMs - now;
    if (total <= 0) this.#onExpired('its time limit has passed');
    else if (idle <= 0) this.#onExpired('nothing was received for too long');
    else this.#timer = this.#clock.after(Math.min(idle, total), () => this.#arm());
  }
}
