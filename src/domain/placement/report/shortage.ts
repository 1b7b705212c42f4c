import { clip, joinedTexts } from '../../conditions.js';
import { hintText, type Hint } from '../explain/hints.js';
import { explainPredicates } from '../explain/predicates.js';
import { summarize, summaryText } from '../explain/summary.js';
import type { Explanation } from '../explain/verdict.js';

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
