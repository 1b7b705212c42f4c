import { Placements } from '../../api/resources.js';
import { meantText } from '../../runtime/vocabulary/nearestword.js';
import { decisionHistories, type DecisionHistory } from '../../answers/histories.js';
import type { WorldResource } from '../../answers/world/world.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import type { HistoryEntry } from '../../domain/placement/stored/history.js';
import {
  CLI_API_VERSION,
  documentText,
  linesText,
  NotFoundError,
  resourceName,
  someNames,
} from '../../answers/output.js';
import { table, type Cell } from '../../answers/table.js';
import type { InspectOptions } from '../inspect.js';
import { refusedLine, unreadableLine, withheldFields } from '../../answers/world/withheld.js';
import type { FleetReading } from '../../answers/world/worlds.js';

/** What the command lists. */
export const HISTORY_RESOURCES: readonly WorldResource[] = ['placements', 'placementdecisions'];

/** Names of a row. */
const MOST_NAMES = 10;

/** The output of `history`, the newest change first. @throws NotFoundError without such a Placement. */
export function history(reading: FleetReading, name: string, { output, colored }: InspectOptions): string {
  const { world, namespace } = reading;
  const found = decisionHistories(world, name);
  const isUnread = world.withheld.some(({ resource }) => resource === 'placements');
  if (found.length === 0 && !isUnread) {
    const names = world.objects.placements.map(({ metadata }) => metadata.name);
    const where = namespace === undefined ? 'any namespace' : `namespace ${namespace}`;
    throw new NotFoundError(`Placement ${wordText(name)} was not found in ${where}${meantText(name, names)}`);
  }
  switch (output) {
    case 'text':
    case 'wide':
      return linesText(textOf(reading, found, { most: output === 'wide' ? Infinity : MOST_NAMES, colored }));
    case 'name':
      return linesText(found.map((one) => resourceName(Placements, one.name)));
    default:
      return documentText(documentOf(reading, found), output);
  }
}

function textOf(
  reading: FleetReading,
  found: readonly DecisionHistory[],
  { most, colored }: { readonly most: number; readonly colored: boolean },
): readonly string[] {
  const notes = [refusedLine(reading), unreadableLine(reading.world.withheld, 'what changed there is not known')];
  // Without these nothing is known, not even that nothing has changed.
  const isUnread = reading.world.withheld.some(({ resource }) => resource === 'placementdecisions');
  return [
    ...notes.filter((one) => one !== undefined),
    ...(isUnread ? [] : found).flatMap((one) => [
      ...(found.length > 1 ? [`${one.namespace}/${one.name}`] : []),
      ...historyLines(one, most, colored),
    ]),
  ];
}

function historyLines({ entries, dropped }: DecisionHistory, most: number, colored: boolean): readonly string[] {
  const older = dropped === 0 ? [] : [`${dropped} older ${dropped === 1 ? 'change is' : 'changes are'} not kept`];
  if (entries.length === 0) return ['no change is recorded', ...older];
  const head = ['TIME', 'TRIGGER', 'CHANGE', 'CLUSTERS', 'WHY'].map((text): Cell => ({ text }));
  return [...table([head, ...entries.flatMap((one) => rowsOf(one, most))], colored), ...older];
}

const COLORS = { added: 'green', removed: 'red', repaired: 'yellow' } as const;

function rowsOf(
  { time, trigger, added, removed, repaired, more }: HistoryEntry,
  most: number,
): readonly (readonly Cell[])[] {
  const row = (sign: keyof typeof COLORS, names: string, why: string): readonly Cell[] => [
    { text: time.replace(/\.\d+Z$/, 'Z') },
    { text: wordText(trigger) },
    { text: sign, color: COLORS[sign] },
    { text: names },
    { text: why },
  ];
  const others = (count: number): string => `${count} more`;
  return [
    ...repaired.map(({ clusters, why }) => row('repaired', someNames(clusters, most) || '-', why)),
    ...(more.repaired > 0 ? [row('repaired', others(more.repaired), '-')] : []),
    ...removed.map(({ clusters, why }) => row('removed', someNames(clusters, most), why)),
    ...(more.removed > 0 ? [row('removed', others(more.removed), '-')] : []),
    ...(added.length > 0 ? [row('added', someNames(added, most), '-')] : []),
    ...(more.added > 0 ? [row('added', others(more.added), '-')] : []),
  ];
}

/** Kind PlacementHistory. */
function documentOf(reading: FleetReading, found: readonly DecisionHistory[]): object {
  return {
    apiVersion: CLI_API_VERSION,
    kind: 'PlacementHistory',
    placements: found.map(({ namespace, name, entries, dropped }) => ({
      namespace,
      name,
      changes: entries,
      notKept: dropped,
    })),
    ...withheldFields(reading),
  };
}
