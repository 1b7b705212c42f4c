import type { Clock, Timer } from '../clock.js';
import { asError } from '../errors.js';

export interface RateLimit {
  /** Calls a second on average. */
  readonly qps: number;
  /** Calls that may be sent at once after a pause. */
  readonly burst: number;
}

/** A token bucket on the monotonic clock; waiting calls are served in order. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  readonly #waiting = new Set<() => void>();
  #tokens: number;
  #filledAt: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock;
    this.#limit = limit;
    this.#tokens = limit.burst;
    this.#filledAt = clock.monotonic();
  }

  /** Resolves when the call may be sent; rejects with the signal's reason and takes no token then. */
  async take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#fill();
    if (this.#waiting.size === 0 && this.#tokens >= 1) {
      this.#tokens -= 1;
      return;
    }
    await this.#queue(signal);
  }

  #queue(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(send);
        if (this.#waiting.size === 0) this.#disarm();
        reject(asError(signal?.reason));
      };
      const send = (): void => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      this.#waiting.add(send);
      signal?.addEventListener('abort', stop, { once: true });
      this.#arm();
    });
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    const gained = ((now - this.#filledAt) / 1000) * this.#limit.qps;
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + gained);
    this.#filledAt = now;
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0) return;
    const wait = Math.ceil((Math.max(0, 1 - this.#tokens) / this.#limit.qps) * 1000);
    this.#timer = this.#clock.after(wait, () => this.#serve());
  }

  #serve(): void {
    this.#timer = undefined;
    this.#fill();
    for (const send of this.#waiting) {
      if (this.#tokens < 1) break;
      this.#tokens -= 1;
      this.#waiting.delete(send);
      send();
    }
    this.#arm();
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
