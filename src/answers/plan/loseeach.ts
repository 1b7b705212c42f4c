import { keyOf } from '../../runtime/vocabulary/names.js';
import { Placements } from '../../api/resources.js';
import { lossOfEach, type LossOfEachOptions, type ValueLoss } from './loss.js';
import { topologyText } from '../../domain/placement/explain/choicetext.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import type { TopologyKey } from '../../domain/placement/spec/spread.js';
import {
  CLI_API_VERSION,
  resourceName,
  shownAnswer,
  someNames,
  type ShownOptions,
  type TextOptions,
  table,
  type Cell,
} from '../output.js';
import { limitsOf, refusedLine, unreadableLine, type Limits, type FleetReading } from '../world/worlds.js';
import { lossKey, valuesOf } from './lose.js';
import { BRAKED, unseenLines } from './text.js';

/** `plan --lose-each`: for each value of a key, what happens when all clusters with this value are lost. */

/** The most rows that are shown without `-o wide`. */
const MOST_ROWS = 50;

/** Kind FleetLosses (docs/reference/cli/fleetlosses.schema.json). */
export interface FleetLosses extends Limits {
  readonly apiVersion: typeof CLI_API_VERSION;
  readonly kind: 'FleetLosses';
  readonly key: { readonly source: TopologyKey['source']; readonly name: string };
  readonly summary: {
    readonly clusters: number;
    readonly clustersWithoutKey: number;
    readonly placements: number;
    /** How many Placements are short without the clusters of some value; absent where something could not be read. */
    readonly short?: number;
  };
  /** The values, the one whose loss is worst first. */
  readonly values: readonly ValueLoss[];
}

/**
 * The output, and whether some Placement would be short. `keyText`: `claim/KEY` or `label/KEY`.
 * @throws ChangeTextError, NotFoundError
 */
export function loseEach(
  reading: FleetReading,
  keyText: string,
  request: LossOfEachOptions & ShownOptions,
): { readonly text: string; readonly isShort: boolean } {
  const document = fleetLosses(reading, keyText, request);
  const short = new Set(document.values.flatMap((one) => shortIn(one)));
  const shown = shownAnswer(document, request, {
    lines: (how) => eachLines(document, reading, how),
    names: () => [...short].sort().map((name) => resourceName(Placements, name.split('/')[1] ?? '')),
  });
  return { text: shown, isShort: short.size > 0 };
}

/** What the loss of each value of a key does. @throws ChangeTextError, NotFoundError */
export function fleetLosses(reading: FleetReading, keyText: string, request: LossOfEachOptions): FleetLosses {
  const { world } = reading;
  const key = lossKey(keyText);
  const valueByCluster = valuesOf(world, key);
  const values = lossOfEach(world, valueByCluster, request);
  const [clusters, placements] = [world.objects.managedclusters.length, world.objects.placements.length];
  const short = new Set(values.flatMap((one) => shortIn(one)));
  return {
    apiVersion: CLI_API_VERSION,
    kind: 'FleetLosses',
    key: { source: key.source, name: key.key },
    summary: {
      clusters,
      clustersWithoutKey: clusters - valueByCluster.size,
      placements,
      ...(world.withheld.length > 0 ? {} : { short: short.size }),
    },
    values,
    ...limitsOf(reading),
  };
}

/** The Placements that are short without the clusters of the value, as `namespace/name`. */
function shortIn({ placements }: ValueLoss): readonly string[] {
  return placements.filter(({ effect }) => effect !== 'Moves').map(keyOf);
}

function eachLines(document: FleetLosses, reading: FleetReading, { wide, colored }: TextOptions): readonly string[] {
  const { before, after } = lossNotes(document, reading, { wide });
  if (reading.world.withheld.length > 0) return before;
  const { name: key } = document.key;
  const { values } = document;
  const shown = wide ? values : values.slice(0, MOST_ROWS);
  const head = [key.toUpperCase(), 'CLUSTERS', 'MOVE', 'SHORT', 'EMPTY', ...(wide ? ['WHICH ARE SHORT'] : [])];
  const rows = [head.map((one): Cell => ({ text: one })), ...shown.map((one) => rowOf(one, wide))];
  const rest = values.length - shown.length;
  return [
    ...before,
    ...table(rows, colored),
    ...(rest === 0 ? [] : [`${rest} more ${rest === 1 ? 'value' : 'values'}: -o wide shows all`]),
    ...after,
  ];
}

/** What is said beside the table: above it what could not be read, below it what its rows do not say. */
export function lossNotes(
  { key: { source, name: key }, summary, values }: FleetLosses,
  reading: FleetReading,
  { wide }: Pick<TextOptions, 'wide'>,
): { readonly before: readonly string[]; readonly after: readonly string[] } {
  const { withheld } = reading.world;
  const notes = [unreadableLine(withheld, 'what a loss does is not known'), refusedLine(reading)];
  const before = notes.filter((one) => one !== undefined);
  if (withheld.length > 0) return { before, after: [] };
  const { clusters, clustersWithoutKey: without, placements, short = 0 } = summary;
  const what = topologyText({ source, key });
  const after = [
    ...(without === 0 ? [] : [`${without} of ${clusters} clusters have no ${what}.`]),
    `${short === 0 ? 'None' : short} of ${placements} Placements would be short.`,
    ...values
      .filter(({ braked }) => braked)
      .map(({ value }) => `Without ${what}=${wordText(value)} most of the fleet would be silent${BRAKED}`),
    ...unseenLines(values.flatMap(({ unnoticed = [] }) => unnoticed).sort(), { wide }),
  ];
  return { before, after };
}

function rowOf(loss: ValueLoss, wide: boolean): readonly Cell[] {
  const { value, clusters, move, short, empty } = loss;
  return [
    { text: wordText(value) },
    { text: `${clusters}` },
    { text: `${move}` },
    { text: `${short}`, color: short > 0 ? 'yellow' : undefined },
    { text: `${empty}`, color: empty > 0 ? 'red' : undefined },
    ...(wide ? [{ text: short === 0 ? '-' : someNames(shortIn(loss), Infinity) }] : []),
  ];
}
