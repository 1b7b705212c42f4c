import type { PlacementReason } from '../../../api/placementreasons.js';
import type { VerdictWord } from '../../../api/verdicts.js';
import type { Decision, Leaving } from '../select/decision.js';
import { matchesOne, unmet as unmetIn, type FurtherFailure, type Unmet } from '../select/rules.js';
import type { Before, ClusterView, PlacementSnapshot } from '../select/snapshot.js';
import { clip } from '../../conditions.js';
import { hasNumbers } from '../spec/predicates.js';
import { moveText, notNeededText, topologyText } from './choicetext.js';
import { leastUnmet } from './explain.js';
import { noneOf, notMemberText } from './membership.js';
import { requirementText, unmetText } from './requirementtext.js';
import { taintedKey, taintedText } from './taints.js';
import {
  keptOutBy,
  matchedPredicate,
  verdictWord,
  type ClusterExplanation,
  type Explanation,
  isWaiting,
} from './verdict.js';
import type { Requirement } from '../../selectors.js';
import { waitsFor } from '../select/holders.js';

/** How each verdict is told: why a cluster has it, how many have it, and what conditions say. */

/** A cluster that fails rules: its verdict is the first of them, or Held. */
type FailingCluster = Pick<ClusterExplanation, 'cluster' | 'inDecision' | 'verdict' | 'causes' | 'unmet' | 'best'>;

/** What the text about a failing cluster depends on. */
type CauseInput = Pick<Explanation, 'placement' | 'decision'>;

/** What follows a count of clusters. */
type Phrase = readonly [one: string, several: string];

interface Told {
  readonly counted: Phrase | ((one: ClusterExplanation, explanation: Explanation) => Phrase);
  /** Why a cluster fails the rule, or moves; with `before` by what changed since. */
  readonly why?: (one: FailingCluster, of: CauseInput, before?: Before) => string | undefined;
}

/** What conditions say of matching clusters that the rule keeps out, with what the rule names. */
interface Out {
  /** Where it keeps all of them out. */
  readonly reason: PlacementReason;
  readonly all: (names: string) => string;
  readonly some: (names: string) => string;
  /** After `every cluster that matches is selected, except those`. */
  readonly with: (names: string) => string;
}

type Table = Readonly<Record<VerdictWord, Told>> & Readonly<Record<FurtherFailure, { readonly out: Out }>>;

export const TOLD: Table = {
  Selected: { counted: ['is selected', 'are selected'] },
  Held: { counted: ['is held', 'are held'] },
  Waiting: { counted: ['waits', 'wait'] },
  NotNeeded: { counted: notNeeded },
  Moved: {
    counted: alike('leaves for a better one'),
    why: (_, { placement, decision }) => decision?.move && moveText(decision.move, placement.rules),
  },
  SpreadBlocked: {
    counted: ({ blocked }) => {
      const over = blocked === undefined ? '' : ` over ${topologyText(blocked.constraint)}`;
      return [`is kept out by spread${over}`, `are kept out by spread${over}`];
    },
  },
  Unknown: { counted: ['is not known', 'are not known'] },
  Tainted: {
    counted: (one, { placement }) => {
      const key = taintedKey(one, placement.rules);
      return [`has taint ${key}`, `have taint ${key}`];
    },
    why: (one, { placement }) => taintedText(one, placement.rules),
    out: {
      reason: 'AllMatchedClustersTainted',
      all: (keys) => `have taints that this Placement does not tolerate: ${keys}`,
      some: (keys) => `are tainted: ${keys}`,
      with: (keys) => `with taints that this Placement does not tolerate: ${keys}`,
    },
  },
  Deleting: { counted: ['is being deleted', 'are being deleted'], why: () => 'ManagedCluster is being deleted' },
  NotMember: { counted: ['is in none of the cluster sets', 'are in none of the cluster sets'], why: notIn },
  Gone: { counted: ['was deleted', 'were deleted'], why: () => 'was deleted' },
  NotMatched: {
    counted: ({ unmet, best = 0 }) => {
      const first = unmet[best]?.[0];
      return alike(`didn't match ${first === undefined ? 'a predicate' : requirementText(first)}`);
    },
    why: notMatchedText,
  },
};

/** What is said of how many such clusters there are. */
export function countedText(one: ClusterExplanation, explanation: Explanation): Phrase {
  if (one.verdict === 'Held' && !one.inDecision) return alike(`kept out by ${keptOutBy(one, explanation) ?? ''}`);
  const { counted } = TOLD[verdictWord(one, explanation)];
  return typeof counted === 'function' ? counted(one, explanation) : counted;
}

/**
 * Why the cluster is not selected, or is held, for one that fails a rule; undefined for any other. With `before` it is about
 * what changed since.
 */
export function causeText(one: FailingCluster, of: CauseInput, before?: Before): string | undefined {
  return TOLD[one.verdict === 'Held' ? (one.causes[0] ?? one.verdict) : one.verdict].why?.(one, of, before);
}

/** Why a cluster leaves by a decision, or would leave where something keeps it; where `before` is known, by what changed since. */
export function leavingText(
  { cluster: name, cause }: Leaving,
  { placement, selected, before }: PlacementSnapshot,
  decision: Decision,
): string {
  const cluster = selected.get(name);
  if (cause === 'NotNeeded') return notNeededText(cluster, placement.rules);
  const predicates = cause === 'NotMatched' ? placement.rules.predicates : [];
  const unmet = cluster === undefined ? [] : predicates.map((one) => unmetIn(one, cluster));
  const one: FailingCluster = { cluster, inDecision: true, verdict: cause, causes: [], unmet, best: leastUnmet(unmet) };
  return causeText(one, { placement, decision }, before) ?? cause;
}

/** Characters of a cause. */
export const CAUSE_LIMIT = 160;

/** The names of clusters by why they leave or would leave, in at most 160 characters, in their order. */
export function leavingByText(
  clusters: readonly Leaving[],
  snapshot: PlacementSnapshot,
  decision: Decision,
): ReadonlyMap<string, readonly string[]> {
  const byText = new Map<string, string[]>();
  for (const one of clusters) {
    const text = clip(leavingText(one, snapshot, decision), CAUSE_LIMIT);
    const names = byText.get(text);
    if (names === undefined) byText.set(text, [one.cluster]);
    else names.push(one.cluster);
  }
  return byText;
}

function alike(text: string): Phrase {
  return [text, text];
}

function notNeeded(one: ClusterExplanation, { placement: { rules } }: Explanation): Phrase {
  const index = hasNumbers(rules) ? matchedPredicate(one) : undefined;
  const number =
    index === undefined ? `${rules.wanted} wanted` : `predicate ${index} wants ${rules.predicates[index]?.wanted ?? 0}`;
  return [`wasn't needed (${number})`, `weren't needed (${number})`];
}

function notIn(
  { cluster, inDecision }: FailingCluster,
  { placement, decision }: CauseInput,
  before: Before | undefined,
): string | undefined {
  if (decision === undefined) return undefined;
  const { eligibility } = decision;
  return cluster === undefined
    ? noneOf(eligibility.eligible)
    : notMemberText({ cluster, inDecision, placement, eligibility }, before);
}

/**
 * The first unmet requirement of the predicate that the cluster matched before, or of the best one where that is not known,
 * and how many more there are.
 */
function notMatchedText(
  { unmet, best = 0, cluster }: FailingCluster,
  _of: CauseInput,
  before: Before | undefined,
): string | undefined {
  const matched = cluster === undefined ? [] : matchedBefore(cluster, before).map((index) => unmet[index] ?? []);
  const lists = matched.filter((list) => list.length > 0).sort((a, b) => a.length - b.length);
  return lackText(lists[0] ?? unmet[best] ?? []);
}

/** The first requirement that a cluster lacks of a predicate, and how many more there are; undefined where it lacks none. */
export function lackText([first, ...more]: readonly Unmet[]): string | undefined {
  if (first === undefined) return undefined;
  return more.length === 0 ? unmetText(first) : `${unmetText(first)} (and ${more.length} more)`;
}

/** The predicates that the cluster matched when the decision before was made. */
function matchedBefore(cluster: ClusterView, before: Before | undefined): readonly number[] {
  if (before === undefined) return [];
  const view = before.cluster(cluster.name) ?? cluster;
  return before.rules.predicates.flatMap((one, index) => (matchesOne(one, view) ? [index] : []));
}

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
