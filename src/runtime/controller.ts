import { randomUUID } from 'node:crypto';
import type { BackoffOptions } from './backoff.js';
import type { Clock, Random, Timer } from './clock.js';
import { ApiError, isFailure } from './errors.js';
import type { Logger } from './logger.js';
import type { ControllerMetrics, ReconcileResult, RunningWork } from './metrics.js';
import type { Pass, Reconciler, Result } from './result.js';
import { WorkQueue, type Run } from './workqueue.js';

export interface ControllerOptions {
  /** Lower case; label of its metrics, field of its log lines. */
  readonly name: string;
  /** Kind of the object that a key names, for the log. */
  readonly kind: string;
  readonly reconciler: Reconciler;
  /** Every key there is now: looked at when work begins, and again each `resyncMs`. */
  readonly keys: () => Iterable<string>;
  /** Passes at a time; one by default. */
  readonly workers?: number;
  /** Ms between two periodic looks at every key, 10 minutes by default: what no watch reports is noticed by then. */
  readonly resyncMs?: number;
  readonly backoff?: BackoffOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: ControllerMetrics;
  readonly newId?: () => string;
}

/** What a lifecycle group starts and stops. */
export interface Controller {
  readonly name: string;
  /** Asks for a pass over `key`, a `namespace/name` or a `name`. Ignored while stopped: `start` looks at every key. */
  add(key: string): void;
  /** The same in `ms` at the latest: further calls before then ride along, so nothing waits longer. */
  addAfter(key: string, ms: number): void;
  /** Begins to work, every key first. */
  start(): void;
  /** Takes no more work, lets passes end, fires their signal after `drainMs`; resolves when none is left. */
  stop(drainMs: number): Promise<void>;
  /** The passes in hand. */
  running(): RunningWork;
}

const DEFAULT_RESYNC_MS = 10 * 60_000;
/** Conflicts in a row that are the ordinary price of deciding on a cache. */
const CONFLICTS_FORGIVEN = 3;
/** The periodic look spreads its keys over this share of the period, and comes that much early or not. */
const RESYNC_SPREAD = 0.1;

/**
 * A loop that brings keys nearer to what is wanted.
 *
 * Guarantees: one pass per key at a time. Whatever a pass throws ends that pass alone: it is logged once, counted, and
 * the key is tried again after its backoff, and never before a Retry-After of the server. Passes given up because the
 * process drains or the lease is gone are no errors, and neither are a few conflicts in a row. Every key that `keys` gives gets a pass after `start` and then at
 * least each `resyncMs`.
 */
export function createController(options: ControllerOptions): Controller {
  return new Loop(options);
}

class Loop implements Controller {
  readonly name: string;
  readonly #options: ControllerOptions;
  readonly #workers: number;
  #queue: WorkQueue | undefined;
  /** The end of the last tenure, while passes of it still run. */
  #ending: { readonly queue: WorkQueue; readonly ended: Promise<void> } | undefined;
  #resync: Timer | undefined;
  #active = 0;

  constructor(options: ControllerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#workers = options.workers ?? 1;
    options.metrics?.reconcile.workers(this.#workers);
  }

  add(key: string): void {
    this.#queue?.add(key);
  }

  addAfter(key: string, ms: number): void {
    this.#queue?.addAfter(key, ms);
  }

  start(): void {
    if (this.#queue !== undefined || this.#ending !== undefined) {
      throw new Error(`controller ${this.name}: started while it runs; stop it first`);
    }
    const { clock, random, backoff, metrics } = this.#options;
    const queue: WorkQueue = new WorkQueue({
      work: (key, run) => this.#work(queue, key, run),
      workers: this.#workers,
      clock,
      random,
      ...(backoff && { backoff }),
      ...(metrics && { metrics: metrics.queue }),
    });
    this.#queue = queue;
    for (const key of this.#options.keys()) queue.add(key);
    this.#armResync(queue);
  }

  stop(drainMs: number): Promise<void> {
    const queue = this.#queue;
    if (queue === undefined) return this.#ending?.ended ?? Promise.resolve();
    this.#queue = undefined;
    this.#resync?.cancel();
    const ended = queue.drain(drainMs).then(() => {
      this.#ending = undefined;
    });
    this.#ending = { queue, ended };
    return ended;
  }

  running(): RunningWork {
    return (this.#queue ?? this.#ending?.queue)?.running() ?? { unfinishedSeconds: 0, longestSeconds: 0 };
  }

  #armResync(queue: WorkQueue): void {
    const { clock, random, resyncMs = DEFAULT_RESYNC_MS, keys } = this.#options;
    const spread = resyncMs * RESYNC_SPREAD;
    this.#resync = clock.after(resyncMs - spread * (1 + random()), () => {
      for (const key of keys()) queue.requeueAfter(key, spread * random());
      this.#armResync(queue);
    });
  }

  /** Never throws. */
  async #work(queue: WorkQueue, key: string, run: Run): Promise<void> {
    const { clock, metrics, reconciler, newId = randomUUID } = this.#options;
    const reconcileId = newId();
    const log = this.#options.log.child({ ...this.#fields(key), reconcileID: reconcileId });
    const pass: Pass = { reconcileId, log, signal: run.signal, enqueuedAt: run.enqueuedAt };
    const began = clock.monotonic();
    metrics?.reconcile.active(++this.#active);
    let result: ReconcileResult;
    try {
      result = settleResult(queue, key, await reconciler.reconcile(key, pass));
    } catch (error) {
      result = this.#failed(queue, key, pass, error);
    }
    metrics?.reconcile.active(--this.#active);
    metrics?.reconcile.finished(result, (clock.monotonic() - began) / 1000);
  }

  #failed(queue: WorkQueue, key: string, pass: Pass, error: unknown): ReconcileResult {
    const atLeastMs = error instanceof ApiError ? error.retryAfterMs : undefined;
    const retryInMs = Math.ceil(queue.retry(key, atLeastMs));
    if (pass.signal.aborted || isFailure(error, 'Fenced', 'Aborted')) {
      pass.log.debug({ err: asError(error) }, 'pass given up');
      return 'requeue';
    }
    if (isFailure(error, 'Conflict') && queue.failures(key) <= CONFLICTS_FORGIVEN) {
      pass.log.debug({ err: asError(error), retryInMs }, 'somebody else wrote first, looking again');
      return 'requeue';
    }
    pass.log.error({ err: asError(error), failures: queue.failures(key), retryInMs }, 'reconcile failed');
    return 'error';
  }

  #fields(key: string): object {
    const { name: controller, kind } = this.#options;
    const slash = key.indexOf('/');
    if (slash < 0) return { controller, kind, name: key };
    return { controller, kind, namespace: key.slice(0, slash), name: key.slice(slash + 1) };
  }
}

function settleResult(queue: WorkQueue, key: string, result: Result): ReconcileResult {
  queue.forget(key);
  const wakeMs = result.ending === 'done' ? result.requeueAfterMs : result.afterMs;
  if (wakeMs === undefined) return 'success';
  queue.requeueAfter(key, wakeMs);
  return 'requeue_after';
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`thrown value that is no Error: ${String(thrown)}`);
}
