import { CLUSTERS_LEASE, PLACEMENT_LEASE, TIME_ZONE_DATA_ANNOTATION } from '../api/names.js';
import { FLEET_GROUP } from '../api/resources.js';
import type { ManagedCluster } from '../api/generated/managedcluster.js';
import { addressedClusters, clusterCacheOptions } from './controllers/clusters/caches.js';
import { createHealthControllers } from './controllers/clusters/health/reconcile.js';
import { openLeaseCache } from './controllers/clusters/health/leases.js';
import { clusterRights, healthRights } from './controllers/clusters/rights.js';
import { placementCacheOptions, type PlacementCaches } from './controllers/placement/caches.js';
import { clusterProfileCacheOptions, createClusterProfileControllers } from './controllers/followers/clusterprofile.js';
import { createMultiKueueControllers, multiKueueCacheOptions } from './controllers/followers/multikueue.js';
import { clusterProfileRights, multiKueueRights, sigDecisionRights } from './controllers/followers/rights.js';
import { createSigDecisionControllers, sigDecisionCacheOptions } from './controllers/followers/sigdecision.js';
import { createPlacementControllers } from './controllers/placement/controller.js';
import { placementRights } from './controllers/placement/rights.js';
import { saysJoined } from '../domain/health/conditions.js';
import { timeZoneData } from '../domain/placement/spec/changewindows.js';
import type { CacheOptions } from '../runtime/cache/cache.js';
import type { ManagerConfig } from './flags.js';
import { createLeaderClients, leaderGroup, type Group } from '../runtime/manager/manager.js';
import type { ControllerManager } from './manager.js';

/** The controllers of Placements, sets and bindings, and those that repeat decisions and clusters for other projects. */
export function placementGroup(manager: ControllerManager): Group {
  const { config, hubClock, random, log, metrics, tracer, openCache } = manager;
  const { sigDecisions, multikueue, publishProfiles: namespace } = config;
  const leader = createLeaderClients(manager, {
    lease: PLACEMENT_LEASE,
    annotations: { [TIME_ZONE_DATA_ANNOTATION]: timeZoneData() },
    controller: `${FLEET_GROUP}/placement`,
    rights: [
      ...placementRights,
      ...clusterRights,
      ...(sigDecisions ? sigDecisionRights : []),
      ...(multikueue ? multiKueueRights : []),
      ...(namespace === undefined ? [] : clusterProfileRights(namespace)),
    ],
  });
  const caches = openCaches(manager);
  const options = {
    client: leader.client,
    caches,
    recorder: leader.recorder,
    clock: hubClock,
    random,
    log,
    settleWindowMs: config.settleWindowMs,
    workers: config.workers,
    metrics: metrics.placements,
    tracer,
    controllerMetrics: (name: string) => metrics.controller(name),
  };
  const placements = createPlacementControllers(options);
  const optional = [
    sigDecisions
      ? createSigDecisionControllers({ ...options, published: openCache(sigDecisionCacheOptions), namespace })
      : [],
    multikueue ? createMultiKueueControllers({ ...options, configs: openCache(multiKueueCacheOptions) }) : [],
    namespace === undefined
      ? []
      : createClusterProfileControllers({
          ...options,
          profiles: openCache(clusterProfileCacheOptions(namespace)),
          namespace,
        }),
  ].flat();
  return leaderGroup(manager, leader, {
    name: 'placement',
    sources: [...Object.values(caches), ...optional.map(({ source }) => source)],
    controllers: [...placements.controllers, ...optional.flatMap(({ controllers }) => controllers)],
    onStartedLeading: (end) => {
      placements.onStartedLeading(end);
      for (const one of optional) one.onStartedLeading();
    },
  });
}

/** The controller that judges the clusters by the Leases of their agents. */
export function clustersGroup(manager: ControllerManager): Group {
  const { config, clock, hubClock, random, log, metrics, tracer, openCache, sharedCache } = manager;
  const leader = createLeaderClients(manager, {
    lease: CLUSTERS_LEASE,
    controller: `${FLEET_GROUP}/clusters`,
    rights: healthRights,
  });
  const clusters = sharedCache(clusterOptions(config));
  const sets = sharedCache(clusterCacheOptions.sets);
  const wall = (): number => hubClock.now();
  const leases = openLeaseCache(openCache, {
    monotonic: () => clock.monotonic(),
    wall,
    isJoined: (name) => clusters.store.get(name)?.status?.conditions?.some(saysJoined) === true,
  });
  const { controllers, observer, onStartedLeading } = createHealthControllers({
    client: leader.client,
    caches: { clusters, sets, leases },
    recorder: leader.recorder,
    clock,
    wall,
    random,
    log,
    workers: config.workers,
    tracer,
    controllerMetrics: (name) => metrics.controller(name),
  });
  metrics.fleet.fleet(() => observer.counts());
  return leaderGroup(manager, leader, {
    name: 'clusters',
    sources: [clusters, sets, leases, observer],
    controllers,
    onStartedLeading,
  });
}

/** The same options for both groups, so that they share the cache. */
function clusterOptions({ publishProfiles }: ManagerConfig): CacheOptions<ManagedCluster> {
  return publishProfiles === undefined ? clusterCacheOptions.clusters : addressedClusters;
}

function openCaches({ config, openCache, sharedCache }: ControllerManager): PlacementCaches {
  const options = placementCacheOptions;
  return {
    placements: openCache(options.placements),
    decisions: openCache(options.decisions),
    clusters: sharedCache(clusterOptions(config)),
    sets: sharedCache(options.sets),
    bindings: openCache(options.bindings),
  };
}
