import { meantText } from '../../runtime/vocabulary/nearestword.js';
import { Placements } from '../../api/resources.js';
import { endableLine } from '../../domain/placement/report/releases.js';
import { placementTrees, type PlacementTree } from '../../answers/tree.js';
import { topologyText } from '../../domain/placement/explain/choicetext.js';
import { pieceText } from '../../domain/placement/explain/piecetext.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { releasesField } from '../../answers/reasons.js';
import type { FleetReading } from '../../answers/world/worlds.js';
import { meantAmong, namesOf } from '../../answers/meant.js';
import { valuesOf } from '../../answers/plan/lose.js';
import {
  CLI_API_VERSION,
  documentText,
  linesText,
  NotFoundError,
  resourceName,
  someNames,
} from '../../answers/output.js';
import { painted, table, type Color } from '../../answers/table.js';
import { refusedLine, unreadableLine, withheldFields } from '../../answers/world/withheld.js';
import type { InspectOptions } from '../inspect.js';
import type { TreeConfig } from './flags.js';

/** Of each set this many clusters are named. */
const MOST_NAMES = 10;
const COLORS: Readonly<Record<string, Color>> = {
  Satisfied: 'green',
  PartiallySatisfied: 'yellow',
  Held: 'yellow',
  Paused: 'yellow',
  Waiting: 'yellow',
  Unsatisfied: 'red',
  Misconfigured: 'red',
};

/** The output of `tree`; `name`: the only Placement to show. @throws NotFoundError without it, or where no cluster has the key `by`. */
export function tree(
  reading: FleetReading,
  name: string | undefined,
  options: InspectOptions,
  by?: TreeConfig['by'],
): string {
  const trees = placementTrees(onlyPlacement(reading, name).world, by);
  if (name !== undefined && trees.length === 0 && !isWithheld(reading, 'placements'))
    throw new NotFoundError(notFound(reading, name));
  if (by !== undefined) valuesOf(reading.world, by);
  const { output } = options;
  switch (output) {
    case 'text':
    case 'wide':
      return linesText(textOf(reading, trees, options));
    case 'name':
      return linesText(trees.map((one) => resourceName(Placements, one.name)));
    default:
      return documentText(documentOf(reading, trees), output);
  }
}

function onlyPlacement(reading: FleetReading, name: string | undefined): FleetReading {
  if (name === undefined) return reading;
  const { world } = reading;
  const placements = world.objects.placements.filter(({ metadata }) => metadata.name === name);
  return { ...reading, world: { ...world, objects: { ...world.objects, placements } } };
}

function notFound({ namespace, world }: FleetReading, name: string): string {
  const { placements } = world.objects;
  return namespace === undefined
    ? `Placement ${wordText(name)} was not found in any namespace${meantText(name, namesOf(placements))}`
    : `Placement ${namespace}/${name} was not found${meantAmong(placements, namespace, name)}`;
}

function isWithheld({ world }: FleetReading, ...resources: readonly string[]): boolean {
  return world.withheld.some(({ resource }) => resources.includes(resource));
}

function textOf(reading: FleetReading, trees: readonly PlacementTree[], options: InspectOptions): readonly string[] {
  const rest = isWithheld(reading, 'placements', 'placementdecisions')
    ? 'what is not shown may exist'
    : 'which set a cluster comes from is not known';
  const notes = [refusedLine(reading), unreadableLine(reading.world.withheld, rest)].filter(
    (line) => line !== undefined,
  );
  if (trees.length === 0) return isWithheld(reading, 'placements') ? notes : [...notes, noPlacements(reading)];
  const isFleetKnown = !isWithheld(reading, 'managedclusters', 'managedclustersets', 'managedclustersetbindings');
  return [...notes, ...trees.flatMap((one) => treeLines(one, isFleetKnown, options))];
}

function noPlacements({ namespace }: FleetReading): string {
  return namespace === undefined ? 'there is no Placement' : `there is no Placement in namespace ${namespace}`;
}

function treeLines(one: PlacementTree, isFleetKnown: boolean, { output, colored }: InspectOptions): readonly string[] {
  const { namespace, name, phase, selected, wanted } = one;
  const count = wanted === undefined ? String(selected) : `${selected}/${wanted}`;
  const head = `${namespace}/${name}  ${painted({ text: phase, color: COLORS[phase] }, colored)} ${count}`;
  const most = output === 'wide' ? Infinity : MOST_NAMES;
  const branches = isFleetKnown ? branchesOf(one) : [];
  const known = new Set(branches.flatMap(([, clusters]) => clusters));
  const others = one.all.filter((cluster) => !known.has(cluster));
  if (others.length > 0) branches.push([othersTitle(one, isFleetKnown), others]);
  const rows = branches.map(([title, clusters], index) => [
    { text: `${index === branches.length - 1 ? '└─' : '├─'} ${title}` },
    { text: clusters.length === 0 ? '-' : someNames(clusters, most) },
  ]);
  const notes = [one.emptyGroups, one.held, one.waiting].filter((line) => line !== undefined);
  const pieces = one.pieces.map((piece) => [
    { text: `  ${pieceText(piece)}` },
    { text: piece.clusters.length === 0 ? '-' : someNames(piece.clusters, most) },
  ]);
  return [
    head,
    ...table(rows, colored),
    ...table(pieces, colored),
    ...notes,
    ...one.releases.map((release) => endableLine(release, one)),
  ];
}

function branchesOf({ sets, by }: PlacementTree): (readonly [string, readonly string[]])[] {
  return (by?.domains ?? sets).map((branch) => [wordText(branch.name), branch.clusters]);
}

function othersTitle({ by }: PlacementTree, isFleetKnown: boolean): string {
  if (by === undefined) return isFleetKnown ? 'in no eligible set' : 'set not known';
  return isFleetKnown ? `without ${topologyText(by)}` : `${topologyText(by)} not known`;
}

/** Kind FleetTree. */
function documentOf(reading: FleetReading, trees: readonly PlacementTree[]): object {
  return {
    apiVersion: CLI_API_VERSION,
    kind: 'FleetTree',
    placements: trees.map(({ namespace, name, phase, wanted, by, pieces, emptyGroups, waiting, held, ...one }) => ({
      namespace,
      name,
      phase,
      selected: one.selected,
      ...(wanted === undefined ? {} : { wanted }),
      clusterSets: one.sets,
      others: one.others,
      ...(pieces.length === 0 ? {} : { pieces }),
      ...(emptyGroups === undefined ? {} : { emptyGroups }),
      ...(waiting === undefined ? {} : { waiting }),
      ...(held === undefined ? {} : { held }),
      ...(by === undefined ? {} : { topology: { source: by.source, key: by.key, domains: by.domains } }),
      ...releasesField(one.releases, { namespace, name }),
    })),
    ...withheldFields(reading),
  };
}
