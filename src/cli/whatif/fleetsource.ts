import type { ReadClient } from '../../runtime/client/client.js';
import {
  WORLD_RESOURCES,
  type RawObject,
  type Withheld,
  type World,
  type WorldResource,
} from '../../domain/fleet/world.js';
import { placementKeys } from '../../domain/placement/stored/decision.js';
import { fits, listOf, READS, TYPES, withheldOf, worldOfLists, type Listed } from './worlds.js';

/** What the explanation of decisions is computed from. */
export const DECISION_RESOURCES = WORLD_RESOURCES.filter((one) => one !== 'multiclusterengines');

/** What could be read of a hub. */
export interface FleetReading {
  readonly world: World;
  /** The only namespace whose objects were read; undefined: all. */
  readonly namespace: string | undefined;
  /** Lists over all namespaces that were refused; those of `namespace` alone were read instead. */
  readonly refused: readonly Withheld[];
}

export interface FleetScope {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** Read instead when objects of all namespaces may not be listed. */
  readonly fallback: () => string;
  readonly resources: readonly WorldResource[];
  /** Runs after each page, with the number of objects of the resource that have been read. */
  readonly onProgress?: (resource: WorldResource, objects: number) => void;
}

/**
 * The objects of a hub, by LIST alone. What the caller may not list is withheld. Placements and decisions are listed again
 * while they do not fit together, at most three times. @throws ApiError for any other error than a missing right or type.
 */
export async function readFleetWorld(client: ReadClient, scope: FleetScope): Promise<FleetReading> {
  const { resources, namespace } = scope;
  const list: List = (resource, within) =>
    listOf(client, resource, within, { onPage: (objects) => scope.onProgress?.(resource, objects) });
  const namespaced = resources.filter((one) => TYPES[one].namespaced);
  const others = resources.filter((one) => !TYPES[one].namespaced);
  const [fleet, all] = await Promise.all([
    Promise.all(others.map((one) => list(one))),
    listNamespaced(list, namespaced, namespace),
  ]);
  const refused = namespace === undefined ? withheldOf(all).filter(({ status }) => status === 403) : [];
  if (refused.length === 0) return { world: worldOfLists([...fleet, ...all]), namespace, refused };
  const fallback = scope.fallback();
  const some = await listNamespaced(list, namespaced, fallback);
  return { world: worldOfLists([...fleet, ...some]), namespace: fallback, refused };
}

/** The part of a world that is in the namespace, and what has none. */
export function worldIn(world: World, namespace: string | undefined): World {
  if (namespace === undefined) return world;
  const isThere = ({ metadata }: RawObject): boolean => (metadata.namespace ?? namespace) === namespace;
  const objects = Object.entries(world.objects).map(([resource, all]) => [resource, all.filter(isThere)] as const);
  return { ...world, objects: { ...world.objects, ...Object.fromEntries(objects) } };
}

type List = (resource: WorldResource, namespace?: string) => Promise<Listed>;

async function listNamespaced(
  list: List,
  resources: readonly WorldResource[],
  namespace: string | undefined,
): Promise<readonly Listed[]> {
  for (let read = 1; ; read++) {
    const lists: Listed[] = [];
    // One after the other, Placements first: a decision is stored before the status that lists it.
    for (const one of resources) lists.push(await list(one, namespace));
    if (read >= READS || !isTorn(lists)) return lists;
  }
}

function isTorn(lists: readonly Listed[]): boolean {
  const placements = lists.find(({ resource }) => resource === 'placements');
  const decisions = lists.find(({ resource }) => resource === 'placementdecisions');
  if (placements === undefined || decisions === undefined || withheldOf([placements, decisions]).length > 0)
    return false;
  const byPlacement = new Map<string, RawObject[]>();
  for (const object of decisions.items)
    for (const key of placementKeys(object)) byPlacement.set(key, [...(byPlacement.get(key) ?? []), object]);
  return !placements.items.every((one) => {
    const { namespace = '', name } = one.metadata;
    return fits(one, byPlacement.get(`${namespace}/${name}`) ?? []);
  });
}
