import type { Clock, Timer } from '../clock.js';
import { asError } from '../errors.js';

/**
 * Ends a call after a time limit or with the caller's signal, whichever is first. Most calls end before both, so that their
 * listeners stand in a set: an AbortController with the listeners of an attempt costs a tenth of a whole call.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #outer: AbortSignal | undefined;
  readonly #due: number;
  readonly #timer: Timer;
  readonly #listeners = new Set<(reason: Error) => void>();
  #controller: AbortController | undefined;
  #reason: Error | undefined;
  #expired = false;

  constructor(clock: Clock, ms: number, outer?: AbortSignal) {
    this.#clock = clock;
    this.#outer = outer;
    this.#due = clock.monotonic() + ms;
    this.#timer = clock.after(ms, () => this.#expire());
    if (outer?.aborted === true) this.#forwardAbort();
    else outer?.addEventListener('abort', this.#forwardAbort, { once: true });
  }

  /** Why the call must end; undefined while it may continue. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Whether the time limit fired, not the caller's signal. */
  get expired(): boolean {
    return this.#expired;
  }

  /** Ms until the limit; zero or less after it. */
  get remainingMs(): number {
    return this.#due - this.#clock.monotonic();
  }

  /** The same as a signal, for what is rare, such as the wait before another attempt. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Calls `run` once when the call must end, which may be at once. */
  onEnd(run: (reason: Error) => void): void {
    if (this.#reason === undefined) this.#listeners.add(run);
    else run(this.#reason);
  }

  /** `run` is not called any more. */
  offEnd(run: (reason: Error) => void): void {
    this.#listeners.delete(run);
  }

  /** Releases timer and listeners. Must be called in the end. */
  close(): void {
    this.#timer.cancel();
    this.#outer?.removeEventListener('abort', this.#forwardAbort);
  }

  readonly #forwardAbort = (): void => this.#end(asError(this.#outer?.reason));

  #expire(): void {
    this.#expired = true;
    this.#end(new Error('the deadline has passed'));
  }

  #end(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const run of listeners) run(reason);
  }
}

/** Resolves as `work` does, or rejects with the signal's reason when that fires first; `work` itself continues. */
export function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(asError(signal.reason));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
