import { Placements } from '../../api/resources.js';
import type { TopologyKey } from '../../domain/placement/spec/spread.js';
import { pieceText, topologyText } from '../../domain/placement/explain/choicetext.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import {
  resourceName,
  someNames,
  shownAnswer,
  type ShownOptions,
  type TextOptions,
  painted,
  table,
  type Cell,
  type Color,
} from '../../answers/output.js';
import { fleetTree, type PlacementTree } from '../../answers/tree.js';
import { isWithheld, unreadLines, DECISION_RESOURCES, type FleetReading } from '../../answers/world/worlds.js';
import { inspect, type InspectConfig } from '../inspect.js';

/** The most clusters that are named for each set. */
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

type TreeConfig = InspectConfig & { readonly placement: string | undefined; readonly by: TopologyKey | undefined };

/** Prints the clusters of Placements, of one namespace unless all are asked for; returns the exit code. */
export function runTree(config: TreeConfig): Promise<number> {
  return inspect(config, {
    resources: DECISION_RESOURCES,
    namespaceOf: (own) => (config.allNamespaces ? undefined : own()),
    textOf: (reading, options) => tree(reading, config.placement, options, config.by),
  });
}

/** The output of `tree`; `name`: the only Placement to show. @throws NotFoundError without it, or where no cluster has the key `by`. */
export function tree(reading: FleetReading, name: string | undefined, options: ShownOptions, by?: TopologyKey): string {
  const found = fleetTree(reading, { name, by });
  return shownAnswer(found, options, {
    lines: (how) => lines(reading, found.placements, how),
    names: () => found.placements.map((one) => resourceName(Placements, one.name)),
  });
}

function lines(reading: FleetReading, trees: readonly PlacementTree[], options: TextOptions): readonly string[] {
  const { namespace } = reading;
  const isUnread = isWithheld(reading, 'placements', 'placementdecisions');
  const rest = isUnread ? 'what is not shown may exist' : 'which set a cluster comes from is not known';
  const notes = [...unreadLines(reading, rest)];
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  if (trees.length === 0 && !isWithheld(reading, 'placements')) notes.push(`there is no Placement${where}`);
  const isFleetKnown = !isWithheld(reading, 'managedclusters', 'managedclustersets', 'managedclustersetbindings');
  return [...notes, ...trees.flatMap((one) => treeLines(one, isFleetKnown, options))];
}

function treeLines(one: PlacementTree, isFleetKnown: boolean, { wide, colored }: TextOptions): readonly string[] {
  const { namespace, name, phase, selected, wanted, clusterSets, topology, pieces = [], releases = [] } = one;
  const count = wanted === undefined ? String(selected) : `${selected}/${wanted}`;
  const head = `${namespace}/${name}  ${painted({ text: phase, color: COLORS[phase] }, colored)} ${count}`;
  const branches = isFleetKnown
    ? (topology?.domains ?? clusterSets).map((branch) => [wordText(branch.name), branch.clusters] as const)
    : [];
  const known = new Set(branches.flatMap(([, clusters]) => clusters));
  const all = new Set([...clusterSets.flatMap(({ clusters }) => clusters), ...one.others]);
  const others = [...all].filter((cluster) => !known.has(cluster)).sort();
  if (others.length > 0) branches.push([othersTitle(one, isFleetKnown), others]);
  const row = (title: string, clusters: readonly string[]): readonly Cell[] => [
    title,
    clusters.length === 0 ? '-' : someNames(clusters, wide ? Infinity : MOST_NAMES),
  ];
  const rows = branches.map(([title, clusters], index) =>
    row(`${index === branches.length - 1 ? '└─' : '├─'} ${title}`, clusters),
  );
  return [
    head,
    ...table(rows, colored),
    ...table(
      pieces.map((piece) => row(`  ${pieceText(piece)}`, piece.clusters)),
      colored,
    ),
    ...[one.emptyGroups, one.held, one.waiting].filter((line) => line !== undefined),
    ...releases.map(({ message }) => message),
  ];
}

function othersTitle({ topology }: PlacementTree, isFleetKnown: boolean): string {
  if (topology === undefined) return isFleetKnown ? 'in no eligible set' : 'set not known';
  return isFleetKnown ? `without ${topologyText(topology)}` : `${topologyText(topology)} not known`;
}
