import { ManagedClusters, MultiClusterEngines, Placements } from '../../api/resources.js';
import { brakeText, fleetText, maintenanceText } from '../../answers/fleetsummary.js';
import {
  resourceName,
  shownAnswer,
  type ShownOptions,
  type TextOptions,
  table,
  type Cell,
} from '../../answers/output.js';
import { hubStatus, type EngineSummary, type HubStatus } from '../../answers/status.js';
import { isWithheld, unreadLines, type FleetReading } from '../../answers/world/worlds.js';
import type { WorldResource } from '../../answers/world/world.js';
import { inspect, type InspectConfig } from '../inspect.js';

/** What the command lists. */
export const STATUS_RESOURCES: readonly WorldResource[] = ['multiclusterengines', 'placements', 'managedclusters'];

/** Prints the counts of a hub; returns the exit code. */
export function runStatus(config: InspectConfig): Promise<number> {
  return inspect(config, { resources: STATUS_RESOURCES, namespaceOf: () => config.namespace, textOf: status });
}

/** The output of `status`. */
export function status(reading: FleetReading, options: ShownOptions): string {
  const hub = hubStatus(reading);
  return shownAnswer(hub, options, { lines: (how) => lines(reading, hub, how), names: () => names(hub) });
}

function lines(reading: FleetReading, hub: HubStatus, { wide, colored }: TextOptions): readonly string[] {
  const engines = hub.engines.map((one): readonly Cell[] => [
    'engine',
    { text: engineText(one), color: one.phase === 'Available' ? undefined : 'red' },
  ]);
  const notReadable = 'not readable';
  const noEngine: Cell = { text: 'there is no MultiClusterEngine', color: 'red' };
  if (engines.length === 0)
    engines.push(['engine', isWithheld(reading, 'multiclusterengines') ? notReadable : noEngine]);
  const placements = isWithheld(reading, 'placements') ? notReadable : placementsText(hub);
  return [
    ...table([...engines, ...decisionRows(hub), ['placements', placements], ...clusterRows(hub)], colored),
    ...unreadLines(reading, 'nothing is known of them'),
    ...(wide ? table(problems(hub), colored) : []),
  ];
}

/** That there is no engine stands in the row of the engine. */
function decisionRows({ engines, undecided }: HubStatus): readonly (readonly Cell[])[] {
  if (undecided === undefined || engines.length === 0) return [];
  return [['decisions', { text: `${undecided.message}: ${undecided.remedy}`, color: 'red' }]];
}

function clusterRows({ clusters: fleet }: HubStatus): readonly (readonly Cell[])[] {
  if (fleet === undefined) return [['clusters', 'not readable']];
  const clusters: Cell = { text: fleetText(fleet), color: fleet.others.length > 0 ? 'red' : undefined };
  const brake: readonly Cell[] = ['brake', { text: brakeText(fleet.brake), color: 'red' }];
  const maintenance = maintenanceText(fleet);
  return [
    ['clusters', clusters],
    ...(fleet.brake.length === 0 ? [] : [brake]),
    ...(maintenance === undefined ? [] : [['maintenance', maintenance]]),
  ];
}

function engineText({ phase, components, off }: EngineSummary): string {
  const available = components.filter((one) => one.available).length;
  const without = off.length === 0 ? '' : `, off: ${off.map(({ name }) => name).join(', ')}`;
  return `${phase}, ${available} of ${components.length} components${without}`;
}

function placementsText({ placements: { phases, held } }: HubStatus): string {
  // The last number has those of phase Held.
  const counts = Object.entries(phases).flatMap(([phase, count]) => (phase === 'Held' ? [] : [`${count} ${phase}`]));
  return `${counts.join(', ')}, ${held} held`;
}

/** What is not as it should be, with its message. */
function problems({ engines, placements: { others }, clusters }: HubStatus): readonly (readonly Cell[])[] {
  return [
    ...engines.filter(isTroubled).map(({ name, phase, message }) => [name, phase, message]),
    ...engines.flatMap(({ components }) =>
      components.filter(({ available }) => !available).map(({ name, message }) => [name, 'Unavailable', message]),
    ),
    ...others
      .filter(({ phase }) => phase !== 'Satisfied')
      .map(({ namespace, name, phase, message }) => [`${namespace}/${name}`, phase, message]),
    ...troubledClusters(clusters).map(({ name, state, message }) => [name, state, message]),
  ];
}

/** The engine, the Placements and the clusters that are not as they should be. */
function names({ engines, placements: { others }, clusters }: HubStatus): readonly string[] {
  return [
    ...engines.filter(isTroubled).map(({ name }) => resourceName(MultiClusterEngines, name)),
    ...others.map(({ name }) => resourceName(Placements, name)),
    ...new Set(troubledClusters(clusters).map(({ name }) => resourceName(ManagedClusters, name))),
  ];
}

function isTroubled({ phase }: EngineSummary): boolean {
  return phase !== 'Available';
}

function troubledClusters(fleet: HubStatus['clusters']): NonNullable<HubStatus['clusters']>['others'] {
  return fleet === undefined ? [] : [...fleet.others, ...fleet.degraded];
}
