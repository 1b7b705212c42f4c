import { field, recordsIn, textField } from '../../../runtime/vocabulary/json.js';
import { clip } from '../../conditions.js';
import { CAUSE_LIMIT, leavingText } from '../explain/causes.js';
import { leaving, type Decision } from '../select/decision.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import { isOwn, revisionOf, type StoredDecision } from '../stored/decision.js';
import type { Departure, HistoryEntry } from '../stored/history.js';
import { sameContent } from '../stored/items.js';

/** The entries for the history of decision objects. */

/** How many causes an entry has. */
const MOST_CAUSES = 8;

/** Why each cluster leaves by a decision. */
export type Causes = ReadonlyMap<string, Pick<Departure, 'cause' | 'why'>>;

export function causesOf(snapshot: PlacementSnapshot, decided: Decision): Causes {
  return new Map(
    leaving(decided).map((one) => {
      const why = clip(leavingText(one, snapshot, decided), CAUSE_LIMIT);
      return [one.cluster, { cause: one.cause, why }];
    }),
  );
}

/** What one write changes, and what was repaired; none for nothing. */
export function historyEntries(
  changed: Pick<HistoryEntry, 'added' | 'repaired'> & { readonly removed: readonly string[] },
  causes: Causes,
  at: Pick<HistoryEntry, 'time' | 'trigger'>,
): readonly HistoryEntry[] {
  const { added, removed, repaired } = changed;
  if (added.length + removed.length + repaired.length === 0) return [];
  const departures = new Map<string, Departure & { readonly clusters: string[] }>();
  for (const name of [...removed].sort()) {
    const { cause = '', why = '' } = causes.get(name) ?? {};
    const known = departures.get(why);
    if (known === undefined) departures.set(why, { cause, why, clusters: [name] });
    else known.clusters.push(name);
  }
  const [left, others] = mostOf([...departures.values()]);
  const [mended, more] = mostOf(repaired);
  const counts = { added: 0, removed: others, repaired: more };
  return [{ ...at, added: [...added].sort(), removed: left, repaired: mended, more: counts }];
}

type Departures = readonly Departure[];

/** Those with the most clusters, and how many clusters the others have. */
function mostOf(all: Departures): readonly [Departures, number] {
  const sorted = [...all].sort((a, b) => b.clusters.length - a.clusters.length);
  const others = sorted.slice(MOST_CAUSES);
  return [sorted.slice(0, MOST_CAUSES), others.reduce((sum, { clusters }) => sum + Math.max(clusters.length, 1), 0)];
}

/** What another client did to a decision object that is put right: as it was before, and as it is; undefined for no object. */
export function repairsOf(name: string, was: StoredDecision | undefined, is: StoredDecision | undefined): Departures {
  const before = isOwn(was) ? was : undefined;
  if (is === undefined) return before === undefined ? [] : [byAnother('Deleted', `deleted ${name}`, before.clusters)];
  // What belongs to somebody else now is not put right.
  if (!isOwn(is)) return [];
  const without = (all: readonly string[], others: readonly string[]): readonly string[] =>
    all.filter((one) => !others.includes(one));
  const found = [
    byAnother('Edited', `took them out of ${name}`, without(before?.clusters ?? [], is.clusters)),
    byAnother('Edited', `put them into ${name}`, without(is.clusters, before?.clusters ?? [])),
  ].filter(({ clusters }) => clusters.length > 0);
  const isOther = found.length === 0 && before !== undefined && !(is.intact && sameContent(before, is));
  return isOther ? [byAnother('Edited', `edited ${name}`)] : found;
}

/** Likewise, as far as the objects show it after a restart. `made`: the objects that are created again. */
export function repairsSeen({ placement, stored }: PlacementSnapshot, made: readonly string[]): Departures {
  const edited = stored.filter((one) => isOwn(one) && one.revision !== revisionOf(one.clusters));
  const listed = recordsIn(field(placement.status, 'decisions')).map((one) => textField(one, 'name'));
  return [
    ...listed
      .filter((name) => made.includes(name))
      .map((name) => byAnother('Deleted', `deleted ${name}, and what it had recorded is lost`)),
    ...edited.map(({ name }) => byAnother('Edited', `edited ${name}`)),
  ];
}

function byAnother(cause: 'Deleted' | 'Edited', what: string, clusters: readonly string[] = []): Departure {
  return { cause, why: `another client ${what}`, clusters: [...clusters].sort() };
}
