import { nearestWord, type Words } from '@multicluster-engine/values/nearestword';
import { needsKey, otherSource } from '../select/unmatched.js';
import type { ClusterView } from '../spec/cluster.js';
import type { PlacementRules } from '../spec/predicates.js';
import {
  sourcedRequirements,
  textOf,
  type ClusterRequirement,
  type KeyRequirement,
  type KeySource,
  type SourcedRequirement,
} from '../select/rules.js';
import { wordText } from './requirementtext.js';

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
export function hintsFor(one: SourcedRequirement, values: Words, candidates: readonly ClusterView[]): readonly Hint[] {
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
