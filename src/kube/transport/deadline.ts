import type { Clock, Timer } from '../../runtime/clock.js';

/** An abort signal that fires when a time has run out or when the caller's own signal fires, whichever is first. */
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
    if (outer?.aborted === true) this.#pass();
    else outer?.addEventListener('abort', this.#pass, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it was the time that ran out, not the caller that gave up. */
  get expired(): boolean {
    return this.#expired;
  }

  /** Ms left; zero or less when it is over. */
  get remainingMs(): number {
    return this.#due - this.#clock.monotonic();
  }

  /** Takes the time limit away; the caller's signal stays linked. */
  disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Lets go of timer and listener. To be called on every path. */
  close(): void {
    this.disarm();
    this.#outer?.removeEventListener('abort', this.#pass);
  }

  readonly #pass = (): void => this.#controller.abort(this.#outer?.reason);

  #expire(): void {
    this.#expired = true;
    this.#controller.abort(new Error('the deadline has passed'));
  }
}

/** `work`, or a rejection with the signal's reason when that fires first; `work` itself is not stopped by it. */
export function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
