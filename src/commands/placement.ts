import { PLACEMENT_LEASE } from '../api/names.js';
import { FLEET_GROUP } from '../api/resources.js';
import { clusterRights } from '../controllers/clusters/rights.js';
import { placementCacheOptions, type PlacementCaches } from '../controllers/placement/caches.js';
import { createPlacementControllers } from '../controllers/placement/controller.js';
import { placementRights } from '../controllers/placement/rights.js';
import { systemClock, systemRandom } from '../runtime/clock.js';
import { Group } from '../runtime/group.js';
import { createLeaderClients, type ControllerManager } from './controllermanager.js';

/** The controllers of Placements, sets and bindings. */
export function placementGroup(manager: ControllerManager): Group {
  const { config, log, metrics, tracer } = manager;
  const leader = createLeaderClients(manager, {
    lease: PLACEMENT_LEASE,
    controller: `${FLEET_GROUP}/placement`,
    rights: [...placementRights, ...clusterRights],
  });
  const caches = openCaches(manager);
  const { controllers, onStartedLeading } = createPlacementControllers({
    client: leader.client,
    caches,
    recorder: leader.recorder,
    clock: systemClock,
    random: systemRandom,
    log,
    settleWindowMs: config.settleWindowMs,
    workers: config.workers,
    metrics: metrics.placements,
    tracer,
    controllerMetrics: (name) => metrics.controller(name),
  });
  return new Group({
    name: 'placement',
    sources: Object.values(caches),
    election: leader.election,
    controllers,
    onStartedLeading,
    onDrained: () => leader.recorder.flush(),
    clock: systemClock,
    log,
  });
}

function openCaches({ openCache }: ControllerManager): PlacementCaches {
  const options = placementCacheOptions;
  return {
    placements: openCache(options.placements),
    decisions: openCache(options.decisions),
    clusters: openCache(options.clusters),
    sets: openCache(options.sets),
    bindings: openCache(options.bindings),
  };
}
