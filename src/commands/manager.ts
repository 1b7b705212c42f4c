import type { ObjectName } from '../api/meta.js';
import type { HubConfig } from '../config/config.js';
import type { KubeClient } from '../kube/client/client.js';
import { eventRights } from '../kube/events/event.js';
import { guardClient, type GuardRow } from '../kube/guard/guard.js';
import { createElector, type LeaderElector } from '../kube/lease/leaderelector.js';
import { createRecorder, type EventRecorder } from '../kube/events/recorder.js';
import { createCache, type CacheTools } from '../kube/cache/reflector.js';
import { createClient } from '../kube/client/rest.js';
import type { Transport, TransportOptions } from '../kube/transport/transport.js';
import { createMetrics, type Metrics } from '../observability/metrics.js';
import { systemClock, systemRandom } from '../runtime/clock.js';
import type { Logger } from '../runtime/logger.js';
import type { OpenCache } from '../controllers/engine/targetcaches.js';

/** What every controller group of a process shares: one way to the API server, one log, one set of metrics. */
export interface Manager {
  readonly config: HubConfig;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly transport: Transport;
  readonly tools: CacheTools;
  readonly openCache: OpenCache;
}

/** What one controller group writes with: everything in it is fenced by the group's own lease. */
export interface LeaderClients {
  readonly election: LeaderElector;
  readonly client: KubeClient;
  readonly recorder: EventRecorder;
}

/** How the transport of a hub comes about. */
export type CreateTransport = (options: TransportOptions) => Transport;

export function createManager(config: HubConfig, log: Logger, open: CreateTransport): Manager {
  const metrics = createMetrics();
  const transport = open({
    clock: systemClock,
    random: systemRandom,
    log,
    metrics: metrics.requests,
    userAgent: `multicluster-engine/${config.version} (${config.identity})`,
    limits: { default: { qps: config.kubeApiQps, burst: config.kubeApiBurst } },
  });
  const tools = { clock: systemClock, random: systemRandom, log, metrics: metrics.caches };
  return { config, log, metrics, transport, tools, openCache: (options) => createCache(transport, options, tools) };
}

/** `lease` is the group's Lease by name; `controller` its name in events; `rights` the table of what it may write. */
export function createLeaderClients(
  hub: Manager,
  group: { lease: string; controller: string; rights: readonly GuardRow[] },
): LeaderClients {
  const { config, transport, tools, metrics, log } = hub;
  const lease: ObjectName = { namespace: config.leaderElectionNamespace, name: group.lease };
  const election = createElector(transport, { lease, identity: config.identity }, { ...tools, leader: metrics.leader });
  const guard = { leadership: election, metrics: metrics.guard, log };
  const events = guardClient(createClient(transport, { bucket: 'events' }), eventRights, guard);
  const reporter = { controller: group.controller, instance: config.identity };
  return {
    election,
    client: guardClient(createClient(transport), group.rights, guard),
    recorder: createRecorder(events, reporter, { clock: systemClock, log, metrics: metrics.events }),
  };
}
