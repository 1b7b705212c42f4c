import { boundedList, clip, nameList, joinedTexts } from '../../conditions.js';
import { MESSAGE_LIMIT } from '../../../api/names.js';
import { moveText } from '../explain/choicetext.js';
import { leavingByText, summarize, summaryText, CAUSE_LIMIT, leavingText } from '../explain/causes.js';
import { comingIn, leaving, type Decision } from '../select/decision.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import { hintText, type Hint, explainPredicates } from '../explain/predicates.js';
import type { Explanation } from '../explain/verdict.js';
import { field, recordsIn, textField } from '../../../runtime/vocabulary/json.js';
import { isOwn, revisionOf, type StoredDecision } from '../stored/decision.js';
import type { Departure, HistoryEntry } from '../stored/history.js';
import { sameContent } from '../stored/items.js';

/** The notes of the events for a changed decision and for a Placement that is not satisfied, and the entries of the history. */

const MOST_CAUSES = 4;
/** Characters of each list of names, tried in this order until the note fits. */
const NAME_LIMITS = [280, 140, 70, 0];

/**
 * `added 1 cluster: a; removed 1 cluster: b (label tier=silver, wanted tier=gold)`, of at most 1,024 characters; undefined
 * when the decision names the same clusters as before. `stored`: the clusters that are stored now.
 */
export function changeNote(
  snapshot: PlacementSnapshot,
  decided: Decision,
  stored: ReadonlySet<string>,
): string | undefined {
  const { move } = decided;
  const comes = comingIn(decided);
  // A move is all that such a decision changes.
  if (move !== undefined && comes.length > 0)
    return stored.has(move.comes) ? `moved 1 cluster: ${moveText(move, snapshot.placement.rules)}` : undefined;
  const added = comes.filter((name) => stored.has(name));
  const removed = leaving(decided);
  // The causes that most clusters have come first.
  const byCause = [...leavingByText(removed, snapshot, decided)].sort(
    ([a, names], [b, others]) => others.length - names.length || (a < b ? -1 : 1),
  );
  const parts = (limit: number): string[] => [
    ...(added.length === 0 ? [] : [`added ${counted(added.length)}: ${boundedList(added, ', ', limit)}`]),
    ...(removed.length === 0 ? [] : [`removed ${counted(removed.length)}: ${causesText(byCause, limit)}`]),
  ];
  const notes = NAME_LIMITS.map((limit) => parts(limit).join('; '));
  const fitting = notes.find((note) => note.length <= MESSAGE_LIMIT) ?? clip(notes.at(-1) ?? '');
  return fitting === '' ? undefined : fitting;
}

/** `2 clusters: a, b`. */
export function listed(names: readonly string[]): string {
  return `${counted(names.length)}: ${nameList(names)}`;
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'cluster' : 'clusters'}`;
}

function causesText(byCause: readonly (readonly [cause: string, names: readonly string[]])[], limit: number): string {
  const shown = byCause.slice(0, MOST_CAUSES);
  const rest = byCause.slice(MOST_CAUSES).reduce((sum, [, names]) => sum + names.length, 0);
  const texts = shown.map(([cause, names]) => `${boundedList(names, ', ', limit)} (${cause})`);
  return `${texts.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
}

/** The kinds of hints, the surest first. */
const KINDS: readonly Hint['kind'][] = ['OtherSource', 'OtherCase', 'Typo'];
/** Characters of the counts: a hint fits behind them. */
const LINE_LIMIT = 400;

/**
 * The note of the event for a Placement that is not satisfied: the message of the condition and, with an explanation, how
 * many clusters are out for which cause and the best hint.
 */
export function shortageNote(message: string, explained: Explanation | undefined): string {
  if (explained === undefined || explained.clusters.length === 0) return message;
  const line = clip(summaryText(summarize(explained)).replace(/\.$/, ''), LINE_LIMIT);
  const hint = bestHint(explained);
  return joinedTexts(message, hint === undefined ? line : `${line}; ${hintText(hint)}`);
}

/** The surest hint, the first of equals. */
function bestHint(explained: Explanation): Hint | undefined {
  const hints = explainPredicates(explained).flatMap((one) => one.hints);
  return KINDS.flatMap((kind) => hints.find((hint) => hint.kind === kind) ?? [])[0];
}

/** How many causes an entry of the history has. */
const MOST_DEPARTURES = 8;

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
  const others = sorted.slice(MOST_DEPARTURES);
  return [
    sorted.slice(0, MOST_DEPARTURES),
    others.reduce((sum, { clusters }) => sum + Math.max(clusters.length, 1), 0),
  ];
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
  const known = recordsIn(field(placement.status, 'decisions')).map((one) => textField(one, 'name'));
  return [
    ...known
      .filter((name) => made.includes(name))
      .map((name) => byAnother('Deleted', `deleted ${name}, and what it had recorded is lost`)),
    ...edited.map(({ name }) => byAnother('Edited', `edited ${name}`)),
  ];
}

function byAnother(cause: 'Deleted' | 'Edited', what: string, clusters: readonly string[] = []): Departure {
  return { cause, why: `another client ${what}`, clusters: [...clusters].sort() };
}
