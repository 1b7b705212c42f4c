import { setMaxListeners } from 'node:events';

import { whenAborted, within, type Clock } from '../clock.js';
import type { Controller } from '../controller/controller.js';
import type { Cache } from '../cache/cache.js';
import type { HealthCheck } from '../endpoints/health.js';
import type { LeaderElector } from '../leaderelection/leaderelector.js';
import type { Logger } from '../logger.js';
import type { KubeObject } from '../vocabulary/meta.js';

/** A cache that has to be synced before the controllers start. */
export type CacheSource = Pick<Cache<KubeObject>, 'start' | 'whenSynced' | 'stop'> &
  Partial<Pick<Cache<KubeObject>, 'failure'>>;

export interface GroupOptions {
  /** Lower case; field in logs, prefix of the health checks. */
  readonly name: string;
  /** Caches that the group starts and stops; other groups may share them. */
  readonly sources: readonly CacheSource[];
  readonly election: Pick<LeaderElector, 'acquire' | 'release'>;
  readonly controllers: readonly Controller[];
  /**
   * Called at the start of each leadership term, before the controllers start; `end` fires when leadership is lost or the
   * process stops. A rejection ends the group.
   */
  readonly onStartedLeading?: (end: AbortSignal) => void | Promise<void>;
  /** Called after the last reconcile, before the lease is released: for background writes (events). At most 1 s. */
  readonly onDrained?: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A reconcile that runs this long, seconds, fails the liveness check: calls have far shorter deadlines. */
const STUCK_AFTER_SECONDS = 600;

/** Caches that fail for longer than this, ms, fail the readiness check: an API server restarts faster. */
const UNREADY_AFTER_MS = 60_000;

/** Time limits of the shutdown steps, ms. Their sum is below the 10 s that the process has. */
const SHUTDOWN_LIMITS_MS = Object.freeze({
  drain: 4_000,
  abort: 1_000,
  background: 1_000,
  sources: 1_000,
  release: 2_000,
});

/**
 * Controllers that share caches and a lease.
 *
 * Flow: caches start and sync; the group waits for the lease; the controllers start with every key. When the lease is lost,
 * reconciles are aborted, the controllers stop, and the group waits for the lease again. When `signal` fires, reconciles
 * drain, caches stop, and the lease is released.
 * Guarantees: no reconcile starts without the lease; leadership terms do not overlap; the lease is released only after the
 * last reconcile has ended; if one does not end in time, the lease expires.
 */
export class Group {
  readonly name: string;
  readonly #options: GroupOptions;
  readonly #log: Logger;
  #synced = false;
  /** Monotonic ms of the first check that found a failing cache; undefined when the last check found none. */
  #failingSince: number | undefined;

  constructor(options: GroupOptions) {
    this.name = options.name;
    this.#options = options;
    this.#log = options.log.child({ group: options.name });
  }

  /** Runs until `signal` fires or an unrecoverable error; resolves with whether everything ended cleanly. Never rejects. */
  async run(signal: AbortSignal): Promise<boolean> {
    let healthy = true;
    try {
      await this.#work(signal);
    } catch (error) {
      healthy = signal.aborted;
      if (!healthy) this.#log.error({ err: error }, 'group failed');
    }
    return (await this.#shutDown()) && healthy;
  }

  /** For /readyz: whether the caches are synced and none has failed for a minute. Leadership is not required. */
  readiness(): HealthCheck {
    return { name: `${this.name}-caches`, check: () => (this.#synced ? this.#failing() : 'not synced yet') };
  }

  /** For /livez: whether a reconcile has been running for 10 minutes. */
  liveness(): HealthCheck {
    return { name: `${this.name}-reconciles`, check: () => this.#stuck() };
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { sources } = this.#options;
    for (const source of sources) source.start();
    // Each cache that is not synced listens to it, and those of other groups do: Node warns about more than ten listeners.
    setMaxListeners(0, signal);
    await Promise.all(sources.map((source) => source.whenSynced(signal)));
    this.#synced = true;
    this.#log.info({}, 'caches synced');
    while (!signal.aborted) await this.#lead(signal);
  }

  async #lead(signal: AbortSignal): Promise<void> {
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
    // No limit: the next leadership term must not start before the last reconcile has ended. A shutdown does not wait.
    await untilAborted(signal, this.#stop(0));
  }

  async #shutDown(): Promise<boolean> {
    const { clock, sources, election, onDrained } = this.#options;
    const limits = SHUTDOWN_LIMITS_MS;
    const drained = await within(clock, limits.drain + limits.abort, this.#stop(limits.drain));
    if (drained) await within(clock, limits.background, onDrained?.());
    const stopped = await within(clock, limits.sources, Promise.all(sources.map((source) => source.stop())));
    const released = drained && (await within(clock, limits.release, election.release()));
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
      if (seconds >= STUCK_AFTER_SECONDS) return `a reconcile of ${controller.name} has been running for ${seconds} s`;
    }
    return undefined;
  }
}

/**
 * Resolves when `work` has ended or `signal` has fired. It removes its listener: `signal` outlives many leadership terms, and
 * Node warns about more than ten listeners.
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
