import { keyOf } from '../../runtime/vocabulary/names.js';
import type { KubeObject, ObjectName, ResourceType, RawObject } from '../../runtime/vocabulary/meta.js';
import { DECISION_REVISION_ANNOTATION } from '../../api/names.js';
import { field, textField } from '../../runtime/vocabulary/json.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  MultiClusterEngines,
  PlacementDecisions,
  Placements,
} from '../../api/resources.js';
import { apiVersionOf } from '../../runtime/vocabulary/kinds.js';
import { grouped, WORLD_RESOURCES, worldOf, type Withheld, type World, type WorldResource } from './world.js';
import { placementKeys } from '../../domain/placement/stored/decision.js';
import type { ListOptions, ReadClient } from '../../runtime/client/client.js';
import { isFailure } from '../../runtime/errors.js';

/** Worlds from an API server and from manifests. */

export const TYPES: Readonly<Record<WorldResource, ResourceType>> = {
  multiclusterengines: MultiClusterEngines,
  placements: Placements,
  placementdecisions: PlacementDecisions,
  managedclusters: ManagedClusters,
  managedclustersets: ManagedClusterSets,
  managedclustersetbindings: ManagedClusterSetBindings,
};

/** A decision that changes while it is read is read this often. */
const READS = 3;

/**
 * What the decision for a Placement is based on, by GET and LIST alone. What the caller may not list is withheld. The
 * Placement and its decisions are read again while they do not fit together, at most three times.
 * @throws ApiError when the Placement cannot be read, or for any other error than a missing right or type.
 */
export async function readPlacementWorld(client: ReadClient, { namespace, name }: ObjectName): Promise<World> {
  const rest = await Promise.all([
    listOf(client, 'managedclusters'),
    listOf(client, 'managedclustersets'),
    listOf(client, 'managedclustersetbindings', namespace),
  ]);
  for (let read = 1; ; read++) {
    const placement = await client.get<RawObject>(Placements, {
      name,
      ...(namespace === undefined ? {} : { namespace }),
    });
    const decisions = await listOf(client, 'placementdecisions', namespace);
    const isWhole = decisions.withheld.length > 0 || placement === undefined || fits(placement, decisions.items);
    if (!isWhole && read < READS) continue;
    const items = placement === undefined ? [] : [placement];
    return worldOfLists([...rest, decisions, { resource: 'placements', items, withheld: [] }]);
  }
}

/** The world of these collections; others are empty. */
export function worldOfLists(lists: readonly Listed[]): World {
  return worldOf(Object.fromEntries(lists.map(({ resource, items }) => [resource, items])), withheldOf(lists));
}

function withheldOf(lists: readonly Listed[]): readonly Withheld[] {
  return lists.flatMap(({ withheld }) => withheld);
}

/** The world of `objects`; an object of a namespaced kind without a namespace is in `namespace`. Other kinds are left out. */
export function worldOfObjects(objects: readonly KubeObject[], namespace: string): World {
  const found: Partial<Record<WorldResource, RawObject[]>> = {};
  for (const [resource, type] of Object.entries(TYPES) as [WorldResource, ResourceType][]) {
    const ofType = objects.filter((one) => one.kind === type.kind && one.apiVersion === apiVersionOf(type));
    found[resource] = ofType.map((one) =>
      type.namespaced ? { ...one, metadata: { namespace, ...one.metadata } } : one,
    );
  }
  return { ...worldOf(found), isOfManifests: true };
}

/** A list, empty where it is withheld. */
export interface Listed {
  readonly resource: WorldResource;
  readonly items: readonly RawObject[];
  readonly withheld: readonly Withheld[];
}

/** Lists a collection; a missing right or type is withheld. @throws ApiError for any other error. */
export async function listOf(
  client: ReadClient,
  resource: WorldResource,
  namespace?: string,
  options: Pick<ListOptions, 'onPage'> = {},
): Promise<Listed> {
  try {
    return { resource, items: await client.list<RawObject>(TYPES[resource], namespace, options), withheld: [] };
  } catch (error) {
    if (!isFailure(error, 'Forbidden', 'ResourceMissing')) throw error;
    return { resource, items: [], withheld: [{ resource, verb: 'list', status: error.status }] };
  }
}

/** Whether the decision objects have the revisions that the Placement's status lists. */
function fits(placement: RawObject, decisions: readonly RawObject[]): boolean {
  const listed = field(placement.status, 'decisions');
  const revisions = new Map(
    decisions.map(({ metadata }) => [metadata.name, metadata.annotations?.[DECISION_REVISION_ANNOTATION]]),
  );
  return (
    !Array.isArray(listed) ||
    listed.every((one) => revisions.get(textField(one, 'name')) === textField(one, 'revision'))
  );
}

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

/** Whether the status of a Placement lists other revisions than its decision objects have. */
function isTorn(lists: readonly Listed[]): boolean {
  const placements = lists.find(({ resource }) => resource === 'placements');
  const decisions = lists.find(({ resource }) => resource === 'placementdecisions');
  if (placements === undefined || decisions === undefined || withheldOf([placements, decisions]).length > 0)
    return false;
  const byPlacement = grouped(decisions.items, placementKeys, (one) => one);
  return !placements.items.every((one) => fits(one, byPlacement.get(keyOf(one.metadata)) ?? []));
}

/** `not readable: managedclusters (list: 403): …`; undefined when everything was read. `rest`: what follows of it. */
export function unreadableLine(withheld: readonly Withheld[], rest: string): string | undefined {
  return withheld.length === 0 ? undefined : `not readable: ${listText(withheld)}: ${rest}`;
}

/** A line that says that only one namespace was read; undefined when all were. */
export function refusedLine({ refused, namespace }: Pick<FleetReading, 'refused' | 'namespace'>): string | undefined {
  return refused.length === 0
    ? undefined
    : `only namespace ${namespace} is shown; not readable in all namespaces: ${listText(refused)}`;
}

/** The lines of {@link refusedLine} and {@link unreadableLine} that are defined. */
export function unreadLines(reading: FleetReading, rest: string): readonly string[] {
  return [refusedLine(reading), unreadableLine(reading.world.withheld, rest)].filter((line) => line !== undefined);
}

/** What of an answer is not known: a part of its document. */
export interface Limits {
  /** The only namespace whose objects were read; absent for all. */
  readonly namespace?: string;
  readonly withheld: readonly Withheld[];
}

export function limitsOf({ world, refused, namespace }: FleetReading): Limits {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    withheld: [...refused, ...world.withheld].map(({ resource, verb, status }) => ({ resource, verb, status })),
  };
}

/** Whether one of these kinds could not be read. */
export function isWithheld({ world }: Pick<FleetReading, 'world'>, ...resources: readonly WorldResource[]): boolean {
  return world.withheld.some(({ resource }) => resources.includes(resource));
}

/** Whether everything was read that the answer is about. */
export function isComplete({ world, refused }: Pick<FleetReading, 'world' | 'refused'>): boolean {
  return world.withheld.length === 0 && refused.length === 0;
}

/** What a decision depends on, as kubectl lists it. */
const INPUTS = [
  ['managedclusters', ManagedClusters.kind],
  ['managedclustersets', ManagedClusterSets.kind],
  ['managedclustersetbindings', ManagedClusterSetBindings.kind],
] as const;

/**
 * Of which kinds files hold nothing, so that their Placements select nothing, and what to do; undefined where they hold some of
 * each, or no Placement.
 */
export function absentInFiles({ objects }: World): string | undefined {
  const absent = INPUTS.filter(([resource]) => objects[resource].length === 0);
  if (absent.length === 0 || objects.placements.length === 0) return undefined;
  const kinds = absent.map(([, kind]) => kind).join(', ');
  const list = `kubectl get ${absent.map(([resource]) => resource).join(',')} -A -o yaml`;
  return `the files hold no ${kinds}: add those of the hub (${list}), or ask the hub, without --offline`;
}

function listText(withheld: readonly Withheld[]): string {
  return withheld.map(({ resource, verb, status }) => `${resource} (${verb}: ${status})`).join(', ');
}

/** The Placements of these worlds, sorted by namespace and name. */
export function placementsIn(
  ...worlds: readonly World[]
): readonly { readonly namespace: string; readonly name: string }[] {
  const all = worlds.flatMap(({ objects }) => objects.placements);
  // The key sorts by namespace and then by name, since a line feed sorts before every character of a name.
  const names = all.map(
    ({ metadata: { namespace = '', name } }) => [`${namespace}\n${name}`, { namespace, name }] as const,
  );
  return [...new Map(names)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, name]) => name);
}
