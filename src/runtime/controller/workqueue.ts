import PQueue from 'p-queue';
import { backoffMs, DEFAULT_BACKOFF, type BackoffOptions } from '../backoff.js';
import { yieldToEventLoop, type Clock, type Random, type Timer } from '../clock.js';
import type { QueueMetrics, RunningWork } from '../metrics/managermetrics.js';

export interface Run {
  /** Fires when `drain` has waited long enough. */
  readonly signal: AbortSignal;
  /** Monotonic ms of the earliest `add` that this run covers; for a requeue or retry, when it became due. */
  readonly enqueuedAt: number;
}

export interface WorkQueueOptions {
  /** Never called twice at once for one key; an error that it throws counts as a failure. */
  readonly work: (key: string, run: Run) => Promise<void>;
  /** Concurrent runs, at least 1. */
  readonly workers: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly backoff?: BackoffOptions;
  readonly metrics?: QueueMetrics;
}

/** idle: waits for its timer; dirty: runs and was added again (client-go's dirty set). */
type State = 'idle' | 'queued' | 'running' | 'dirty';

interface Entry {
  state: State;
  /** Monotonic ms of the earliest `add` without a run; undefined when there is none. */
  enqueuedAt: number | undefined;
  queuedAt: number;
  startedAt: number;
  failures: number;
  /** The key does not run before. */
  notBefore: number;
  timer: Timer | undefined;
  timerDue: number;
  timerEnqueuedAt: number;
}

/**
 * A queue of keys with workers.
 *
 * Guarantees: a key never runs twice at once. After every `add` a run of the key starts; waiting adds share one run, and an
 * `add` during a run leads to one more. Of several delayed adds of a key the earliest counts, and a run covers all of them.
 * Keys run in the order in which they were added; a failed key is added again after its backoff. Each run starts in its own
 * turn of the event loop. Memory is bounded by the keys that wait or run: 1 KB for each.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #clock: Clock;
  /** The keys that wait for a worker, in their order: a task for each. Paused for ever when the queue has ended. */
  readonly #tasks: PQueue;
  readonly #entries = new Map<string, Entry>();
  readonly #abort = new AbortController();
  #waiting = 0;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#tasks = new PQueue({ concurrency: options.workers });
    options.metrics?.running(() => this.running());
  }

  /** Runs `key` as soon as a worker is free. Ignored after `drain`. */
  add(key: string): void {
    const now = this.#clock.monotonic();
    this.#schedule(key, now, now);
  }

  /** Runs `key` after `ms` at the latest. */
  addAfter(key: string, ms: number): void {
    const now = this.#clock.monotonic();
    this.#schedule(key, now + Math.max(ms, 0), now);
  }

  /** As `addAfter`, but the delay does not count as latency: `enqueuedAt` of the run is the time when it became due. */
  requeueAfter(key: string, ms: number): void {
    const due = this.#clock.monotonic() + Math.max(ms, 0);
    this.#schedule(key, due, due);
  }

  /** Counts a failure of `key` and runs it again after its backoff, never before `atLeastMs`; returns the ms it waits. */
  retry(key: string, atLeastMs = 0): number {
    const now = this.#clock.monotonic();
    const entry = this.#entry(key);
    entry.failures += 1;
    entry.notBefore = Math.max(entry.notBefore, now + atLeastMs);
    const wait = Math.max(
      backoffMs(entry.failures, this.#options.random, this.#options.backoff ?? DEFAULT_BACKOFF),
      atLeastMs,
    );
    this.#options.metrics?.retried();
    this.#schedule(key, now + wait, now + wait);
    return wait;
  }

  /** Resets the failures and the backoff of `key`. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.failures = 0;
    entry.notBefore = 0;
  }

  /** Failures of `key` in a row. */
  failures(key: string): number {
    return this.#entries.get(key)?.failures ?? 0;
  }

  /** Keys that wait for a worker or a timer, or run. */
  get size(): number {
    return this.#entries.size;
  }

  running(): RunningWork {
    const now = this.#clock.monotonic();
    let unfinished = 0;
    let longest = 0;
    for (const entry of this.#entries.values()) {
      if (entry.state !== 'running' && entry.state !== 'dirty') continue;
      const seconds = (now - entry.startedAt) / 1000;
      unfinished += seconds;
      longest = Math.max(longest, seconds);
    }
    return { unfinishedSeconds: unfinished, longestSeconds: longest };
  }

  /**
   * Ends the queue: drops waiting keys, accepts no more, and fires the signal of running keys after `deadlineMs`.
   * Resolves when no key runs, without a time limit.
   */
  async drain(deadlineMs: number): Promise<void> {
    this.#tasks.pause();
    this.#tasks.clear();
    for (const [key, entry] of this.#entries) {
      entry.timer?.cancel();
      if (entry.state === 'idle' || entry.state === 'queued') this.#entries.delete(key);
      if (entry.state === 'dirty') entry.state = 'running';
    }
    this.#setWaiting(0);
    const abort = (): void => this.#abort.abort(new Error('the work queue stops'));
    const timer = deadlineMs > 0 ? this.#clock.after(deadlineMs, abort) : undefined;
    if (timer === undefined) abort();
    await this.#tasks.onIdle();
    timer?.cancel();
  }

  #schedule(key: string, due: number, enqueuedAt: number): void {
    if (this.#tasks.isPaused) return;
    const entry = this.#entry(key);
    const when = Math.max(due, entry.notBefore);
    if (when > this.#clock.monotonic()) this.#arm(key, entry, { due: when, enqueuedAt });
    else this.#enqueue(key, entry, enqueuedAt);
  }

  #arm(key: string, entry: Entry, timer: { due: number; enqueuedAt: number }): void {
    if (entry.timer !== undefined) {
      entry.timerEnqueuedAt = Math.min(entry.timerEnqueuedAt, timer.enqueuedAt);
      if (entry.timerDue <= timer.due) return;
      entry.timer.cancel();
    } else {
      entry.timerEnqueuedAt = timer.enqueuedAt;
    }
    entry.timerDue = timer.due;
    entry.timer = this.#clock.after(timer.due - this.#clock.monotonic(), () => {
      entry.timer = undefined;
      this.#schedule(key, entry.timerDue, entry.timerEnqueuedAt);
    });
  }

  #enqueue(key: string, entry: Entry, enqueuedAt: number): void {
    entry.enqueuedAt = Math.min(entry.enqueuedAt ?? Infinity, enqueuedAt);
    if (entry.state === 'queued' || entry.state === 'dirty') return;
    this.#options.metrics?.added();
    this.#setWaiting(this.#waiting + 1);
    entry.queuedAt = this.#clock.monotonic();
    if (entry.state === 'running') entry.state = 'dirty';
    else this.#submit(key, entry);
  }

  #submit(key: string, entry: Entry): void {
    entry.state = 'queued';
    void this.#tasks.add(() => this.#run(key, entry));
  }

  async #run(key: string, entry: Entry): Promise<void> {
    await yieldToEventLoop();
    if (this.#tasks.isPaused) return;
    const now = this.#clock.monotonic();
    const enqueuedAt = Math.min(entry.enqueuedAt ?? now, entry.timer === undefined ? now : entry.timerEnqueuedAt);
    entry.timer?.cancel();
    entry.timer = undefined;
    entry.enqueuedAt = undefined;
    entry.state = 'running';
    entry.startedAt = now;
    this.#setWaiting(this.#waiting - 1);
    this.#options.metrics?.started((now - entry.queuedAt) / 1000);
    try {
      await this.#options.work(key, { signal: this.#abort.signal, enqueuedAt });
    } catch {
      this.retry(key);
    }
    this.#end(key, entry);
  }

  /** Ends a run: a key that was added during it is queued again, not before `notBefore`. */
  #end(key: string, entry: Entry): void {
    const now = this.#clock.monotonic();
    this.#options.metrics?.finished((now - entry.startedAt) / 1000);
    const dirty = entry.state === 'dirty';
    entry.state = 'idle';
    if (dirty && entry.notBefore <= now) {
      this.#submit(key, entry);
    } else if (dirty) {
      this.#setWaiting(this.#waiting - 1);
      this.#arm(key, entry, { due: entry.notBefore, enqueuedAt: entry.enqueuedAt ?? entry.notBefore });
    }
    if (entry.state === 'idle' && entry.timer === undefined) this.#entries.delete(key);
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const fresh: Entry = {
      state: 'idle',
      enqueuedAt: undefined,
      queuedAt: 0,
      startedAt: 0,
      failures: 0,
      notBefore: 0,
      timer: undefined,
      timerDue: 0,
      timerEnqueuedAt: 0,
    };
    this.#entries.set(key, fresh);
    return fresh;
  }

  #setWaiting(keys: number): void {
    this.#waiting = keys;
    this.#options.metrics?.depth(keys);
  }
}
