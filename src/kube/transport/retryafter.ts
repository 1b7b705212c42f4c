import type { Clock } from '../../runtime/clock.js';

const SWEEP_AT = 1_000;

/** Calls that the server asked to hold back, each until its time; all others go on. */
export class RetryAfter {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls that are remembered. */
  get size(): number {
    return this.#until.size;
  }

  hold(key: string, ms: number): void {
    if (this.#until.size >= SWEEP_AT) this.#sweep();
    const until = this.#clock.monotonic() + ms;
    this.#until.set(key, Math.max(until, this.#until.get(key) ?? 0));
  }

  /** Ms that `key` still has to wait; zero when it may go. */
  remainingMs(key: string): number {
    const until = this.#until.get(key);
    if (until === undefined) return 0;
    const left = until - this.#clock.monotonic();
    if (left > 0) return left;
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
