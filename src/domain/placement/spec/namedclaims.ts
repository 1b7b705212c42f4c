import { isFactName, type FactNames } from '../../clusters/facts.js';
import type { PlacementRules } from './predicates.js';

/**
 * The names of the claims that the decision for a Placement, or its messages, may depend on. Those of labels count too: a
 * message says so when clusters have a claim of that name instead.
 */
function* namedClaims({ predicates, spread, prioritizers, groups, details }: PlacementRules): Generator<string> {
  for (const { labels, claims } of predicates) {
    for (const { key } of labels) yield key;
    for (const { key } of claims) yield key;
  }
  for (const { source, key } of [...spread, ...details]) if (source === 'claim') yield key;
  for (const { coordinate } of prioritizers) {
    if (coordinate.kind === 'Value' && coordinate.source === 'claim') yield coordinate.key;
    if (coordinate.kind === 'Selector') for (const { key } of coordinate.claims) yield key;
  }
  for (const { claims } of groups?.groups ?? []) for (const { key } of claims) yield key;
}

/** Those of {@link namedClaims} that are facts of a cluster; all for an expression, which may read any. */
export function namedFacts(rules: PlacementRules): FactNames {
  if (rules.predicates.some(({ expressions }) => expressions.length > 0)) return 'all';
  const facts = new Set<string>();
  for (const name of namedClaims(rules)) if (isFactName(name)) facts.add(name);
  return facts;
}
