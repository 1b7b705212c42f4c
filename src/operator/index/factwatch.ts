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
  type CandidateFacts,
  type UnmatchedPredicate,
} from '../../domain/placement/select/unmatched.js';
import type { PlacementRules, Predicate } from '../../domain/placement/spec/predicates.js';
import type { ClusterView } from '../../domain/placement/select/snapshot.js';

/** Whether at least one candidate has a property. */
interface WatchedFact {
  readonly has: (cluster: ClusterView) => boolean;
  readonly someHave: () => boolean;
  /** When the watch began. */
  readonly was: boolean;
}

/**
 * The facts that the message of one Placement depends on: which of its predicates match a candidate and, of the others,
 * which requirements some candidate meets and which keys some candidate has, as a label or as a claim.
 */
export class FactWatch {
  readonly #facts: readonly WatchedFact[];

  /** `candidates` is asked again at later changes; `unmatched`: what it says now. */
  constructor(rules: PlacementRules, candidates: CandidateFacts, unmatched: readonly UnmatchedPredicate[]) {
    const unmatchedIndexes = new Set(unmatched.map(({ index }) => index));
    this.#facts = rules.predicates.flatMap((predicate, index) => [
      matchFact(predicate, candidates, !unmatchedIndexes.has(index)),
      ...(unmatchedIndexes.has(index) ? requirementFacts(predicate, candidates) : []),
    ]);
  }

  /**
   * Whether a change of one cluster changes a fact. `before` and `after`: the cluster as a candidate, undefined while it is
   * none. To be called for each change until it returns true.
   */
  isChangedBy(before: ClusterView | undefined, after: ClusterView | undefined): boolean {
    return this.#facts.some(({ has, was, someHave }) => {
      const had = before !== undefined && has(before);
      const now = after !== undefined && has(after);
      if (had === now) return false;
      return now ? !was : !someHave();
    });
  }
}

function matchFact(predicate: Predicate, candidates: CandidateFacts, was: boolean): WatchedFact {
  return {
    has: (cluster) => unmet(predicate, cluster).next().done === true,
    someHave: () => candidates.someMatch(predicate),
    was,
  };
}

/** A predicate that contradicts itself never says anything else. */
function requirementFacts(predicate: Predicate, candidates: CandidateFacts): readonly WatchedFact[] {
  const requirements = sourcedRequirements(predicate);
  if (contradictionIn(requirements) !== undefined) return [];
  return requirements.flatMap((one) => [
    meetFact(one, candidates),
    ...(needsKey(one)
      ? [keyFact('label', one.requirement.key, candidates), keyFact('claim', one.requirement.key, candidates)]
      : []),
  ]);
}

function meetFact(one: ClusterRequirement, candidates: CandidateFacts): WatchedFact {
  const someHave = (): boolean => candidates.someMeet(one);
  return { has: (cluster) => meetsOne(cluster, one), someHave, was: someHave() };
}

function keyFact(source: KeySource, key: string, candidates: CandidateFacts): WatchedFact {
  const someHave = (): boolean => candidates.someHave(source, key);
  return { has: (cluster) => textOf(cluster, source, key) !== undefined, someHave, was: someHave() };
}
