import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets } from '../../api/resources.js';
import type { Withheld, World, WorldResource } from './world.js';
import type { FleetReading } from './worlds.js';

/** What a caller may not read, as text and in documents. */

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
