import type { Clock, Timer } from '../../runtime/clock.js';

export interface WatchdogLimits {
  /** Longest time without a sign of life, in ms. */
  readonly idleMs: number;
  /** Longest time in all, in ms. */
  readonly totalMs: number;
}

/** Bites once when nothing has come for too long, or when it has gone on for too long. */
export class Watchdog {
  readonly #clock: Clock;
  readonly #limits: WatchdogLimits;
  readonly #bite: (why: string) => void;
  readonly #startedAt: number;
  #seenAt: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, limits: WatchdogLimits, bite: (why: string) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#bite = bite;
    this.#startedAt = clock.monotonic();
    this.#seenAt = this.#startedAt;
    this.#arm();
  }

  /** A sign of life. Cheap: the timer is left as it is. */
  reset(): void {
    this.#seenAt = this.#clock.monotonic();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const now = this.#clock.monotonic();
    const idle = this.#seenAt + this.#limits.idleMs - now;
    const total = this.#startedAt + this.#limits.totalMs - now;
    if (total <= 0) this.#bite('its time is over');
    else if (idle <= 0) this.#bite('it was silent for too long');
    else this.#timer = this.#clock.after(Math.min(idle, total), () => this.#arm());
  }
}
