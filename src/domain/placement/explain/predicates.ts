import { meets, valueOf, type Requirement } from '../../selectors.js';
import type { ClusterView, Predicate } from '../predicates.js';
import { hintsFor, mapOf, type Hint } from './hints.js';
import { requirementText, wordText, type SourcedRequirement } from './requirementtext.js';
import type { Explanation } from './verdict.js';

/** Why a predicate matches no candidate: the first of these that holds. */
export type Unmatched =
  | { readonly kind: 'Contradiction'; readonly requirements: readonly SourcedRequirement[] }
  | { readonly kind: 'OtherSource'; readonly requirement: SourcedRequirement }
  | { readonly kind: 'KeyAbsent'; readonly requirement: SourcedRequirement }
  | { readonly kind: 'RequirementUnmet'; readonly requirement: SourcedRequirement }
  | { readonly kind: 'NotTogether' };

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
}

export interface RequirementExplanation extends SourcedRequirement {
  /** How many candidates meet it. */
  readonly met: number;
}

/** What each predicate of the Placement finds among the candidates, in the order of the predicates. */
export function explainPredicates({ placement, clusters }: Explanation): readonly PredicateExplanation[] {
  const considered = clusters.filter(({ cluster, sets }) => sets.length > 0 && cluster?.deleting === false);
  const candidates = considered.flatMap(({ cluster }) => cluster ?? []);
  const unmetBy = new Map<Requirement, number>();
  const matched = placement.rules.predicates.map(() => 0);
  for (const { unmet } of considered) {
    for (const [index, list] of unmet.entries()) {
      if (list.length === 0) matched[index] = (matched[index] ?? 0) + 1;
      for (const { requirement } of list) unmetBy.set(requirement, (unmetBy.get(requirement) ?? 0) + 1);
    }
  }
  return placement.rules.predicates.map((predicate, index) => {
    const requirements = sourced(predicate).map((one): RequirementExplanation => {
      return { ...one, met: candidates.length - (unmetBy.get(one.requirement) ?? 0) };
    });
    const nobody = candidates.length > 0 && matched[index] === 0;
    return {
      index,
      matched: matched[index] ?? 0,
      requirements,
      unmatched: nobody ? whyUnmatched(requirements, candidates) : undefined,
      hints: nobody ? requirements.filter(({ met }) => met === 0).flatMap((one) => hintsFor(one, candidates)) : [],
    };
  });
}

/** `predicate 0: no candidate has label teir`; undefined for a predicate that matches. */
export function unmatchedText({ index, unmatched }: PredicateExplanation): string | undefined {
  switch (unmatched?.kind) {
    case undefined:
      return undefined;
    case 'Contradiction': {
      const [first = '', ...others] = unmatched.requirements.map(requirementText);
      return `predicate ${index} can match no cluster: ${first} contradicts ${others.join(' and ')}`;
    }
    case 'OtherSource': {
      const { source, requirement } = unmatched.requirement;
      const other = source === 'label' ? 'claim' : 'label';
      return `predicate ${index}: no candidate has ${source} ${wordText(requirement.key)}, but some have a ${other} of that name`;
    }
    case 'KeyAbsent': {
      const { source, requirement } = unmatched.requirement;
      return `predicate ${index}: no candidate has ${source} ${wordText(requirement.key)}`;
    }
    case 'RequirementUnmet':
      return `predicate ${index}: no candidate matches ${requirementText(unmatched.requirement)}`;
    case 'NotTogether':
      return `predicate ${index}: each requirement is met by some candidate, all together by none`;
  }
}

function sourced({ labels, claims }: Predicate): readonly SourcedRequirement[] {
  return [
    ...labels.map((requirement) => ({ source: 'label' as const, requirement })),
    ...claims.map((requirement) => ({ source: 'claim' as const, requirement })),
  ];
}

function whyUnmatched(requirements: readonly RequirementExplanation[], candidates: readonly ClusterView[]): Unmatched {
  const contradiction = contradictionIn(requirements);
  if (contradiction !== undefined) return { kind: 'Contradiction', requirements: contradiction };
  const unmet = requirements.filter(({ met }) => met === 0);
  const absent = unmet.filter((one) => needsKey(one.requirement) && !someHave(one, one.source, candidates));
  const elsewhere = absent.find((one) => someHave(one, one.source === 'label' ? 'claim' : 'label', candidates));
  if (elsewhere !== undefined) return { kind: 'OtherSource', requirement: elsewhere };
  const [firstAbsent] = absent;
  if (firstAbsent !== undefined) return { kind: 'KeyAbsent', requirement: firstAbsent };
  const [firstUnmet] = unmet;
  return firstUnmet === undefined ? { kind: 'NotTogether' } : { kind: 'RequirementUnmet', requirement: firstUnmet };
}

function needsKey({ operator }: Requirement): boolean {
  return operator === 'In' || operator === 'Exists';
}

function someHave(
  { requirement }: SourcedRequirement,
  source: SourcedRequirement['source'],
  candidates: readonly ClusterView[],
): boolean {
  return candidates.some((cluster) => valueOf(mapOf(cluster, source), requirement.key) !== undefined);
}

/** Requirements on one key that no value meets together: two of them if two suffice. */
function contradictionIn(requirements: readonly SourcedRequirement[]): readonly SourcedRequirement[] | undefined {
  for (const [index, first] of requirements.entries()) {
    const same = requirements.filter(
      (one) => one.source === first.source && one.requirement.key === first.requirement.key,
    );
    if (same.length < 2 || same[0] !== requirements[index] || isPossible(same)) continue;
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
  const maps = [{}, ...[...named, other].map((value) => Object.fromEntries([[key, value]]))];
  return maps.some((map) => same.every(({ requirement }) => meets(requirement, map)));
}
