import { Placements } from '../../api/resources.js';
import { printable, wordText } from '../../domain/placement/explain/requirementtext.js';
import type { HistoryEntry } from '../../domain/placement/stored/history.js';
import {
  type Difference,
  type Edit,
  placementHistory,
  type DecisionChange,
  type DecisionHistory,
} from '../../answers/history.js';
import {
  resourceName,
  someNames,
  shownAnswer,
  type ShownOptions,
  type TextOptions,
  table,
  type Cell,
} from '../../answers/output.js';
import { isWithheld, unreadLines, type FleetReading } from '../../answers/world/worlds.js';
import type { WorldResource } from '../../answers/world/world.js';
import { inspect, type InspectConfig } from '../inspect.js';

/** What the command lists. */
export const HISTORY_RESOURCES: readonly WorldResource[] = ['placements', 'placementdecisions'];

/** Names of a row. */
const MOST_NAMES = 10;
const COLORS = { added: 'green', removed: 'red', repaired: 'yellow' } as const;

/** Prints what has changed in a decision; returns the exit code. */
export function runHistory(config: InspectConfig & { readonly placement: string }): Promise<number> {
  return inspect(config, {
    resources: HISTORY_RESOURCES,
    namespaceOf: (own) => (config.allNamespaces ? undefined : own()),
    textOf: (reading, options) => history(reading, config.placement, options),
  });
}

/** The output of `history`, the newest change first. @throws NotFoundError without such a Placement. */
export function history(reading: FleetReading, name: string, options: ShownOptions): string {
  const found = placementHistory(reading, name, (resource) => HISTORY_RESOURCES.includes(resource));
  const { placements } = found;
  return shownAnswer(found, options, {
    lines: (how) => {
      // Without these nothing is known, not even that nothing has changed.
      const known = isWithheld(reading, 'placementdecisions') ? [] : placements;
      const isOne = placements.length === 1;
      return [
        ...unreadLines(reading, 'what changed there is not known'),
        ...known.flatMap((one) => [...(isOne ? [] : [`${one.namespace}/${one.name}`]), ...historyLines(one, how)]),
      ];
    },
    names: () => placements.map((one) => resourceName(Placements, one.name)),
  });
}

function historyLines(
  { changes, notKept, edits, differences = [] }: DecisionHistory,
  { wide, colored }: TextOptions,
): readonly string[] {
  const [last] = edits;
  const about = [
    ...(last === undefined ? [] : [`last edited ${editText(last, wide)}`]),
    ...differences.map(differenceLine),
  ];
  const older = notKept === 0 ? [] : [`${notKept} older ${notKept === 1 ? 'change is' : 'changes are'} not kept`];
  if (changes.length === 0) return ['no change is recorded', ...older, ...about];
  const head = ['TIME', 'TRIGGER', 'EDITED BY', 'CHANGE', 'CLUSTERS', 'WHY'];
  const most = wide ? Infinity : MOST_NAMES;
  return [
    ...table([head, ...changes.flatMap((one) => rowsOf(one, most, editorsText(one, wide)))], colored),
    ...older,
    ...about,
  ];
}

/** `by kubectl-edit at 2026-11-22T11:57:59Z`; wide, with the fields. */
function editText({ manager, time, fields }: Edit, wide: boolean): string {
  return `by ${wordText(manager)} at ${time}${wide ? `: ${fields.map(wordText).join(', ')}` : ''}`;
}

/** `spec.numberOfClusters was applied as 3 and is 5: kubectl-edit at …`. */
function differenceLine({ field, applied, now, by }: Difference): string {
  const was = applied === undefined ? 'was not applied' : `was applied as ${printable(applied)}`;
  const is = now === undefined ? 'was removed' : `is ${printable(now)}`;
  return `${wordText(field)} ${was} and ${is}${by === undefined ? '' : `: ${wordText(by.manager)} at ${by.time}`}`;
}

/** `time`, and who has edited what the change follows. */
function editorsText({ edits = [], unknown }: DecisionChange, wide: boolean): string {
  if (edits.length > 0) return edits.map((one) => (wide ? editText(one, wide) : wordText(one.manager))).join(', ');
  return unknown === undefined ? '-' : wide ? `not known: ${unknown}` : 'not known';
}

function rowsOf(
  { time, trigger, added, removed, repaired, more }: HistoryEntry,
  most: number,
  editors: string,
): readonly (readonly Cell[])[] {
  const row = (sign: keyof typeof COLORS, names: string, why: string): readonly Cell[] => [
    time.replace(/\.\d+Z$/, 'Z'),
    wordText(trigger),
    editors,
    { text: sign, color: COLORS[sign] },
    names,
    why,
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
