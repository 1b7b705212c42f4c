import type { KubeObject } from '../../api/meta.js';
import type { Change } from './store.js';

/** Those who listen to a cache. What one of them throws is reported and harms neither the cache nor the others. */
export class EventHandlers<T extends KubeObject> {
  readonly #onBroken: (key: string, error: unknown) => void;
  readonly #changes = new Set<(change: Change<T>) => void>();
  readonly #states = new Set<() => void>();

  constructor(onBroken: (key: string, error: unknown) => void) {
    this.#onBroken = onBroken;
  }

  addChangeHandler(handler: (change: Change<T>) => void): void {
    this.#changes.add(handler);
  }

  addStateHandler(handler: () => void): void {
    this.#states.add(handler);
  }

  /** Resolves as soon as `reached` is true after a change of state; rejects with the reason of the first signal that has fired. */
  waitUntil(reached: () => boolean, signals: readonly AbortSignal[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const cut = signals.find((signal) => signal.aborted);
        if (!reached() && cut === undefined) return;
        this.#states.delete(look);
        for (const signal of signals) signal.removeEventListener('abort', look);
        if (reached()) resolve();
        else reject(cut?.reason instanceof Error ? cut.reason : new Error(String(cut?.reason)));
      };
      this.#states.add(look);
      for (const signal of signals) signal.addEventListener('abort', look, { once: true });
      look();
    });
  }

  notifyChange(change: Change<T>): void {
    for (const handler of this.#changes) this.#call(() => handler(change), change.key);
  }

  notifyState(): void {
    for (const handler of this.#states) this.#call(handler, '');
  }

  #call(handler: () => void, key: string): void {
    try {
      handler();
    } catch (error) {
      this.#onBroken(key, error);
    }
  }
}
