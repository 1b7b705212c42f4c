import type { Clock } from './clock.js';
import { delay } from './clock.js';
import type { Controller } from './controller.js';
import type { HealthCheck } from './health.js';
import type { Logger } from './logger.js';

/** The right to write, held by one process at a time. */
export interface Election {
  /** Waits for the right, for ever if need be; gives a signal that fires when it is lost. Rejects when `signal` fires. */
  acquire(signal: AbortSignal): Promise<AbortSignal>;
  /** Gives the right up, so that the next one need not wait; nothing when it is not held. Nothing may be written after the call. */
  release(): Promise<void>;
  held(): boolean;
}

/** What has to be known before work can begin: a cache. */
export interface CacheSource {
  start(): void;
  whenSynced(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
  /** Why it cannot be kept up to date now; undefined when it is. */
  failure?(): Error | undefined;
}

export interface GroupOptions {
  /** Lower case; field of its log lines, prefix of its health checks. */
  readonly name: string;
  /** The group's own: no other group starts or stops them. */
  readonly sources: readonly CacheSource[];
  readonly election: Election;
  readonly controllers: readonly Controller[];
  /**
   * Called each time the right is held, before work begins; `end` fires when it is lost or the process stops.
   * A rejection ends the group.
   */
  readonly onStartedLeading?: (end: AbortSignal) => void | Promise<void>;
  /** Called after the last pass, before the right is given up: for writes that no pass waits for (events). At most 1 s. */
  readonly onDrained?: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Longest that a pass may take before the process counts as stuck, seconds: calls have deadlines far below it. */
const STUCK_AFTER_SECONDS = 600;

/** Sources that fail for longer than this, ms, make the process unready: an API server that restarts is back by then. */
const UNREADY_AFTER_MS = 60_000;

/** What each step of the end of a group may take, ms. Together they stay below the 10 s that a process has. */
export const END_BUDGET_MS = Object.freeze({
  drain: 4_000,
  abort: 1_000,
  afterwards: 1_000,
  sources: 1_000,
  release: 2_000,
});

/**
 * Controllers that share caches and a lease.
 *
 * Flow: caches start and sync; then the lease is waited for; then work begins with every key. When the lease is lost,
 * passes are aborted, workers stop, and the group waits for the lease again. When `signal` fires, passes drain, caches
 * stop, and the lease is released.
 * Guarantees: no pass begins without the lease; no two tenures overlap; the lease is released only after the last pass
 * has ended, and left to expire where one would not end.
 */
export class Group {
  readonly name: string;
  readonly #options: GroupOptions;
  readonly #log: Logger;
  #synced = false;
  /** When a look at the sources first found one failing, monotonic ms; undefined when the last look found none. */
  #failingSince: number | undefined;

  constructor(options: GroupOptions) {
    this.name = options.name;
    this.#options = options;
    this.#log = options.log.child({ group: options.name });
  }

  /** Runs until `signal` fires or something breaks that no retry mends; true when all came to a clean end. Never rejects. */
  async run(signal: AbortSignal): Promise<boolean> {
    let sound = true;
    try {
      await this.#work(signal);
    } catch (error) {
      sound = signal.aborted;
      if (!sound) this.#log.error({ err: error }, 'group failed');
    }
    return (await this.#shutDown()) && sound;
  }

  /** For /readyz: whether the caches were filled, and none has been failing for a minute. A standby is ready too. */
  readiness(): HealthCheck {
    return { name: `${this.name}-caches`, check: () => (this.#synced ? this.#failing() : 'not synced yet') };
  }

  /** For /livez: whether a pass is stuck. */
  liveness(): HealthCheck {
    return { name: `${this.name}-passes`, check: () => this.#stuck() };
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { sources } = this.#options;
    for (const source of sources) source.start();
    await Promise.all(sources.map((source) => source.whenSynced(signal)));
    this.#synced = true;
    this.#log.info({}, 'caches synced');
    while (!signal.aborted) await this.#tenure(signal);
  }

  async #tenure(signal: AbortSignal): Promise<void> {
    const { election, controllers, onStartedLeading } = this.#options;
    const lost = await election.acquire(signal);
    const end = AbortSignal.any([signal, lost]);
    this.#log.info({}, 'lease held');
    await untilAborted(signal, onStartedLeading?.(end));
    if (!end.aborted) {
      for (const controller of controllers) controller.start();
      await whenAborted(end);
    }
    if (signal.aborted) return;
    this.#log.warn({}, 'lease lost');
    // Waits as long as a pass needs: the next tenure must not begin beside it. A shutdown in the meantime goes ahead.
    await untilAborted(signal, this.#stop(0));
  }

  async #shutDown(): Promise<boolean> {
    const { clock, sources, election, onDrained } = this.#options;
    const budget = END_BUDGET_MS;
    const drained = await within(clock, budget.drain + budget.abort, this.#stop(budget.drain));
    if (drained) await within(clock, budget.afterwards, onDrained?.());
    const stopped = await within(clock, budget.sources, Promise.all(sources.map((source) => source.stop())));
    const released = drained && (await within(clock, budget.release, election.release()));
    this.#log.info({ drained, stopped, released }, 'group ended');
    return drained && stopped && released;
  }

  async #stop(drainMs: number): Promise<void> {
    await Promise.all(this.#options.controllers.map((controller) => controller.stop(drainMs)));
  }

  #failing(): string | undefined {
    const now = this.#options.clock.monotonic();
    const failure = this.#options.sources.map((source) => source.failure?.()).find((one) => one !== undefined);
    this.#failingSince = failure === undefined ? undefined : (this.#failingSince ?? now);
    if (failure === undefined || now - (this.#failingSince ?? now) < UNREADY_AFTER_MS) return undefined;
    return failure.message;
  }

  #stuck(): string | undefined {
    for (const controller of this.#options.controllers) {
      const seconds = Math.floor(controller.running().longestSeconds);
      if (seconds >= STUCK_AFTER_SECONDS) return `a pass of ${controller.name} has been running for ${seconds} s`;
    }
    return undefined;
  }
}

/** Resolves when `signal` has fired. */
function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * `work`, or nothing once `signal` has fired; no listener stays behind: `signal` outlives any number of tenures, and
 * Node warns of the eleventh.
 */
function untilAborted(signal: AbortSignal, work: void | Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => resolve();
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', end));
  });
}

/** Whether `work` succeeded within `ms`. */
async function within(clock: Clock, ms: number, work: Promise<unknown> | undefined): Promise<boolean> {
  const over = new AbortController();
  const late = delay(clock, ms, over.signal).then(
    () => false,
    () => false,
  );
  const done = Promise.resolve(work).then(
    () => true,
    () => false,
  );
  const result = await Promise.race([done, late]);
  over.abort();
  return result;
}
