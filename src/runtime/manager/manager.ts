import { setMaxListeners } from 'node:events';
import type { KubeObject } from '../vocabulary/meta.js';
import type { Cache, CacheOptions, CacheTools, OpenCache } from '../cache/cache.js';
import { createCache } from '../cache/reflector.js';
import type { KubeClient } from '../client/client.js';
import { createClient } from '../client/rest.js';
import { systemClock, systemRandom, type Clock, type Random, whenAborted, within } from '../clock.js';
import { createRecorder, type EventRecorder, eventRights } from '../events/recorder.js';
import { guardClient, type GuardRow } from '../client/guard.js';
import { createElector, type LeaderElector } from '../leaderelection/leaderelector.js';
import type { LeaseTimes } from '../leaderelection/leaseholder.js';
import type { Logger } from '../logger.js';
import type { ManagerMetrics } from '../metrics/managermetrics.js';
import type { Tracer } from '../tracing/tracer.js';
import { ServerClock } from '../transport/serverclock.js';
import type { Transport, TransportOptions } from '../transport/transport.js';
import type { Controller } from '../controller/controller.js';
import type { HealthCheck } from '../endpoints/server.js';

/** Makes the transport of a manager. */
export type CreateTransport = (options: TransportOptions) => Transport;

/** What a manager takes from its process; a test sets it. */
export interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  /** Of all Leases; default: those of client-go. */
  readonly leaseTimes?: LeaseTimes;
}

const PROCESS: Surroundings = { clock: systemClock, random: systemRandom };

interface ManagerOptions extends Pick<TransportOptions, 'limits'> {
  /** Begins the User-Agent and the field managers of Leases and Events. */
  readonly program: string;
  readonly version: string;
  /** Unique among processes that run at the same time: the holder of the Leases. */
  readonly identity: string;
  readonly leaderElectionNamespace: string;
  readonly metrics: ManagerMetrics;
  readonly log: Logger;
  /** Undefined without traces. */
  readonly tracer?: Tracer | undefined;
}

/** What all controller groups of a process share (controller-runtime's Manager). */
export interface Manager extends Omit<ManagerOptions, 'limits'>, Surroundings {
  readonly transport: Transport;
  /** The wall time of the API server: for times that are stored there, and compared with stored ones. */
  readonly serverClock: Clock;
  readonly tools: CacheTools;
  readonly openCache: OpenCache;
  /** The cache with these options, the same one for all groups: the first that starts does start it, the first that stops ends it. */
  readonly sharedCache: OpenCache;
}

/** The clients of one controller group. Their writes are sent only while the group's Lease is held. */
interface LeaderClients {
  readonly election: LeaderElector;
  readonly client: KubeClient;
  readonly recorder: EventRecorder;
}

export function createManager(
  { limits, ...options }: ManagerOptions,
  createTransport: CreateTransport,
  surroundings = PROCESS,
): Manager {
  const { program, version, identity, metrics, log } = options;
  const { clock, random } = surroundings;
  const serverClock = new ServerClock(clock);
  const transport = createTransport({
    clock,
    serverClock,
    random,
    log,
    metrics: metrics.requests,
    userAgent: `${program}/${version} (${identity})`,
    ...(limits && { limits }),
  });
  const tools = { clock, random, log, metrics: metrics.caches };
  const openCache: OpenCache = (cache) => createCache(transport, cache, tools);
  return { ...options, ...surroundings, transport, serverClock, tools, openCache, sharedCache: sharing(openCache) };
}

/** Opens one cache for each options object. */
function sharing(openCache: OpenCache): OpenCache {
  const opened = new Map<object, unknown>();
  return <T extends KubeObject>(options: CacheOptions<T>): Cache<T> => {
    const cache = (opened.get(options) as Cache<T> | undefined) ?? openCache(options);
    opened.set(options, cache);
    return cache;
  };
}

/**
 * The clients of a group. `lease`: the name of its Lease, with `annotations`; `controller`: its name in events; `rights`: its
 * writes.
 */
export function createLeaderClients(
  manager: Manager,
  group: {
    readonly lease: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly controller: string;
    readonly rights: readonly GuardRow[];
  },
): LeaderClients {
  const { program, identity, leaderElectionNamespace: namespace, transport, tools, metrics, log } = manager;
  const times = manager.leaseTimes;
  const name = { namespace, name: group.lease };
  const election = createElector(
    transport,
    { name, identity, annotations: group.annotations, fieldManager: `${program}-lease`, ...(times && { times }) },
    { ...tools, leader: metrics.leader },
  );
  const guard = { leadership: election, metrics: metrics.guard, log };
  const events = guardClient(createClient(transport, { bucket: 'events' }), eventRights, guard);
  const reporter = { controller: group.controller, instance: identity, fieldManager: `${program}-events` };
  return {
    election,
    client: guardClient(createClient(transport), group.rights, guard),
    recorder: createRecorder(events, reporter, { clock: manager.clock, log, metrics: metrics.events }),
  };
}

/** A group of controllers that runs while its Lease is held, and whose events are written before the Lease is released. */
export function leaderGroup(
  { clock, log }: Manager,
  { election, recorder }: LeaderClients,
  options: Omit<GroupOptions, 'election' | 'onDrained' | 'clock' | 'log'>,
): Group {
  return new Group({ ...options, election, onDrained: () => recorder.flush(), clock, log });
}

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
