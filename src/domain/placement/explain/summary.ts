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
  /** How many of these are held, or wait. */
  readonly held: number;
  /** How many of these wait, for a change window or for the end of a pause; left out for none. */
  readonly waiting?: { readonly count: number; readonly until: 'Resumed' | 'WindowOpens' };
  readonly total: number;
  /** The largest count first, then by text. */
  readonly parts: readonly SummaryPart[];
}

type Phrase = readonly [one: string, several: string];

const MOST_PARTS = 8;
const PHRASES = {
  Selected: ['is selected', 'are selected'],
  Held: ['is held', 'are held'],
  Waiting: ['waits', 'wait'],
  Unknown: ['is not known', 'are not known'],
  Moved: alike('leaves for a better one'),
  NotMember: ['is in none of the cluster sets', 'are in none of the cluster sets'],
  Deleting: ['is being deleted', 'are being deleted'],
  Gone: ['was deleted', 'were deleted'],
} as const satisfies Readonly<Record<string, Phrase>>;

/** Counts the clusters of an explanation by what keeps them out: for a predicate, the first unmet requirement of the best one. */
export function summarize(explanation: Explanation): Summary {
  const { clusters, placement } = explanation;
  const phrases = phrasesFor(explanation);
  const counts = new Map<string, { readonly phrase: Phrase; count: number }>();
  for (const one of clusters) {
    const phrase = phrases(one);
    const known = counts.get(phrase[1]);
    if (known === undefined) counts.set(phrase[1], { phrase, count: 1 });
    else known.count += 1;
  }
  const isKnown = !counts.has(PHRASES.Unknown[1]);
  const take = ([, text]: Phrase): number => {
    const count = counts.get(text)?.count ?? 0;
    return isKnown && counts.delete(text) ? count : 0;
  };
  const count = take(PHRASES.Waiting);
  const held = take(PHRASES.Held) + count;
  const selected = take(PHRASES.Selected) + held;
  const until = placement.rules.paused ? 'Resumed' : 'WindowOpens';
  const parts = [...counts.values()]
    .map(({ phrase, count: of }) => ({ count: of, text: phrase[of === 1 ? 0 : 1] }))
    .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));
  return {
    selected: isKnown ? selected : undefined,
    held,
    ...(count === 0 ? {} : { waiting: { count, until } }),
    total: clusters.length,
    parts,
  };
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
function phrasesFor(explanation: Explanation): (one: ClusterExplanation) => Phrase {
  const unmatched = new Map<Requirement, Phrase>();
  return (one) => {
    const [unmet] = one.unmet[one.best ?? 0] ?? [];
    if (one.verdict !== 'NotMatched' || unmet === undefined) return phraseOf(one, explanation);
    const phrase = unmatched.get(unmet.requirement) ?? alike(`didn't match ${requirementText(unmet)}`);
    unmatched.set(unmet.requirement, phrase);
    return phrase;
  };
}

function phraseOf(one: ClusterExplanation, explanation: Explanation): Phrase {
  const { rules } = explanation.placement;
  switch (one.verdict) {
    case 'NotMatched':
      return alike("didn't match a predicate");
    case 'NotNeeded': {
      const index = fullPredicate(one, rules);
      const number =
        index === undefined
          ? `${rules.wanted} wanted`
          : `predicate ${index} wants ${rules.predicates[index]?.wanted ?? 0}`;
      return [`wasn't needed (${number})`, `weren't needed (${number})`];
    }
    case 'SpreadBlocked': {
      const over = one.blocked === undefined ? '' : ` over ${topologyText(one.blocked.constraint)}`;
      return [`is kept out by spread${over}`, `are kept out by spread${over}`];
    }
    case 'Tainted': {
      const key = taintedKey(one, rules);
      return [`has taint ${key}`, `have taint ${key}`];
    }
    case 'Held':
      if (!one.inDecision) return alike(`kept out by ${keptOutBy(one, explanation) ?? ''}`);
      return PHRASES[isWaiting(one, explanation) ? 'Waiting' : 'Held'];
    default:
      return PHRASES[one.verdict];
  }
}

/** The predicate with a number that the cluster counts for; undefined where predicates have none. */
function fullPredicate(one: ClusterExplanation, rules: PlacementRules): number | undefined {
  return hasNumbers(rules) ? matchedPredicate(one) : undefined;
}

function alike(text: string): Phrase {
  return [text, text];
}
