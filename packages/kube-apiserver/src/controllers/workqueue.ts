import type { Clock, Timer } from '../clock.js';

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Reconciles the object of a key. A rejected promise is retried with exponential backoff. */
  readonly reconcile: (key: string) => Promise<void>;
  /** How many keys are reconciled concurrently. One key never runs twice at once. */
  readonly workers: number;
  /** Receives the error of a failed reconciliation. */
  readonly onError: (key: string, error: unknown) => void;
}

const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 60_000;

/** A queue of keys without duplicates, like the workqueue of client-go. No timer runs while it is empty. */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #queue = new Set<string>();
  readonly #processing = new Map<string, Promise<void>>();
  /** Keys that were added while they were processed, and are processed again. */
  readonly #dirty = new Set<string>();
  readonly #timers = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  #scheduled = false;
  #shuttingDown = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  add(key: string): void {
    if (this.#shuttingDown) return;
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
    if (this.#processing.has(key)) {
      this.#dirty.add(key);
      return;
    }
    this.#queue.add(key);
    this.#schedule();
  }

  /** Adds a key after a delay, unless it is queued or delayed already. */
  addAfter(key: string, ms: number): void {
    if (this.#shuttingDown || this.#queue.has(key) || this.#dirty.has(key) || this.#timers.has(key)) return;
    this.#timers.set(
      key,
      this.#options.clock.after(ms, () => this.add(key)),
    );
  }

  /** Ignores further keys, drops queued keys, and waits for reconciliations that run. */
  async end(): Promise<void> {
    this.#shuttingDown = true;
    this.#queue.clear();
    this.#dirty.clear();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    await Promise.all(this.#processing.values());
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#startWorkers();
    });
  }

  #startWorkers(): void {
    for (const key of this.#queue) {
      if (this.#processing.size >= this.#options.workers) return;
      this.#queue.delete(key);
      this.#processing.set(key, this.#run(key));
    }
  }

  async #run(key: string): Promise<void> {
    try {
      await this.#options.reconcile(key);
      this.#failures.delete(key);
    } catch (error) {
      this.#retry(key, error);
    }
    this.#processing.delete(key);
    if (this.#dirty.delete(key)) this.add(key);
    this.#schedule();
  }

  #retry(key: string, error: unknown): void {
    if (this.#shuttingDown) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#options.onError(key, error);
    this.addAfter(key, Math.min(MIN_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS));
  }
}
