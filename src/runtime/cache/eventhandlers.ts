import type { KubeObject } from '../vocabulary/meta.js';
import type { Change } from './store.js';
import { asError } from '../errors.js';

/** The handlers of a cache. An error that a handler throws is reported; the cache and the other handlers continue. */
export class EventHandlers<T extends KubeObject> {
  readonly #onError: (key: string, error: unknown) => void;
  readonly #changeHandlers = new Set<(change: Change<T>) => void>();
  readonly #stateHandlers = new Set<() => void>();

  constructor(onError: (key: string, error: unknown) => void) {
    this.#onError = onError;
  }

  addChangeHandler(handler: (change: Change<T>) => void): void {
    this.#changeHandlers.add(handler);
  }

  addStateHandler(handler: () => void): void {
    this.#stateHandlers.add(handler);
  }

  /** Resolves once `reached` returns true; rejects with the reason of the first signal that has fired. */
  waitUntil(reached: () => boolean, signals: readonly AbortSignal[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const aborted = signals.find((signal) => signal.aborted);
        if (!reached() && aborted === undefined) return;
        this.#stateHandlers.delete(check);
        for (const signal of signals) signal.removeEventListener('abort', check);
        if (reached()) resolve();
        else reject(asError(aborted?.reason));
      };
      this.#stateHandlers.add(check);
      for (const signal of signals) signal.addEventListener('abort', check, { once: true });
      check();
    });
  }

  notifyChange(change: Change<T>): void {
    for (const handler of this.#changeHandlers) this.#call(() => handler(change), change.key);
  }

  notifyState(): void {
    for (const handler of this.#stateHandlers) this.#call(handler, '');
  }

  #call(handler: () => void, key: string): void {
    try {
      handler();
    } catch (error) {
      this.#onError(key, error);
    }
  }
}
