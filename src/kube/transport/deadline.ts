import type { Clock, Timer } from '../../runtime/clock.js';
import { asError } from '../../runtime/errors.js';

/** An abort signal that fires after a time limit or with the caller's signal, whichever is first. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #due: number;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #expired = false;

  constructor(clock: Clock, ms: number, outer?: AbortSignal) {
    this.#clock = clock;
    this.#outer = outer;
    this.#due = clock.monotonic() + ms;
    this.#timer = clock.after(ms, () => this.#expire());
    if (outer?.aborted === true) this.#forwardAbort();
    else outer?.addEventListener('abort', this.#forwardAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time limit fired, not the caller's signal. */
  get expired(): boolean {
    return this.#expired;
  }

  /** Ms until the limit; zero or less after it. */
  get remainingMs(): number {
    return this.#due - this.#clock.monotonic();
  }

  /** Removes the time limit; the caller's signal stays linked. */
  disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Releases timer and listener. Must be called in the end. */
  close(): void {
    this.disarm();
    this.#outer?.removeEventListener('abort', this.#forwardAbort);
  }

  readonly #forwardAbort = (): void => this.#controller.abort(this.#outer?.reason);

  #expire(): void {
    this.#expired = true;
    this.#controller.abort(new Error('the deadline has passed'));
  }
}

/** Resolves as `work` does, or rejects with the signal's reason when that fires first; `work` itself goes on. */
export function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(asError(signal.reason));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
