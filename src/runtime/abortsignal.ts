import type { AbortSignalLike } from './clock.js';

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
