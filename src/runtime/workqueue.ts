import PQueue from 'p-queue';
import { backoffMs, DEFAULT_BACKOFF, type BackoffOptions } from './backoff.js';
import type { Clock, Random, Timer } from './clock.js';
import type { QueueMetrics, RunningWork } from './metrics.js';

export interface Run {
  /** Fires when the queue gives up waiting for its runs. */
  readonly signal: AbortSignal;
  /** Monotonic ms at which the earliest wish that this run answers was made; for a wake or a retry, when it fell due. */
  readonly enqueuedAt: number;
}

export interface WorkQueueOptions {
  /** Called for one key at a time; what it throws counts as a failure. */
  readonly work: (key: string, run: Run) => Promise<void>;
  /** Runs at a time, at least 1. */
  readonly workers: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly backoff?: BackoffOptions;
  readonly metrics?: QueueMetrics;
}

/** idle: waits for its timer; dirty: runs and was asked for again. */
type State = 'idle' | 'queued' | 'running' | 'dirty';

interface Entry {
  state: State;
  /** When the earliest wish not yet answered was made; undefined when there is none. */
  enqueuedAt: number | undefined;
  queuedAt: number;
  startedAt: number;
  failures: number;
  /** Nothing of this key runs before. */
  notBefore: number;
  timer: Timer | undefined;
  timerDue: number;
  timerEnqueuedAt: number;
}

/**
 * A queue of keys with workers.
 *
 * Guarantees: a key never runs twice at once. Every `add` is answered by a run that begins after it; adds that wait
 * together are answered by one run, an `add` during a run by one more. Of several wakes of a key the earliest wins, and
 * a run that begins answers them all. Keys run in the order in which they were asked for, so that one that fails waits
 * behind the others, after a backoff of its own. Each run begins in a turn of the event loop of its own. Memory is
 * bounded by the keys that wait or run.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #clock: Clock;
  readonly #pool: PQueue;
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Set<Entry>();
  readonly #abort = new AbortController();
  #waiting = 0;
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#pool = new PQueue({ concurrency: options.workers });
    options.metrics?.running(() => this.running());
  }

  /** Runs `key` as soon as a worker is free. Ignored after `drain` began. */
  add(key: string): void {
    const now = this.#clock.monotonic();
    this.#schedule(key, now, now);
  }

  /** Runs `key` in `ms` at the latest. */
  addAfter(key: string, ms: number): void {
    const now = this.#clock.monotonic();
    this.#schedule(key, now + Math.max(ms, 0), now);
  }

  /** As `addAfter`, for a wish that is made only when it falls due: the wait does not count as somebody's waiting. */
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

  /** Forgets the failures of `key`, so that its next backoff starts anew. */
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

  /** Keys that are known at all: waiting for a worker, for their time, or running. */
  get size(): number {
    return this.#entries.size;
  }

  running(): RunningWork {
    const now = this.#clock.monotonic();
    let unfinished = 0;
    let longest = 0;
    for (const entry of this.#running) {
      const seconds = (now - entry.startedAt) / 1000;
      unfinished += seconds;
      longest = Math.max(longest, seconds);
    }
    return { unfinishedSeconds: unfinished, longestSeconds: longest };
  }

  /**
   * Ends the queue: takes nothing in, drops what waits, lets the runs end, and after `deadlineMs` fires their signal.
   * Resolves when no run is left, however long that takes.
   */
  async drain(deadlineMs: number): Promise<void> {
    this.#closed = true;
    this.#pool.clear();
    for (const [key, entry] of this.#entries) {
      entry.timer?.cancel();
      if (entry.state === 'idle' || entry.state === 'queued') this.#entries.delete(key);
      if (entry.state === 'dirty') entry.state = 'running';
    }
    this.#setWaiting(0);
    const giveUp = (): void => this.#abort.abort(new Error('the work queue stops'));
    const timer = deadlineMs > 0 ? this.#clock.after(deadlineMs, giveUp) : undefined;
    if (timer === undefined) giveUp();
    await this.#pool.onIdle();
    timer?.cancel();
  }

  #schedule(key: string, due: number, enqueuedAt: number): void {
    if (this.#closed) return;
    const entry = this.#entry(key);
    const when = Math.max(due, entry.notBefore);
    if (when > this.#clock.monotonic()) this.#arm(key, entry, { due: when, enqueuedAt });
    else this.#enqueue(key, entry, enqueuedAt);
  }

  #arm(key: string, entry: Entry, wake: { due: number; enqueuedAt: number }): void {
    if (entry.timer !== undefined) {
      entry.timerEnqueuedAt = Math.min(entry.timerEnqueuedAt, wake.enqueuedAt);
      if (entry.timerDue <= wake.due) return;
      entry.timer.cancel();
    } else {
      entry.timerEnqueuedAt = wake.enqueuedAt;
    }
    entry.timerDue = wake.due;
    entry.timer = this.#clock.after(wake.due - this.#clock.monotonic(), () => {
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
    void this.#pool.add(() => this.#run(key, entry));
  }

  async #run(key: string, entry: Entry): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#closed) return;
    const run = this.#begin(entry);
    try {
      await this.#options.work(key, run);
    } catch {
      this.retry(key);
    }
    this.#end(key, entry);
  }

  #begin(entry: Entry): Run {
    const now = this.#clock.monotonic();
    const enqueuedAt = Math.min(entry.enqueuedAt ?? now, entry.timer === undefined ? now : entry.timerEnqueuedAt);
    entry.timer?.cancel();
    entry.timer = undefined;
    entry.enqueuedAt = undefined;
    entry.state = 'running';
    entry.startedAt = now;
    this.#running.add(entry);
    this.#setWaiting(this.#waiting - 1);
    this.#options.metrics?.started((now - entry.queuedAt) / 1000);
    return { signal: this.#abort.signal, enqueuedAt };
  }

  #end(key: string, entry: Entry): void {
    this.#running.delete(entry);
    this.#options.metrics?.finished((this.#clock.monotonic() - entry.startedAt) / 1000);
    const dirty = entry.state === 'dirty';
    entry.state = 'idle';
    if (dirty) this.#again(key, entry);
    if (entry.state === 'idle' && entry.timer === undefined) this.#entries.delete(key);
  }

  /** After a run during which the key was asked for: at once, unless its run was told to hold off. */
  #again(key: string, entry: Entry): void {
    if (entry.notBefore <= this.#clock.monotonic()) {
      this.#submit(key, entry);
      return;
    }
    this.#setWaiting(this.#waiting - 1);
    this.#arm(key, entry, { due: entry.notBefore, enqueuedAt: entry.enqueuedAt ?? entry.notBefore });
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
