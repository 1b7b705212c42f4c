import { ManagedClusters, MultiClusterEngines, Placements } from '../../api/resources.js';
import {
  brakeText,
  fleetSummary,
  fleetText,
  maintenanceText,
  type ClusterSummary,
} from '../../answers/fleetsummary.js';
import { hubStatus, phaseCounts, type EngineSummary, type HubStatus } from '../../answers/hubstatus.js';
import type { World, WorldResource } from '../../answers/world/world.js';
import type { FleetReading } from '../../answers/world/worlds.js';
import { CLI_API_VERSION, documentText, linesText, resourceName } from '../../answers/output.js';
import { table, type Cell } from '../../answers/table.js';
import { refusedLine, unreadableLine, withheldFields } from '../../answers/world/withheld.js';
import type { InspectOptions } from '../inspect.js';

/** What the command lists. */
export const STATUS_RESOURCES: readonly WorldResource[] = ['multiclusterengines', 'placements', 'managedclusters'];

export function status(reading: FleetReading, { output, colored }: InspectOptions): string {
  const hub = hubStatus(reading.world);
  switch (output) {
    case 'text':
      return linesText(textOf(reading, hub, colored));
    case 'wide':
      return linesText([...textOf(reading, hub, colored), ...problems(reading, hub, colored)]);
    case 'name':
      return linesText(namesOf(reading, hub));
    default:
      return documentText(documentOf(reading, hub), output);
  }
}

function textOf(reading: FleetReading, hub: HubStatus, colored: boolean): readonly string[] {
  const { withheld } = reading.world;
  const engines = hub.engines.map((one): readonly Cell[] => [
    { text: 'engine' },
    { text: engineText(one), color: one.phase === 'Available' ? undefined : 'red' },
  ]);
  if (engines.length === 0) engines.push([{ text: 'engine' }, noEngine(reading)]);
  const isUnread = withheld.some(({ resource }) => resource === 'placements');
  const placements: readonly Cell[] = [
    { text: 'placements' },
    isUnread ? { text: 'not readable' } : { text: placementsText(hub) },
  ];
  const notes = [refusedLine(reading), unreadableLine(withheld, 'nothing is known of them')];
  return [
    ...table([...engines, placements, ...clusterRows(reading)], colored),
    ...notes.filter((line) => line !== undefined),
  ];
}

function noEngine({ world }: FleetReading): Cell {
  const isUnread = world.withheld.some(({ resource }) => resource === 'multiclusterengines');
  return isUnread ? { text: 'not readable' } : { text: 'there is no MultiClusterEngine', color: 'red' };
}

function clusterRows({ world }: FleetReading): readonly (readonly Cell[])[] {
  if (world.withheld.some(({ resource }) => resource === 'managedclusters'))
    return [[{ text: 'clusters' }, { text: 'not readable' }]];
  const fleet = fleetSummary(world.objects.managedclusters);
  const clusters: Cell = { text: fleetText(fleet), color: fleet.others.length > 0 ? 'red' : undefined };
  const brake: readonly Cell[] = [{ text: 'brake' }, { text: brakeText(fleet.brake), color: 'red' }];
  const maintenance = maintenanceText(fleet);
  return [
    [{ text: 'clusters' }, clusters],
    ...(fleet.brake.length === 0 ? [] : [brake]),
    ...(maintenance === undefined ? [] : [[{ text: 'maintenance' }, { text: maintenance }]]),
  ];
}

function engineText({ phase, components, off }: EngineSummary): string {
  const available = components.filter((one) => one.available).length;
  const without = off.length === 0 ? '' : `, off: ${off.map(({ name }) => name).join(', ')}`;
  return `${phase}, ${available} of ${components.length} components${without}`;
}

function placementsText(hub: HubStatus): string {
  // The last number has those of phase Held.
  const counts = phaseCounts(hub).flatMap(([phase, count]) => (phase === 'Held' ? [] : [`${count} ${phase}`]));
  return `${counts.join(', ')}, ${hub.placements.filter(({ held }) => held).length} held`;
}

/** What is not as it should be, with its message. */
function problems({ world }: FleetReading, { engines, placements }: HubStatus, colored: boolean): readonly string[] {
  const rows = [
    ...engines.filter(({ phase }) => phase !== 'Available').map(({ name, phase, message }) => [name, phase, message]),
    ...engines.flatMap(({ components }) =>
      components.filter(({ available }) => !available).map(({ name, message }) => [name, 'Unavailable', message]),
    ),
    ...placements
      .filter(({ phase }) => phase !== 'Satisfied')
      .map(({ namespace, name, phase, message }) => [`${namespace}/${name}`, phase, message]),
    ...troubledClusters(world).map(({ name, state, message }) => [name, state, message]),
  ];
  return table(
    rows.map((row) => row.map((text): Cell => ({ text }))),
    colored,
  );
}

/** The engine, the Placements and the clusters that are not as they should be. */
function namesOf({ world }: FleetReading, { engines, placements }: HubStatus): readonly string[] {
  return [
    ...engines.filter(({ phase }) => phase !== 'Available').map(({ name }) => resourceName(MultiClusterEngines, name)),
    ...placements
      .filter(({ phase, held }) => phase !== 'Satisfied' || held)
      .map(({ name }) => resourceName(Placements, name)),
    ...new Set(troubledClusters(world).map(({ name }) => resourceName(ManagedClusters, name))),
  ];
}

function troubledClusters({ objects }: World): readonly ClusterSummary[] {
  const { others, degraded } = fleetSummary(objects.managedclusters);
  return [...others, ...degraded];
}

/** Kind HubStatus. */
function documentOf(reading: FleetReading, hub: HubStatus): object {
  const { engines, placements } = hub;
  return {
    apiVersion: CLI_API_VERSION,
    kind: 'HubStatus',
    engines,
    placements: {
      total: placements.length,
      phases: Object.fromEntries(phaseCounts(hub)),
      held: placements.filter(({ held }) => held).length,
      others: placements.filter(({ phase, held }) => phase !== 'Satisfied' || held),
    },
    ...clusterFields(reading),
    ...withheldFields(reading),
  };
}

/** Absent where clusters could not be read: a count of zero would be a claim. */
function clusterFields({ world }: FleetReading): object {
  if (world.withheld.some(({ resource }) => resource === 'managedclusters')) return {};
  return { clusters: fleetSummary(world.objects.managedclusters) };
}
