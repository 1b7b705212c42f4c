import { type Words, nearestWord } from '@multicluster-engine/values/nearestword';
import type { Requirement } from '../../selectors.js';
import {
  sourcedRequirements,
  type ClusterRequirement,
  type SourcedRequirement,
  type Unmet,
  textOf,
  type KeyRequirement,
  type KeySource,
} from '../select/rules.js';
import { answersAmong, whyUnmatched, type Unmatched, needsKey, otherSource } from '../select/unmatched.js';
import { unmatchedText, wordText } from './requirementtext.js';
import type { ClusterView } from '../spec/cluster.js';
import type { ClusterExplanation, Explanation } from './verdict.js';
import type { PlacementRules } from '../spec/predicates.js';

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

/** A key or value of a requirement that no candidate has, and the one that was probably meant, which some candidate has. */
export interface Hint extends SourcedRequirement {
  readonly kind: 'OtherSource' | 'OtherCase' | 'Typo';
  /** The key, or one of the values. */
  readonly word: string;
  /** What to write instead: a key of `source`, and a value of it when `word` is a value. */
  readonly suggested: { readonly source: KeySource; readonly key: string; readonly value?: string };
  /** How many of the candidates have it. */
  readonly carriers: number;
  readonly candidates: number;
}

/**
 * Hints for a requirement that no candidate meets; none for an expression, and for NotIn and DoesNotExist, which a cluster without
 * the key meets. `values`: those that candidates have for its key; empty where none has the key.
 */
function hintsFor(one: SourcedRequirement, values: Words, candidates: readonly ClusterView[]): readonly Hint[] {
  if (!needsKey(one)) return [];
  const { source, requirement } = one;
  const { key } = requirement;
  if (values.size === 0) return keyHint(one, candidates);
  // Gt and Lt compare numbers: no word was meant.
  if (requirement.threshold !== undefined) return [];
  return requirement.values.flatMap((word): Hint[] => {
    const match = nearestWord(word, values);
    if (match === undefined) return [];
    const { kind, carriers } = match;
    const suggested = { source, key, value: match.word };
    return [{ ...one, kind, word, carriers, suggested, candidates: candidates.length }];
  });
}

/** `did you mean label tier (9 of 9 have it)?` */
export function hintText({ suggested: { source, key, value }, carriers, candidates }: Hint): string {
  const meant = value === undefined ? wordText(key) : `${wordText(key)}=${wordText(value)}`;
  return `did you mean ${source} ${meant} (${carriers} of ${candidates} have it)?`;
}

function keyHint(one: KeyRequirement, candidates: readonly ClusterView[]): readonly Hint[] {
  const { source, requirement } = one;
  const other = otherSource(source);
  const word = requirement.key;
  const total = candidates.length;
  const elsewhere = candidates.filter((cluster) => textOf(cluster, other, word) !== undefined).length;
  if (elsewhere > 0) {
    const suggested = { source: other, key: word };
    return [{ ...one, kind: 'OtherSource', word, suggested, carriers: elsewhere, candidates: total }];
  }
  const match = nearestWord(word, countKeys(candidates, source));
  if (match === undefined) return [];
  const { kind, carriers } = match;
  return [{ ...one, kind, word, carriers, suggested: { source, key: match.word }, candidates: total }];
}

function countKeys(candidates: readonly ClusterView[], source: KeySource): Words {
  const words = new Map<string, number>();
  for (const cluster of candidates) {
    for (const key of Object.keys(source === 'label' ? cluster.labels : cluster.claims))
      words.set(key, (words.get(key) ?? 0) + 1);
  }
  return words;
}

/**
 * A line for each key of spread, scores, groups and details that no candidate has: its field does nothing. Empty without
 * candidates. `spec.spreadPolicy.spreadConstraints[0].topologyKey: no candidate has label regoin; did you mean label region (…)?`
 * `none`: the subject of the line.
 */
export function absentKeys(
  rules: PlacementRules,
  candidates: Iterable<ClusterView>,
  none = 'no candidate',
): readonly string[] {
  const keys = namedKeys(rules)
    .filter(needsKey)
    .filter((one) => !someHave(one, candidates));
  const all = keys.length === 0 ? [] : [...candidates];
  if (all.length === 0) return [];
  return keys.map((one) => {
    const { path, key } = one.requirement;
    const hints = keyHint(one, all).map(hintText);
    return [`${path}: ${none} has ${one.source} ${wordText(key)}`, ...hints].join('; ');
  });
}

/** Ends with the first that has it: most keys are those of the first cluster. */
function someHave({ source, requirement }: KeyRequirement, candidates: Iterable<ClusterView>): boolean {
  for (const one of candidates) if (textOf(one, source, requirement.key) !== undefined) return true;
  return false;
}

/** The keys of spread, scores, groups and details, in this order. */
function namedKeys({ spread, prioritizers, groups, details }: PlacementRules): readonly ClusterRequirement[] {
  const exists = (source: KeySource, key: string, path: string): ClusterRequirement => {
    return { source, requirement: { path, key, operator: 'Exists', values: [] } };
  };
  return [
    ...spread.map(({ source, key }, index) =>
      exists(source, key, `spec.spreadPolicy.spreadConstraints[${index}].topologyKey`),
    ),
    ...prioritizers.flatMap(({ index, coordinate }) => {
      if (coordinate.kind === 'Selector') return sourcedRequirements(coordinate);
      const at = `spec.prioritizerPolicy.configurations[${index}].scoreCoordinate`;
      return coordinate.kind === 'Value' ? [exists(coordinate.source, coordinate.key, at)] : [];
    }),
    ...(groups?.groups ?? []).flatMap(sourcedRequirements),
    ...details.map(({ source, key }) => exists(source, key, `spec.decisionDetails.${source}s`)),
  ];
}
