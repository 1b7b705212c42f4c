import {
  meetsOne,
  sourcedRequirements,
  textOf,
  unmet,
  type ClusterRequirement,
  type KeySource,
} from '../../domain/placement/select/rules.js';
import {
  contradictionIn,
  needsKey,
  type CandidateAnswers,
  type UnmatchedPredicate,
} from '../../domain/placement/select/unmatched.js';
import type { PlacementRules, Predicate } from '../../domain/placement/spec/predicates.js';
import type { ClusterView } from '../../domain/placement/select/snapshot.js';

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
      watchMatch(predicate, candidates, !unmatchedIndexes.has(index)),
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

function watchMatch(predicate: Predicate, candidates: CandidateAnswers, was: boolean): WatchedAnswer {
  return {
    has: (cluster) => unmet(predicate, cluster).next().done === true,
    someHave: () => candidates.someMatch(predicate),
    was,
  };
}

/** A predicate that contradicts itself never says anything else. */
function watchRequirements(predicate: Predicate, candidates: CandidateAnswers): readonly WatchedAnswer[] {
  const requirements = sourcedRequirements(predicate);
  if (contradictionIn(requirements) !== undefined) return [];
  return requirements.flatMap((one) => [
    watchMeet(one, candidates),
    ...(needsKey(one)
      ? [watchKey('label', one.requirement.key, candidates), watchKey('claim', one.requirement.key, candidates)]
      : []),
  ]);
}

function watchMeet(one: ClusterRequirement, candidates: CandidateAnswers): WatchedAnswer {
  const someHave = (): boolean => candidates.someMeet(one);
  return { has: (cluster) => meetsOne(cluster, one), someHave, was: someHave() };
}

function watchKey(source: KeySource, key: string, candidates: CandidateAnswers): WatchedAnswer {
  const someHave = (): boolean => candidates.someHave(source, key);
  return { has: (cluster) => textOf(cluster, source, key) !== undefined, someHave, was: someHave() };
}
