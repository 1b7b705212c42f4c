import type { Requirement } from '../../selectors.js';
import { waitsFor } from '../select/holders.js';
import { countedText } from './causes.js';
import { isWaiting, type ClusterExplanation, type Explanation } from './verdict.js';

/** How many clusters are out for one cause. */
export interface SummaryPart {
  readonly count: number;
  /** What follows the count: `didn't match label tier=gold`. */
  readonly text: string;
}

/** Each cluster counted once: `selected` and the counts of `parts` add up to `total`. */
export interface Summary {
  /** Held and waiting ones included, as the decision names them; undefined when it is not known of some cluster. */
  readonly selected: number | undefined;
  /** How many of these are held, or wait. */
  readonly held: number;
  /** How many of these wait, for a change window or for the end of a pause; left out for none. */
  readonly waiting?: { readonly count: number; readonly until: 'Resumed' | 'WindowOpens' };
  readonly total: number;
  /** The largest count first, then by text. */
  readonly parts: readonly SummaryPart[];
}

const MOST_PARTS = 8;

/** Counts the clusters of an explanation by what keeps them out: for a predicate, the first unmet requirement of the best one. */
export function summarize(explanation: Explanation): Summary {
  const { clusters } = explanation;
  const isKnown = clusters.every(({ verdict }) => verdict !== 'Unknown');
  const phraseOf = phrasesFor(explanation);
  const counts = new Map<string, { readonly one: string; count: number }>();
  let [selected, held, count] = [0, 0, 0];
  for (const cluster of clusters) {
    const isHeld = cluster.verdict === 'Held' && cluster.inDecision;
    if (isKnown && (isHeld || cluster.verdict === 'Selected')) {
      selected += 1;
      if (isHeld) held += 1;
      if (isWaiting(cluster, explanation)) count += 1;
      continue;
    }
    const [one, several] = phraseOf(cluster);
    const known = counts.get(several) ?? { one, count: 0 };
    counts.set(several, known);
    known.count += 1;
  }
  const until = waitEnd(explanation);
  const parts = [...counts]
    .map(([several, { one, count: of }]) => ({ count: of, text: of === 1 ? one : several }))
    .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));
  return {
    selected: isKnown ? selected : undefined,
    held,
    ...(count === 0 ? {} : { waiting: { count, until } }),
    total: clusters.length,
    parts,
  };
}

/** What those wait for that wait, a pause before a window. */
export function waitEnd({
  placement,
  decision,
}: Pick<Explanation, 'placement' | 'decision'>): 'Resumed' | 'WindowOpens' {
  const { fates } = decision ?? {};
  const kept = fates === undefined ? [] : [...fates.of('held'), ...fates.of('keptOut')];
  const isPaused = placement.rules.paused || kept.some(([, { by }]) => waitsFor(by) === 'paused');
  return isPaused ? 'Resumed' : 'WindowOpens';
}

/** `3/9 clusters are selected: 4 didn't match label tier=gold, 2 weren't needed (3 wanted).` */
export function summaryText({ selected, held, waiting, total, parts }: Summary): string {
  const shown = parts.slice(0, MOST_PARTS).map(({ count, text }) => `${count} ${text}`);
  const rest = parts.slice(MOST_PARTS).reduce((sum, { count }) => sum + count, 0);
  if (rest > 0) shown.push(`${rest} for other reasons`);
  if (selected === undefined) return `of ${total} clusters ${shown.join(', ')}.`;
  const waits = waiting?.count ?? 0;
  const bound = held - waits;
  const end = waiting?.until === 'Resumed' ? 'the end of the pause' : 'a change window';
  const ofThem = `${bound === 0 ? '' : `, ${bound} of them held`}${
    waits === 0 ? '' : `, ${waits} of them ${waits === 1 ? 'waits' : 'wait'} for ${end}`
  }`;
  return `${selected}/${total} clusters are selected${ofThem}${shown.length === 0 ? '' : `: ${shown.join(', ')}`}.`;
}

/** What is said of a cluster; of ten thousand that fail the same requirement its text is made once. */
function phrasesFor(explanation: Explanation): (one: ClusterExplanation) => ReturnType<typeof countedText> {
  const unmatched = new Map<Requirement, ReturnType<typeof countedText>>();
  return (one) => {
    const [unmet] = one.unmet[one.best ?? 0] ?? [];
    if (one.verdict !== 'NotMatched' || unmet === undefined) return countedText(one, explanation);
    const phrase = unmatched.get(unmet.requirement) ?? countedText(one, explanation);
    unmatched.set(unmet.requirement, phrase);
    return phrase;
  };
}
