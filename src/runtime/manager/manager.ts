import type { KubeObject } from '../vocabulary/meta.js';
import type { Cache, CacheOptions, CacheTools, OpenCache } from '../cache/cache.js';
import { createCache } from '../cache/reflector.js';
import type { KubeClient } from '../client/client.js';
import { createClient } from '../client/rest.js';
import { systemClock, systemRandom, type Clock, type Random } from '../clock.js';
import { eventRights } from '../events/event.js';
import { createRecorder, type EventRecorder } from '../events/recorder.js';
import { guardClient, type GuardRow } from '../client/guard.js';
import { createElector, type LeaderElector } from '../leaderelection/leaderelector.js';
import type { LeaseTimes } from '../leaderelection/leaseholder.js';
import type { Logger } from '../logger.js';
import type { ManagerMetrics } from '../metrics/managermetrics.js';
import { Group, type GroupOptions } from './group.js';
import type { Tracer } from '../tracing/tracer.js';
import { ServerClock } from '../transport/serverclock.js';
import type { Transport, TransportOptions } from '../transport/transport.js';

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
