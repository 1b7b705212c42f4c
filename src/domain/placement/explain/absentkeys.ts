import type { PlacementRules } from '../spec/predicates.js';
import type { ClusterView } from '../spec/cluster.js';
import {
  sourcedRequirements,
  textOf,
  type ClusterRequirement,
  type KeyRequirement,
  type KeySource,
  type SourcedRequirement,
} from '../select/rules.js';
import { needsKey } from '../select/unmatched.js';
import { hintsFor, hintText } from './hints.js';
import { wordText } from './requirementtext.js';

/** A key of spread, scores, groups or details that no candidate has, so that the field does nothing. */
export interface AbsentKey extends SourcedRequirement {
  /** `spec.spreadPolicy.spreadConstraints[0].topologyKey: no candidate has label regoin; did you mean label region (…)?` */
  readonly message: string;
}

/** Those of the keys that none of the candidates has; none without candidates. `none`: what has none of them. */
export function absentKeys(
  rules: PlacementRules,
  candidates: Iterable<ClusterView>,
  none = 'no candidate',
): readonly AbsentKey[] {
  const keys = namedKeys(rules)
    .filter(needsKey)
    .filter((one) => !someHave(one, candidates));
  const all = keys.length === 0 ? [] : [...candidates];
  if (all.length === 0) return [];
  return keys.map((one) => {
    const { path, key } = one.requirement;
    const hints = hintsFor(one, new Map(), all).map(hintText);
    return { ...one, message: [`${path}: ${none} has ${one.source} ${wordText(key)}`, ...hints].join('; ') };
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
