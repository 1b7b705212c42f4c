import { asError } from '../runtime/errors.js';
import type { Clock, Timer } from '../runtime/clock.js';

/** A delay that can be shortened while a caller waits for it. One wait at a time. */
export class ShortenableDelay {
  readonly #clock: Clock;
  #timer: Timer | undefined;
  /** Monotonic ms of the end of the current wait; undefined while no caller waits. */
  #due: number | undefined;
  #end: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after `ms`, or earlier as {@link shortenTo} says; rejects with the signal's reason. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (how: () => void): void => {
        this.#timer?.cancel();
        this.#due = undefined;
        signal.removeEventListener('abort', stop);
        how();
      };
      const stop = (): void => settle(() => reject(asError(signal.reason)));
      if (signal.aborted) {
        stop();
        return;
      }
      signal.addEventListener('abort', stop, { once: true });
      this.#end = () => settle(resolve);
      this.#arm(ms);
    });
  }

  /** Ends the current wait after `ms` unless it ends earlier. Does nothing while no caller waits. */
  shortenTo(ms: number): void {
    if (this.#due !== undefined && this.#clock.monotonic() + ms < this.#due) this.#arm(ms);
  }

  #arm(ms: number): void {
    this.#timer?.cancel();
    this.#due = this.#clock.monotonic() + ms;
    this.#timer = this.#clock.after(ms, () => this.#end());
  }
}
