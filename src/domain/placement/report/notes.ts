import { boundedList, clip, nameList, joinedTexts } from '../../conditions.js';
import { MESSAGE_LIMIT } from '../../../api/names.js';
import { moveText } from '../explain/choicetext.js';
import { leavingByText } from '../explain/causes.js';
import { comingIn, leaving, type Decision } from '../select/decision.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import { hintText, type Hint, explainPredicates } from '../explain/predicates.js';
import { summarize, summaryText } from '../explain/summary.js';
import type { Explanation } from '../explain/verdict.js';

/** The notes of the events for a changed decision, and for a Placement that is not satisfied. */

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
