import type { AbortSignalLike, Clock, Timer } from '../clock.js';
import { asError } from '../errors.js';

/**
 * A signal and its controller in one, for each of many short calls: an AbortController with its event target costs more
 * than all else that the call does with it. Each listener is called once.
 */
export class LightAbortSignal<Reason = unknown> implements AbortSignalLike {
  readonly #listeners: (() => void)[] = [];
  #aborted = false;
  #reason: Reason | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): Reason | undefined {
    return this.#reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const index = this.#listeners.indexOf(listener);
    if (index >= 0) this.#listeners.splice(index, 1);
  }

  /** Fires the signal. Only the first call has an effect. */
  abort(reason: Reason): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

/**
 * Ends a call after a time limit or with the caller's signal, whichever is first. Most calls end before both: an
 * AbortController with the listeners of an attempt costs a tenth of a whole call.
 */
export class Deadline extends LightAbortSignal<Error> {
  readonly #clock: Clock;
  readonly #outer: AbortSignal | undefined;
  readonly #due: number;
  readonly #timer: Timer;
  #controller: AbortController | undefined;
  #expired = false;

  constructor(clock: Clock, ms: number, outer?: AbortSignal) {
    super();
    this.#clock = clock;
    this.#outer = outer;
    this.#due = clock.monotonic() + ms;
    this.#timer = clock.after(ms, () => this.#expire());
    if (outer?.aborted === true) this.#forwardAbort();
    else outer?.addEventListener('abort', this.#forwardAbort, { once: true });
  }

  /** Whether the time limit fired, not the caller's signal. */
  get expired(): boolean {
    return this.#expired;
  }

  /** Ms until the limit; zero or less after it. */
  get remainingMs(): number {
    return this.#due - this.#clock.monotonic();
  }

  /** The same for what needs an AbortSignal of Node. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = (this.#controller = new AbortController());
      if (this.aborted) controller.abort(this.reason);
      else this.addEventListener('abort', () => controller.abort(this.reason));
    }
    return this.#controller.signal;
  }

  /** Releases timer and listeners. Must be called in the end. */
  close(): void {
    this.#timer.cancel();
    this.#outer?.removeEventListener('abort', this.#forwardAbort);
  }

  readonly #forwardAbort = (): void => this.abort(asError(this.#outer?.reason));

  #expire(): void {
    this.#expired = true;
    this.abort(new Error('the deadline has passed'));
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
