import { clip } from '../../conditions.js';
import { causeText } from '../explain/causes.js';
import { notNeededText } from '../explain/choicetext.js';
import { explainDropped } from '../explain/explain.js';
import type { Schedule } from '../select/schedule.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import type { Departure, HistoryEntry } from '../stored/history.js';

/** The entries for the history of decision objects. */

/** Characters of one cause, and how many causes an entry has. */
const CAUSE_LIMIT = 160;
const MOST_CAUSES = 8;

/** Why each cluster leaves by a decision. */
export type Causes = ReadonlyMap<string, Pick<Departure, 'cause' | 'why'>>;

export function causesOf(snapshot: PlacementSnapshot, decided: Schedule): Causes {
  const causes = new Map(decided.dropped.map(({ cluster, cause }) => [cluster, cause]));
  const explained = { placement: snapshot.placement, schedule: decided };
  return new Map(
    explainDropped(snapshot, decided).map((one) => {
      const why = causeText(one, explained, snapshot.before) ?? notNeededText(one.cluster, snapshot.placement.rules);
      return [one.name, { cause: causes.get(one.name) ?? one.verdict, why: clip(why, CAUSE_LIMIT) }];
    }),
  );
}

/** What one write changes; undefined for nothing. */
export function historyEntry(
  changed: { readonly added: readonly string[]; readonly removed: readonly string[] },
  causes: Causes,
  at: Pick<HistoryEntry, 'time' | 'trigger'>,
): HistoryEntry | undefined {
  if (changed.added.length + changed.removed.length === 0) return undefined;
  const departures = new Map<string, Departure & { readonly clusters: string[] }>();
  for (const name of [...changed.removed].sort()) {
    const { cause = '', why = '' } = causes.get(name) ?? {};
    const known = departures.get(why);
    if (known === undefined) departures.set(why, { cause, why, clusters: [name] });
    else known.clusters.push(name);
  }
  const sorted = [...departures.values()].sort((a, b) => b.clusters.length - a.clusters.length);
  const more = sorted.slice(MOST_CAUSES).reduce((sum, { clusters }) => sum + clusters.length, 0);
  return {
    ...at,
    added: [...changed.added].sort(),
    removed: sorted.slice(0, MOST_CAUSES),
    more: { added: 0, removed: more },
  };
}
