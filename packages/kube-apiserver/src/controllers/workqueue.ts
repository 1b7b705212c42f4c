import type { Clock, Timer } from '../clock.js';

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Looks at what a key stands for and does what has to be done; tried again later when it rejects. */
  readonly reconcile: (key: string) => Promise<void>;
  /** How many keys may be at work at once; never one key twice. */
  readonly workers: number;
  /** Told of what is tried again. */
  readonly onError: (key: string, error: unknown) => void;
}

const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 60_000;

/** Keys that have to be looked at, each once however often it was added. Nothing runs while it is empty. */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #due = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  /** Added while they were at work. */
  readonly #again = new Set<string>();
  readonly #later = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  #woken = false;
  #ended = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  add(key: string): void {
    if (this.#ended) return;
    this.#later.get(key)?.cancel();
    this.#later.delete(key);
    if (this.#running.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#due.add(key);
    this.#wake();
  }

  /** Adds a key in a while, unless it is on the list already. */
  addAfter(key: string, ms: number): void {
    if (this.#ended || this.#due.has(key) || this.#again.has(key) || this.#later.has(key)) return;
    this.#later.set(
      key,
      this.#options.clock.after(ms, () => this.add(key)),
    );
  }

  /** Takes no more keys, and waits for those at work. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#due.clear();
    this.#again.clear();
    for (const timer of this.#later.values()) timer.cancel();
    this.#later.clear();
    await Promise.all(this.#running.values());
  }

  #wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    queueMicrotask(() => {
      this.#woken = false;
      this.#fill();
    });
  }

  #fill(): void {
    for (const key of this.#due) {
      if (this.#running.size >= this.#options.workers) return;
      this.#due.delete(key);
      this.#running.set(key, this.#run(key));
    }
  }

  async #run(key: string): Promise<void> {
    try {
      await this.#options.reconcile(key);
      this.#failures.delete(key);
    } catch (error) {
      this.#retry(key, error);
    }
    this.#running.delete(key);
    if (this.#again.delete(key)) this.add(key);
    this.#wake();
  }

  #retry(key: string, error: unknown): void {
    if (this.#ended) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#options.onError(key, error);
    this.addAfter(key, Math.min(MIN_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS));
  }
}
