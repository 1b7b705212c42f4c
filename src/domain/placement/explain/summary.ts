import type { Requirement } from '../../selectors.js';
import { hasNumbers, type PlacementRules } from '../spec/predicates.js';
import { topologyText } from './choicetext.js';
import { taintedKey } from './taints.js';
import { requirementText } from './requirementtext.js';
import { isWaiting, keptOutBy, matchedPredicate, type ClusterExplanation, type Explanation } from './verdict.js';

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
  /** How many of these are held by a bound. */
  readonly held: number;
  /** How many of these wait, for a change window or for the end of a pause; left out for none. */
  readonly waiting?: { readonly count: number; readonly awaits: 'Resumed' | 'WindowOpens' };
  readonly total: number;
  /** The largest count first, then by text. */
  readonly parts: readonly SummaryPart[];
}

type Phrase = readonly [one: string, several: string];

const MOST_PARTS = 8;

/** Counts the clusters of an explanation by what keeps them out: for a predicate, the first unmet requirement of the best one. */
export function summarize(explanation: Explanation): Summary {
  const { clusters, placement } = explanation;
  const counts = new Map<string | Requirement, { readonly of: ClusterExplanation; count: number }>();
  for (const one of clusters) {
    const cause = one.unmet[one.best ?? 0]?.[0]?.requirement;
    const key = one.verdict === 'NotMatched' && cause !== undefined ? cause : phraseKey(one, explanation);
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { of: one, count: 1 });
    else known.count += 1;
  }
  const isKnown = !counts.has('Unknown');
  const countOf = (key: string): number => (isKnown ? (counts.get(key)?.count ?? 0) : 0);
  const [held, count] = [countOf('Held'), countOf('Waiting')];
  const selected = isKnown ? countOf('Selected') + held + count : undefined;
  if (isKnown) for (const key of ['Selected', 'Held', 'Waiting']) counts.delete(key);
  const awaits = placement.rules.paused ? 'Resumed' : 'WindowOpens';
  const waiting = count === 0 ? {} : { waiting: { count, awaits } as const };
  return { selected, held, ...waiting, total: clusters.length, parts: partsOf([...counts.values()], explanation) };
}

/** Equal requirements of several predicates are one part. */
function partsOf(
  counted: readonly { readonly of: ClusterExplanation; readonly count: number }[],
  explanation: Explanation,
): readonly SummaryPart[] {
  const sums = new Map<string, { readonly phrase: Phrase; count: number }>();
  for (const { of, count } of counted) {
    const phrase = phraseOf(of, explanation);
    const known = sums.get(phrase[1]);
    if (known === undefined) sums.set(phrase[1], { phrase, count });
    else known.count += count;
  }
  return [...sums.values()]
    .map(({ phrase, count }) => ({ count, text: count === 1 ? phrase[0] : phrase[1] }))
    .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));
}

/** `3/9 clusters are selected: 4 didn't match label tier=gold, 2 weren't needed (3 wanted).` */
export function summaryText({ selected, held, waiting, total, parts }: Summary): string {
  const shown = parts.slice(0, MOST_PARTS).map(({ count, text }) => `${count} ${text}`);
  const rest = parts.slice(MOST_PARTS).reduce((sum, { count }) => sum + count, 0);
  if (rest > 0) shown.push(`${rest} for other reasons`);
  if (selected === undefined) return `of ${total} clusters ${shown.join(', ')}.`;
  const waits = waiting?.count ?? 0;
  const end = waiting?.awaits === 'Resumed' ? 'the end of the pause' : 'a change window';
  const ofThem = `${held === 0 ? '' : `, ${held} of them held`}${
    waits === 0 ? '' : `, ${waits} of them ${waits === 1 ? 'waits' : 'wait'} for ${end}`
  }`;
  return `${selected}/${total} clusters are selected${ofThem}${shown.length === 0 ? '' : `: ${shown.join(', ')}`}.`;
}

/** What clusters with the same verdict are counted by. */
function phraseKey(one: ClusterExplanation, explanation: Explanation): string {
  const { rules } = explanation.placement;
  if (one.verdict === 'Held' && !one.inDecision) return `HeldBack ${keptOutBy(one, explanation) ?? ''}`;
  if (isWaiting(one, explanation)) return 'Waiting';
  if (one.blocked !== undefined) return `SpreadBlocked ${topologyText(one.blocked.constraint)}`;
  if (one.verdict === 'NotNeeded') return `NotNeeded ${fullPredicate(one, rules)}`;
  return one.verdict === 'Tainted' ? `Tainted ${taintedKey(one, rules)}` : one.verdict;
}

function phraseOf(one: ClusterExplanation, explanation: Explanation): Phrase {
  const { verdict, unmet, best, inDecision } = one;
  const { rules } = explanation.placement;
  const { wanted } = rules;
  switch (verdict) {
    case 'NotMatched':
      return alike(`didn't match ${firstText(unmet[best ?? 0])}`);
    case 'NotNeeded': {
      const index = fullPredicate(one, rules);
      const number =
        index === undefined ? `${wanted} wanted` : `predicate ${index} wants ${rules.predicates[index]?.wanted ?? 0}`;
      return [`wasn't needed (${number})`, `weren't needed (${number})`];
    }
    case 'Moved':
      return alike('leaves for a better one');
    case 'SpreadBlocked': {
      const over = one.blocked === undefined ? '' : ` over ${topologyText(one.blocked.constraint)}`;
      return [`is kept out by spread${over}`, `are kept out by spread${over}`];
    }
    case 'NotMember':
      return ['is in none of the cluster sets', 'are in none of the cluster sets'];
    case 'Deleting':
      return ['is being deleted', 'are being deleted'];
    case 'Gone':
      return ['was deleted', 'were deleted'];
    case 'Tainted':
      return [`has taint ${taintedKey(one, rules)}`, `have taint ${taintedKey(one, rules)}`];
    case 'Held':
      if (!inDecision) return alike(`kept out by ${keptOutBy(one, explanation) ?? ''}`);
      return isWaiting(one, explanation) ? ['waits', 'wait'] : ['is held', 'are held'];
    case 'Selected':
      return ['is selected', 'are selected'];
    case 'Unknown':
      return ['is not known', 'are not known'];
  }
}

/** The predicate with a number that the cluster counts for; undefined where predicates have none. */
function fullPredicate(one: ClusterExplanation, rules: PlacementRules): number | undefined {
  return hasNumbers(rules) ? matchedPredicate(one) : undefined;
}

function alike(text: string): Phrase {
  return [text, text];
}

function firstText(unmet: ClusterExplanation['unmet'][number] = []): string {
  const [first] = unmet;
  return first === undefined ? 'a predicate' : requirementText(first);
}
