import { randomUUID } from 'node:crypto';
import type { BackoffOptions } from '../backoff.js';
import { yieldToEventLoop, type Clock, type Random, type Timer } from '../clock.js';
import { ApiError, isFailure, loggedError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { ControllerMetrics, ReconcileResult, RunningWork } from '../metrics/managermetrics.js';
import { nameOf } from '../vocabulary/names.js';
import type { Pass, Reconciler } from './result.js';
import type { Span, Tracer } from '../tracing/tracer.js';
import { WorkQueue, type Run } from './workqueue.js';

export interface ControllerOptions {
  /** Lower case; label in metrics, field in logs. */
  readonly name: string;
  /** Kind of the object that a key names, for the log. */
  readonly kind: string;
  readonly reconciler: Reconciler;
  /** All current keys; each is enqueued at the start and again every `resyncMs`. */
  readonly keys: () => Iterable<string>;
  /** Concurrent reconciles; default 1. */
  readonly workers?: number;
  /** Period in ms after which every key is reconciled again, for changes that no watch reports; default 10 minutes. */
  readonly resyncMs?: number;
  readonly backoff?: BackoffOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: ControllerMetrics;
  /** Undefined without traces. */
  readonly tracer?: Tracer | undefined;
  readonly newId?: () => string;
}

/** A controller that a group starts and stops. */
export interface Controller {
  readonly name: string;
  /** Enqueues `key`, a `namespace/name` or a `name`. Ignored while stopped, since `start` enqueues every key. */
  add(key: string): void;
  /** Enqueues `key` after `ms` at the latest; an earlier request for the key includes it. */
  addAfter(key: string, ms: number): void;
  /** Starts the workers and enqueues every key. */
  start(): void;
  /** Accepts no more keys and waits for running reconciles, whose signal fires after `drainMs`; resolves when all have ended. */
  stop(drainMs: number): Promise<void>;
  running(): RunningWork;
}

const DEFAULT_RESYNC_MS = 10 * 60_000;
/** Keys that are enqueued in one turn of the event loop: 10,000 take 100 ms. */
const KEYS_AT_ONCE = 200;
/** What the log says of a reconcile that is not done. */
const ENDINGS = { wait: 'reconcile waits', stalled: 'reconcile stalled' } as const;
/** Conflicts in a row that are expected when decisions use a cache, and not logged as errors. */
const EXPECTED_CONFLICTS = 3;
/** The periodic resync spreads its keys over this share of the period, and starts one to two such shares before its end. */
const RESYNC_SPREAD = 0.1;

/**
 * Runs a reconciler for the keys of a work queue.
 *
 * Guarantees: one reconcile at a time for each key. An error ends that reconcile only: it is logged once and counted, and
 * the key is retried after its backoff, and not before the server's Retry-After; only a reconcile that neither fails nor waits
 * resets the backoff. A reconcile that is aborted by a shutdown or a lost lease does not count as an error, nor do three
 * conflicts in a row. Every key of `keys` is reconciled after `start` and then at least every `resyncMs`.
 */
export function createController(options: ControllerOptions): Controller {
  return new Loop(options);
}

class Loop implements Controller {
  readonly name: string;
  readonly #options: ControllerOptions;
  readonly #workers: number;
  #queue: WorkQueue | undefined;
  /** The queue of the last leadership term, while its reconciles still run. */
  #draining: { readonly queue: WorkQueue; readonly ended: Promise<void> } | undefined;
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
    if (this.#queue !== undefined || this.#draining !== undefined) {
      throw new Error(`controller ${this.name}: already started; stop it first`);
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
    void this.#eachKey(queue, (key) => queue.add(key));
    this.#armResync(queue);
  }

  stop(drainMs: number): Promise<void> {
    const queue = this.#queue;
    if (queue === undefined) return this.#draining?.ended ?? Promise.resolve();
    this.#queue = undefined;
    this.#resync?.cancel();
    const ended = queue.drain(drainMs).then(() => {
      this.#draining = undefined;
    });
    this.#draining = { queue, ended };
    return ended;
  }

  running(): RunningWork {
    return (this.#queue ?? this.#draining?.queue)?.running() ?? { unfinishedSeconds: 0, longestSeconds: 0 };
  }

  #armResync(queue: WorkQueue): void {
    const { clock, random, resyncMs = DEFAULT_RESYNC_MS } = this.#options;
    const spread = resyncMs * RESYNC_SPREAD;
    this.#resync = clock.after(resyncMs - spread * (1 + random()), () => {
      void this.#eachKey(queue, (key) => queue.requeueAfter(key, spread * random()));
      this.#armResync(queue);
    });
  }

  /** Calls `visit` for every key until the queue ends; lets other work run after every `KEYS_AT_ONCE`. */
  async #eachKey(queue: WorkQueue, visit: (key: string) => void): Promise<void> {
    let visited = 0;
    for (const key of this.#options.keys()) {
      if (this.#queue !== queue) return;
      visit(key);
      if (++visited % KEYS_AT_ONCE === 0) await yieldToEventLoop();
    }
  }

  /** Runs one pass for the key. Never throws. */
  async #work(queue: WorkQueue, key: string, run: Run): Promise<void> {
    const { clock, metrics, reconciler, tracer, newId = randomUUID } = this.#options;
    const reconcileId = newId();
    const log = this.#options.log.child({ ...this.#fields(key), reconcileID: reconcileId });
    const pass: Pass = { reconcileId, log, signal: run.signal, enqueuedAt: run.enqueuedAt };
    const span = this.#startSpan(key, reconcileId);
    const began = clock.monotonic();
    metrics?.reconcile.active(++this.#active);
    let result: ReconcileResult;
    let errorType: string | undefined;
    try {
      const ended = await reconciler.reconcile(key, pass);
      const requeueMs = ended.ending === 'done' ? ended.requeueAfterMs : ended.afterMs;
      if (ended.ending !== 'done') log.debug({ reason: ended.reason, requeueMs }, ENDINGS[ended.ending]);
      // Who waits before the next try has not succeeded: otherwise failures that alternate with waits would never back off.
      if (ended.ending !== 'wait') queue.forget(key);
      if (requeueMs !== undefined) queue.requeueAfter(key, requeueMs);
      result = requeueMs === undefined ? 'success' : 'requeue_after';
    } catch (error) {
      result = this.#failed(queue, key, pass, error);
      if (result === 'error') errorType = errorTypeOf(error);
    }
    span?.end({ attributes: { [`${tracer?.prefix}reconcile.result`]: result }, errorType });
    metrics?.reconcile.active(--this.#active);
    metrics?.reconcile.finished(result, (clock.monotonic() - began) / 1000);
  }

  #failed(queue: WorkQueue, key: string, pass: Pass, error: unknown): ReconcileResult {
    const atLeastMs = error instanceof ApiError ? error.retryAfterMs : undefined;
    const retryInMs = Math.ceil(queue.retry(key, atLeastMs));
    if (pass.signal.aborted || isFailure(error, 'Fenced', 'Aborted')) {
      pass.log.debug({ err: loggedError(error) }, 'reconcile aborted');
      return 'requeue';
    }
    if (isFailure(error, 'Conflict') && queue.failures(key) <= EXPECTED_CONFLICTS) {
      pass.log.debug({ err: loggedError(error), retryInMs }, 'conflict with another write, retrying');
      return 'requeue';
    }
    pass.log.error({ err: loggedError(error), failures: queue.failures(key), retryInMs }, 'reconcile failed');
    return 'error';
  }

  #startSpan(key: string, reconcileId: string): Span | undefined {
    const { name: controller, kind, tracer } = this.#options;
    const { namespace, name } = nameOf(key);
    if (tracer === undefined) return undefined;
    return tracer.start({
      name: `reconcile ${kind}`,
      kind: 'internal',
      attributes: {
        [`${tracer.prefix}controller`]: controller,
        [`${tracer.prefix}object.kind`]: kind,
        [`${tracer.prefix}object.name`]: name,
        'k8s.namespace.name': namespace,
        [`${tracer.prefix}reconcile.id`]: reconcileId,
      },
    });
  }

  #fields(key: string): object {
    const { name: controller, kind } = this.#options;
    return { controller, kind, ...nameOf(key) };
  }
}

function errorTypeOf(error: unknown): string {
  if (error instanceof ApiError) return error.kind;
  return error instanceof Error ? error.name : '_OTHER';
}
