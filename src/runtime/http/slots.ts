import type { AbortSignalLike } from '../clock.js';
import { asError } from '../errors.js';

/** A fixed number of slots for calls, which are taken in the order of asking. */
export class Slots {
  #free: number;
  /** Those who wait; the oldest first. */
  readonly #waiting = new Set<() => void>();

  constructor(size: number) {
    this.#free = size;
  }

  /** How many wait for a slot. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Takes a slot when one is free now: then nobody waits. Returns whether it did. */
  tryTake(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /**
   * Takes a slot, as soon as one is free. Whoever stops waiting leaves nothing behind.
   * @throws the signal's reason as an Error, when it fires first
   */
  take(signal: AbortSignalLike): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(asError(signal.reason));
        return;
      }
      if (this.tryTake()) {
        resolve();
        return;
      }
      const onAbort = (): void => {
        this.#waiting.delete(onFree);
        reject(asError(signal.reason));
      };
      const onFree = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      this.#waiting.add(onFree);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Gives a slot back. */
  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
