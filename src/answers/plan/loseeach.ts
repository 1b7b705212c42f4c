import { keyOf } from '../../runtime/vocabulary/names.js';
import { Placements } from '../../api/resources.js';
import { atLeast, lossOfEach, type ComputingEach, type ValueLoss } from './loss.js';
import { topologyText } from '../../domain/placement/explain/choicetext.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import type { TopologyKey } from '../../domain/placement/spec/spread.js';
import { CLI_API_VERSION, documentText, linesText, resourceName, someNames, type OutputFormat } from '../output.js';
import { table, type Cell } from '../table.js';
import { refusedLine, unreadableLine, limitsOf } from '../world/withheld.js';
import type { FleetReading } from '../world/worlds.js';
import { lossKey, valuesOf } from './lose.js';
import { BRAKED, unseenLines } from './text.js';

/** `--lose-each`: what the loss of each value of a key does. */

/** Rows that are shown without `-o wide`. */
const MOST_ROWS = 50;

/** Everything that is shown. */
interface EachReport {
  readonly key: TopologyKey;
  readonly losses: readonly ValueLoss[];
  /** Clusters that have the key, and all. */
  readonly having: number;
  readonly clusters: number;
  /** The Placements that are short without the clusters of some value, as `namespace/name`. */
  readonly short: ReadonlySet<string>;
  readonly reading: FleetReading;
}

export interface EachOptions extends ComputingEach {
  readonly output: OutputFormat;
  readonly colored: boolean;
}

/** The output for each value of the key, and whether some Placement would be short. @throws ChangeTextError, NotFoundError. */
export function loseEach(
  reading: FleetReading,
  text: string,
  { output, colored, ...computing }: EachOptions,
): EachOutput {
  const key = lossKey(text);
  const values = valuesOf(reading.world, key);
  const losses = lossOfEach(reading.world, values, computing);
  const clusters = reading.world.objects.managedclusters.length;
  const short = new Set(losses.flatMap((one) => atLeast(one, 'Short').map(keyOf)));
  const report = { key, losses, having: values.size, clusters, short, reading };
  return { text: textOf(report, output, colored), isShort: short.size > 0 };
}

export interface EachOutput {
  readonly text: string;
  readonly isShort: boolean;
}

function textOf(report: EachReport, output: OutputFormat, colored: boolean): string {
  switch (output) {
    case 'text':
    case 'wide':
      return linesText(eachLines(report, output === 'wide', colored));
    case 'name':
      return linesText([...report.short].sort().map((name) => resourceName(Placements, name.split('/')[1] ?? '')));
    default:
      return documentText(eachDocument(report), output);
  }
}

function eachLines({ key, losses, ...report }: EachReport, wide: boolean, colored: boolean): readonly string[] {
  const { having, clusters, short, reading } = report;
  const { withheld, objects } = reading.world;
  const notes = [unreadableLine(withheld, 'what a loss does is not known'), refusedLine(reading)];
  if (withheld.length > 0) return notes.filter((one) => one !== undefined);
  const shown = wide ? losses : losses.slice(0, MOST_ROWS);
  const head = [key.key.toUpperCase(), 'CLUSTERS', 'MOVE', 'SHORT', 'EMPTY', ...(wide ? ['WHICH ARE SHORT'] : [])];
  const rows = [head.map((one): Cell => ({ text: one })), ...shown.map((one) => rowOf(one, wide))];
  const [rest, without] = [losses.length - shown.length, clusters - having];
  return [
    ...notes.filter((one) => one !== undefined),
    ...table(rows, colored),
    ...(rest === 0 ? [] : [`${rest} more ${rest === 1 ? 'value' : 'values'}: -o wide shows all`]),
    ...(without === 0 ? [] : [`${without} of ${clusters} clusters have no ${topologyText(key)}.`]),
    `${short.size === 0 ? 'None' : short.size} of ${objects.placements.length} Placements would be short.`,
    ...losses.filter(({ unnoticed }) => unnoticed.isBraked).map(({ value }) => brakedLine(key, value)),
    ...unseenLines(losses.flatMap(({ unnoticed }) => unnoticed.clusters).sort(), { wide }),
  ];
}

function brakedLine(key: TopologyKey, value: string): string {
  return `Without ${topologyText(key)}=${wordText(value)} most of the fleet would be silent${BRAKED}`;
}

function rowOf(loss: ValueLoss, wide: boolean): readonly Cell[] {
  const [short, empty] = [atLeast(loss, 'Short'), atLeast(loss, 'Empty')];
  return [
    { text: wordText(loss.value) },
    { text: `${loss.clusters}` },
    { text: `${loss.placements.length}` },
    { text: `${short.length}`, color: short.length > 0 ? 'yellow' : undefined },
    { text: `${empty.length}`, color: empty.length > 0 ? 'red' : undefined },
    ...(wide ? [{ text: short.length === 0 ? '-' : someNames(short.map(keyOf), Infinity) }] : []),
  ];
}

/** Of kind FleetLosses (docs/reference/cli/fleetlosses.schema.json). */
function eachDocument({ key, losses, having, clusters, short, reading }: EachReport): object {
  return {
    apiVersion: CLI_API_VERSION,
    kind: 'FleetLosses',
    key: { source: key.source, name: key.key },
    summary: {
      clusters,
      clustersWithoutKey: clusters - having,
      placements: reading.world.objects.placements.length,
      ...(reading.world.withheld.length > 0 ? {} : { short: short.size }),
    },
    values: losses.map((one) => ({
      value: one.value,
      clusters: one.clusters,
      move: one.placements.length,
      short: atLeast(one, 'Short').length,
      empty: atLeast(one, 'Empty').length,
      placements: one.placements,
      ...(one.unnoticed.clusters.length > 0 && { unnoticed: one.unnoticed.clusters }),
      ...(one.unnoticed.isBraked && { braked: true }),
    })),
    ...limitsOf(reading),
  };
}
