import type { KubeObject, ObjectName } from '../runtime/vocabulary/meta.js';
import { EVENTS_FIELD_MANAGER, LEASE_FIELD_MANAGER } from '../api/names.js';
import { build } from '../runtime/process/build.js';
import type { ManagerConfig } from './flags.js';
import type { KubeClient } from '../runtime/client/client.js';
import { eventRights } from '../runtime/events/event.js';
import { guardClient, type GuardRow } from '../runtime/guard/guard.js';
import { createElector, type LeaderElector } from '../runtime/lease/leaderelector.js';
import { createRecorder, type EventRecorder } from '../runtime/events/recorder.js';
import type { Cache, CacheOptions, CacheTools } from '../runtime/cache/cache.js';
import { createCache } from '../runtime/cache/reflector.js';
import { createClient } from '../runtime/client/rest.js';
import { ServerClock } from '../runtime/transport/serverclock.js';
import type { Transport, TransportOptions } from '../runtime/transport/transport.js';
import { createMetrics, type Metrics } from './metrics.js';
import { systemClock, systemRandom, type Clock } from '../runtime/clock.js';
import { Group, type GroupOptions } from '../runtime/process/group.js';
import type { Logger } from '../runtime/logger.js';
import type { Tracer } from '../runtime/tracing/tracer.js';
import type { OpenCache } from './controllers/engine/targetcaches.js';

/** What all controller groups of a process share (controller-runtime's Manager). */
export interface ControllerManager {
  readonly config: ManagerConfig;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Undefined without traces. */
  readonly tracer: Tracer | undefined;
  readonly transport: Transport;
  /** The wall time of the hub: for times that are stored there, and compared with stored ones. */
  readonly hubClock: Clock;
  readonly tools: CacheTools;
  readonly openCache: OpenCache;
  /** The cache with these options, the same one for all groups: the first that starts does start it, the first that stops ends it. */
  readonly sharedCache: OpenCache;
}

/** Where a manager records what it does. */
export type ManagerSinks = Pick<ControllerManager, 'log' | 'tracer'>;

/** The clients of one controller group. Their writes are sent only while the group's lease is held. */
export interface LeaderClients {
  readonly election: LeaderElector;
  readonly client: KubeClient;
  readonly recorder: EventRecorder;
}

/** Creates the transport of a manager. */
export type CreateTransport = (options: TransportOptions) => Transport;

export function createManager(
  config: ManagerConfig,
  { log, tracer }: ManagerSinks,
  openTransport: CreateTransport,
): ControllerManager {
  const metrics = createMetrics(build());
  const hubClock = new ServerClock(systemClock);
  const transport = openTransport({
    clock: systemClock,
    serverClock: hubClock,
    random: systemRandom,
    log,
    metrics: metrics.requests,
    userAgent: `multicluster-engine/${config.version} (${config.identity})`,
    limits: { default: { qps: config.kubeApiQps, burst: config.kubeApiBurst } },
  });
  const tools = { clock: systemClock, random: systemRandom, log, metrics: metrics.caches };
  const openCache: OpenCache = (options) => createCache(transport, options, tools);
  return { config, log, metrics, tracer, transport, hubClock, tools, openCache, sharedCache: sharing(openCache) };
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

/** `lease`: name of the group's Lease; `controller`: its name in events; `rights`: the permitted writes. */
export function createLeaderClients(
  manager: ControllerManager,
  group: { lease: string; controller: string; rights: readonly GuardRow[] },
): LeaderClients {
  const { config, transport, tools, metrics, log } = manager;
  const lease: ObjectName = { namespace: config.leaderElectionNamespace, name: group.lease };
  const election = createElector(
    transport,
    { lease, identity: config.identity, fieldManager: LEASE_FIELD_MANAGER },
    { ...tools, leader: metrics.leader },
  );
  const guard = { leadership: election, metrics: metrics.guard, log };
  const events = guardClient(createClient(transport, { bucket: 'events' }), eventRights, guard);
  const reporter = { controller: group.controller, instance: config.identity, fieldManager: EVENTS_FIELD_MANAGER };
  return {
    election,
    client: guardClient(createClient(transport), group.rights, guard),
    recorder: createRecorder(events, reporter, { clock: systemClock, log, metrics: metrics.events }),
  };
}

/** A group of controllers that runs while its lease is held, and whose events are written before the lease is released. */
export function leaderGroup(
  { log }: ControllerManager,
  { election, recorder }: LeaderClients,
  options: Omit<GroupOptions, 'election' | 'onDrained' | 'clock' | 'log'>,
): Group {
  return new Group({ ...options, election, onDrained: () => recorder.flush(), clock: systemClock, log });
}
