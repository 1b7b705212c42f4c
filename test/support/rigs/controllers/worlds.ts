import type { ResourceType, RawObject } from '../../../../src/runtime/vocabulary/meta.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  Placements,
} from '../../../../src/api/resources.js';
import type { World, WorldResource } from '../../../../src/answers/world/world.js';
import type { PlacementRig } from './placement.js';

const TYPES: readonly (readonly [WorldResource, ResourceType])[] = [
  ['managedclusters', ManagedClusters],
  ['managedclustersets', ManagedClusterSets],
  ['managedclustersetbindings', ManagedClusterSetBindings],
  ['placements', Placements],
];

/** Stores what differs between two worlds on the API server of the rig; statuses that it has stay. */
export function storeWorld(rig: PlacementRig, before: World, after: World): void {
  for (const [resource, type] of TYPES) {
    const left = new Set(after.objects[resource].map(({ metadata }) => metadata.name));
    for (const one of before.objects[resource]) if (!left.has(one.metadata.name)) rig.api.remove(type, one.metadata);
    for (const one of after.objects[resource]) {
      if (before.objects[resource].includes(one)) continue;
      const status = one.status ?? rig.api.peek<RawObject>(type, one.metadata)?.status ?? {};
      rig.api.put<RawObject>(type, { ...one, status });
    }
  }
}
