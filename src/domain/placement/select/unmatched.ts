import {
  matchesOne,
  meetsOne,
  sourcedRequirements,
  textOf,
  type ClusterRequirement,
  type KeySource,
  type KeyRequirement,
  type SourcedRequirement,
} from './rules.js';
import type { PlacementRules, Predicate } from '../spec/predicates.js';
import { valuesAround } from '../../comparison.js';
import { meets } from '../../selectors.js';
import type { ClusterView } from '../spec/cluster.js';

/** Why a predicate matches no candidate, from answers about all candidates together: yes or no, never a count. */

/** The first of these that holds. */
export type Unmatched =
  | { readonly kind: 'Contradiction'; readonly requirements: readonly SourcedRequirement[] }
  | { readonly kind: 'OtherSource'; readonly requirement: KeyRequirement }
  | { readonly kind: 'KeyAbsent'; readonly requirement: KeyRequirement }
  | { readonly kind: 'RequirementUnmet'; readonly requirement: SourcedRequirement }
  | { readonly kind: 'NotTogether' };

/** A predicate that matches no candidate. */
export interface UnmatchedPredicate {
  readonly index: number;
  readonly unmatched: Unmatched;
}

/** What is asked about the candidates of a Placement. */
export interface CandidateAnswers {
  someMatch(predicate: Predicate): boolean;
  someMeet(one: ClusterRequirement): boolean;
  someHave(source: KeySource, key: string): boolean;
}

/** How many clusters a Placement can select from, and how many of them match. */
interface Sizes {
  readonly count: number;
  readonly matched: { readonly size: number };
}

/** The answers about a list of candidates. */
export function answersAmong(candidates: readonly ClusterView[]): CandidateAnswers {
  return {
    someMatch: (predicate) => candidates.some((one) => matchesOne(predicate, one)),
    someMeet: (requirement) => candidates.some((one) => meetsOne(one, requirement)),
    someHave: (source, key) => candidates.some((one) => textOf(one, source, key) !== undefined),
  };
}

/** Whether there are candidates, and fewer of them match than are wanted, or none where a predicate wants some. */
export function isShort(rules: PlacementRules, { count, matched }: Sizes, answers: CandidateAnswers): boolean {
  const { problem, wanted = 1, predicates } = rules;
  if (problem !== undefined || count === 0) return false;
  return matched.size < wanted || predicates.some((one) => (one.wanted ?? 0) > 0 && !answers.someMatch(one));
}

/** The predicates that match no candidate; none unless the Placement {@link isShort}. */
export function unmatchedPredicates(
  rules: PlacementRules,
  sizes: Sizes,
  answers: CandidateAnswers,
): readonly UnmatchedPredicate[] {
  if (!isShort(rules, sizes, answers)) return [];
  return rules.predicates.flatMap((predicate, index): UnmatchedPredicate[] =>
    answers.someMatch(predicate) ? [] : [{ index, unmatched: whyUnmatched(sourcedRequirements(predicate), answers) }],
  );
}

/** Why no candidate meets all of the requirements of a predicate. */
export function whyUnmatched(
  requirements: readonly ClusterRequirement[],
  answers: Pick<CandidateAnswers, 'someMeet' | 'someHave'>,
): Unmatched {
  const contradiction = contradictionIn(requirements);
  if (contradiction !== undefined) return { kind: 'Contradiction', requirements: contradiction };
  const none = requirements.filter((one) => !answers.someMeet(one));
  const absent = none.filter(needsKey).filter((one) => !answers.someHave(one.source, one.requirement.key));
  const elsewhere = absent.find(({ source, requirement }) => answers.someHave(otherSource(source), requirement.key));
  if (elsewhere !== undefined) return { kind: 'OtherSource', requirement: elsewhere };
  const [firstAbsent] = absent;
  if (firstAbsent !== undefined) return { kind: 'KeyAbsent', requirement: firstAbsent };
  const [first] = none;
  return first === undefined ? { kind: 'NotTogether' } : { kind: 'RequirementUnmet', requirement: first };
}

export const KEY_SOURCES: readonly KeySource[] = ['label', 'claim'];

/** Whether a cluster may lack the key, and then does not meet the requirement. */
export function needsKey<R extends SourcedRequirement>(one: R): one is R & KeyRequirement {
  const { operator } = one.requirement;
  return one.source !== 'expression' && operator !== 'NotIn' && operator !== 'DoesNotExist';
}

export function otherSource(source: KeySource): KeySource {
  return source === 'label' ? 'claim' : 'label';
}

/** Requirements on one key that no value meets together: two of them if two suffice. */
export function contradictionIn(
  requirements: readonly SourcedRequirement[],
): readonly SourcedRequirement[] | undefined {
  for (const first of requirements) {
    const same = requirements.filter(
      (one) => one.source === first.source && one.requirement.key === first.requirement.key,
    );
    if (same.length < 2 || same[0] !== first || isPossible(same)) continue;
    const pair = pairsOf(same).find((two) => !isPossible(two));
    return pair ?? same;
  }
  return undefined;
}

function pairsOf<T>(list: readonly T[]): readonly (readonly T[])[] {
  return list.flatMap((a, index) => list.slice(index + 1).map((b) => [a, b]));
}

/** Whether some value of the key, or its absence, meets all of them. */
function isPossible(same: readonly SourcedRequirement[]): boolean {
  const key = same[0]?.requirement.key ?? '';
  const named = new Set(same.flatMap(({ requirement }) => requirement.values));
  let other = 'x';
  while (named.has(other)) other += 'x';
  const around = same.flatMap(({ requirement: { threshold } }) =>
    threshold === undefined ? [] : valuesAround(threshold),
  );
  const maps = [{}, ...[...named, other, ...around].map((value) => Object.fromEntries([[key, value]]))];
  return maps.some((map) => same.every(({ requirement }) => meets(requirement, map)));
}

/** Whether at least one candidate has a property. */
interface WatchedAnswer {
  readonly has: (cluster: ClusterView) => boolean;
  readonly someHave: () => boolean;
  /** When the watch began. */
  readonly was: boolean;
}

/**
 * The answers that the message of one Placement depends on: which of its predicates match a candidate and, of the others,
 * which requirements some candidate meets and which keys some candidate has, as a label or as a claim.
 */
export class MessageWatch {
  readonly #answers: readonly WatchedAnswer[];

  /** `candidates` is asked again at later changes; `unmatched`: what it says now. */
  constructor(rules: PlacementRules, candidates: CandidateAnswers, unmatched: readonly UnmatchedPredicate[]) {
    const unmatchedIndexes = new Set(unmatched.map(({ index }) => index));
    this.#answers = rules.predicates.flatMap((predicate, index) => [
      watch(
        (cluster) => matchesOne(predicate, cluster),
        () => candidates.someMatch(predicate),
        !unmatchedIndexes.has(index),
      ),
      ...(unmatchedIndexes.has(index) ? watchRequirements(predicate, candidates) : []),
    ]);
  }

  /**
   * Whether a change of one cluster changes an answer. `before` and `after`: the cluster as a candidate, undefined while it is
   * none. To be called for each change until it returns true.
   */
  isChangedBy(before: ClusterView | undefined, after: ClusterView | undefined): boolean {
    return this.#answers.some(({ has, was, someHave }) => {
      const had = before !== undefined && has(before);
      const now = after !== undefined && has(after);
      if (had === now) return false;
      return now ? !was : !someHave();
    });
  }
}

/** A predicate that contradicts itself never says anything else. */
function watchRequirements(predicate: Predicate, candidates: CandidateAnswers): readonly WatchedAnswer[] {
  const requirements = sourcedRequirements(predicate);
  if (contradictionIn(requirements) !== undefined) return [];
  return requirements.flatMap((one) => [
    watch(
      (cluster) => meetsOne(cluster, one),
      () => candidates.someMeet(one),
    ),
    ...(needsKey(one) ? KEY_SOURCES : []).map((source) =>
      watch(
        (cluster) => textOf(cluster, source, one.requirement.key) !== undefined,
        () => candidates.someHave(source, one.requirement.key),
      ),
    ),
  ]);
}

function watch(
  has: WatchedAnswer['has'],
  someHave: WatchedAnswer['someHave'],
  was: boolean = someHave(),
): WatchedAnswer {
  return { has, someHave, was };
}
