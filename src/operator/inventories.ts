import type { ManagedCluster } from '../api/generated/managedcluster.js';
import { INVENTORIES_LEASE } from '../api/names.js';
import { FLEET_GROUP, ManagedClusters, OcmAddOnPlacementScores } from '../api/resources.js';
import { createInventoryControllers } from './controllers/inventories/controller.js';
import { inventoryRights } from './controllers/inventories/rights.js';
import { BY_NAMESPACE, type InventoryCache } from './controllers/inventories/gather.js';
import { clusterProfileInventory, ocmInventory, type SourceObject } from '../domain/inventories/source.js';
import { createLeaderClients, leaderGroup, type Group } from '../runtime/manager/manager.js';
import type { ControllerManager } from './manager.js';

/** The controller that makes ManagedClusters from other inventories. */
export function inventoriesGroup(manager: ControllerManager): Group {
  const { config, hubClock, random, log, metrics, tracer, openCache } = manager;
  const leader = createLeaderClients(manager, {
    lease: INVENTORIES_LEASE,
    controller: `${FLEET_GROUP}/inventories`,
    rights: inventoryRights,
  });
  const { controllers, sources, onStartedLeading } = createInventoryControllers({
    client: leader.client,
    clusters: openCache<ManagedCluster>({ type: ManagedClusters }),
    inventories: openInventories(manager),
    recorder: leader.recorder,
    clock: hubClock,
    random,
    log,
    settleWindowMs: config.settleWindowMs,
    workers: config.workers,
    tracer,
    controllerMetrics: (name) => metrics.controller(name),
  });
  return leaderGroup(manager, leader, {
    name: 'inventories',
    sources,
    controllers,
    onStartedLeading,
  });
}

function openInventories({ config, openCache }: ControllerManager): readonly InventoryCache[] {
  const { clusterProfiles, ocmClusters } = config.inventories;
  const opened: InventoryCache[] = [];
  if (clusterProfiles !== undefined) {
    const { type } = clusterProfileInventory;
    const cache = openCache<SourceObject>({ type, namespace: clusterProfiles });
    opened.push({ inventory: clusterProfileInventory, cache, namespace: clusterProfiles });
  }
  if (ocmClusters) {
    const cache = openCache<SourceObject>({ type: ocmInventory.type });
    const indexers = { [BY_NAMESPACE]: ({ metadata }: SourceObject) => [metadata.namespace ?? ''] };
    const scores = openCache<SourceObject>({ type: OcmAddOnPlacementScores, indexers });
    opened.push({ inventory: ocmInventory, cache, namespace: undefined, scores });
  }
  return opened;
}
