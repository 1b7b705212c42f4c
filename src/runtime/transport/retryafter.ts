import type { Clock } from '../clock.js';

const SWEEP_SIZE = 1_000;

/** The calls for which the server has sent a Retry-After, each with its end; other calls are not delayed. */
export class RetryAfter {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of entries. */
  get size(): number {
    return this.#until.size;
  }

  set(key: string, ms: number): void {
    if (this.#until.size >= SWEEP_SIZE) this.#sweep();
    const until = this.#clock.monotonic() + ms;
    this.#until.set(key, Math.max(until, this.#until.get(key) ?? 0));
  }

  /** Ms that `key` still has to wait; zero when it may be sent. */
  remainingMs(key: string): number {
    const until = this.#until.get(key);
    if (until === undefined) return 0;
    const remaining = until - this.#clock.monotonic();
    if (remaining > 0) return remaining;
    this.#until.delete(key);
    return 0;
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const [key, until] of this.#until) {
      if (until <= now) this.#until.delete(key);
    }
  }
}
