import type { Words } from '@multicluster-engine/values/nearestword';
import type { Requirement } from '../../selectors.js';
import { sourcedRequirements, type ClusterRequirement, type SourcedRequirement, type Unmet } from '../select/rules.js';
import { answersAmong, whyUnmatched, type Unmatched } from '../select/unmatched.js';
import { hintsFor, type Hint } from './hints.js';
import { unmatchedText } from './requirementtext.js';
import type { ClusterView } from '../spec/cluster.js';
import type { ClusterExplanation, Explanation } from './verdict.js';

/** One predicate over all candidates. */
export interface PredicateExplanation {
  readonly index: number;
  /** How many candidates match it. */
  readonly matched: number;
  readonly requirements: readonly RequirementExplanation[];
  /** Undefined when a candidate matches, or there is no candidate. */
  readonly unmatched: Unmatched | undefined;
  /** For requirements that no candidate meets, in their order. */
  readonly hints: readonly Hint[];
  /** The values that candidates have in place of those of a requirement that none meets, and how many have each. */
  readonly values: Words;
}

export type RequirementExplanation = ClusterRequirement & {
  /** How many candidates meet it. */
  readonly met: number;
};

/** What each predicate of the Placement finds among the candidates, in the order of the predicates. */
export function explainPredicates({ placement, clusters }: Explanation): readonly PredicateExplanation[] {
  const considered = clusters.filter(isCandidate);
  const candidates = candidatesOf({ clusters });
  const counts = new Map<Unmet, { count: number }>();
  const matched = placement.rules.predicates.map(() => 0);
  for (const { unmet } of considered) {
    unmet.forEach((list, index) => {
      if (list.length === 0) matched[index] = (matched[index] ?? 0) + 1;
      for (const one of list) countOne(counts, one);
    });
  }
  const unmetBy = byRequirement(counts);
  const metBy = (requirement: Requirement): number => candidates.length - (unmetBy.get(requirement)?.count ?? 0);
  const hintsOf = (one: SourcedRequirement): readonly Hint[] =>
    hintsFor(one, unmetBy.get(one.requirement)?.values ?? new Map(), candidates);
  const answers = { ...answersAmong(candidates), someMeet: (one: ClusterRequirement) => metBy(one.requirement) > 0 };
  return placement.rules.predicates.map((predicate, index) => {
    const requirements = sourcedRequirements(predicate).map((one) => ({ ...one, met: metBy(one.requirement) }));
    const isUnmatched = candidates.length > 0 && matched[index] === 0;
    const unmatched = isUnmatched ? whyUnmatched(sourcedRequirements(predicate), answers) : undefined;
    const unmet = unmatched?.kind === 'RequirementUnmet' ? unmetBy.get(unmatched.requirement.requirement) : undefined;
    return {
      index,
      matched: matched[index] ?? 0,
      requirements,
      unmatched,
      hints: isUnmatched ? requirements.filter(({ met }) => met === 0).flatMap(hintsOf) : [],
      values: unmet?.values ?? new Map(),
    };
  });
}

function isCandidate({ cluster, sets }: ClusterExplanation): boolean {
  return sets.length > 0 && cluster?.deleting === false;
}

/** The clusters that could be selected. */
export function candidatesOf({ clusters }: Pick<Explanation, 'clusters'>): readonly ClusterView[] {
  return clusters.filter(isCandidate).flatMap(({ cluster }) => cluster ?? []);
}

/** What candidates that do not meet a requirement have in its place. */
interface UnmetBy {
  /** How many they are. */
  count: number;
  /** Value of the key → how many have it; those without the key are left out. */
  readonly values: Map<string, number>;
}

/** The counts of each requirement. `counts`: by objects that `explain` shares between clusters with the same value. */
function byRequirement(counts: ReadonlyMap<Unmet, { readonly count: number }>): ReadonlyMap<Requirement, UnmetBy> {
  const byKey = new Map<Requirement, UnmetBy>();
  for (const [{ requirement, found }, { count }] of counts) {
    const known = byKey.get(requirement) ?? { count: 0, values: new Map<string, number>() };
    byKey.set(requirement, known);
    known.count += count;
    if (found !== undefined) known.values.set(found, (known.values.get(found) ?? 0) + count);
  }
  return byKey;
}

function countOne<K>(counts: Map<K, { count: number }>, key: K): void {
  const known = counts.get(key);
  if (known === undefined) counts.set(key, { count: 1 });
  else known.count += 1;
}

/** `predicate 0: no candidate has label teir`; undefined for a predicate that matches. */
export function predicateText({ index, unmatched }: PredicateExplanation): string | undefined {
  return unmatched === undefined ? undefined : unmatchedText({ index, unmatched });
}
