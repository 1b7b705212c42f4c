import { boundedList } from '../../conditions.js';
import { hasNumbers, type PlacementRules } from '../spec/predicates.js';
import type { SpreadConstraint, TopologyKey } from '../spec/spread.js';
import type { ClusterView } from '../spec/cluster.js';
import { predicateOf } from '../select/rules.js';
import type { Move } from '../select/decision.js';
import type { BlockingConstraint, LackingPredicate, Shortage } from '../select/choice/choose.js';
import { wordText } from './requirementtext.js';
import type { Piece } from '../stored/items.js';
import type { SpreadBlock } from './verdict.js';

/** What numbers of predicates, spread and groups mean, as text. */

/** Characters of a list of domains. */
const DOMAINS_LIMIT = 160;

/** `piece 0 (group canary)`, `piece 3 (no group)`. */
export function pieceText({ group, index }: Pick<Piece, 'group' | 'index'>): string {
  return `piece ${index} (${group === '' ? 'no group' : `group ${group}`})`;
}

/** `claim region`. */
export function topologyText({ source, key }: TopologyKey): string {
  return `${source} ${wordText(key)}`;
}

/** `spread by claim region (maxSkew 1)`. */
export function spreadText(constraint: SpreadConstraint): string {
  const { maxSkew, minDomains } = constraint;
  const least = minDomains === undefined ? '' : `, minDomains ${minDomains}`;
  return `spread by ${topologyText(constraint)} (maxSkew ${maxSkew}${least})`;
}

/** `spread by claim region (maxSkew 1): domain eu has 2 clusters, the lowest count is 1`. */
export function blockText({ constraint, domain, count, lowest }: SpreadBlock): string {
  const head = spreadText(constraint);
  if (domain === undefined) return `${head}: the cluster has no ${topologyText(constraint)}`;
  return `${head}: domain ${wordText(domain)} has ${count} ${count === 1 ? 'cluster' : 'clusters'}, the lowest count is ${lowest}`;
}

/**
 * Why fewer clusters are selected than wanted: `predicate 1: 1 of 2 wanted clusters is missing`. `mayMatch`: clusters that match
 * are kept out by more than spread.
 */
export function shortageTexts({ predicates, spread }: Shortage, mayMatch: boolean): readonly string[] {
  const others = mayMatch || predicates.length > 0;
  return [...predicates.map(lackingText), ...spread.map((one) => blockingText(one, others))];
}

function lackingText({ index, wanted, missing, shadowedBy }: LackingPredicate): string {
  const clusters = wanted === 1 ? 'cluster' : 'clusters';
  const why = shadowedBy === undefined ? '' : `, since each cluster that matches it counts for predicate ${shadowedBy}`;
  return `predicate ${index}: ${missing} of ${wanted} wanted ${clusters} ${missing === 1 ? 'is' : 'are'} missing${why}`;
}

function blockingText(one: BlockingConstraint, mayMatch: boolean): string {
  const { constraint, full, exhausted, someWithoutKey, tooFewDomains } = one;
  const refused = [
    ...(full.length === 0 ? [] : [`no more in ${domainList(full)}`]),
    ...(someWithoutKey ? [`none without ${topologyText(constraint)}`] : []),
  ];
  const head = `${spreadText(constraint)} allows ${refused.join(', ')}`;
  if (tooFewDomains) return `${head}; there are fewer than ${constraint.minDomains} domains`;
  if (exhausted.length === 0) return head;
  return `${head}; no other cluster of ${domainList(exhausted)} ${mayMatch ? 'may come in' : 'matches'}`;
}

function domainList(values: readonly string[]): string {
  return boundedList(values.map(wordText), ', ', DOMAINS_LIMIT);
}

/** Which numbers a cluster that passes every rule is too many for: `spec.numberOfClusters is 3`. */
export function notNeededText(cluster: ClusterView | undefined, rules: PlacementRules): string {
  const limit = `spec.numberOfClusters is ${rules.wanted}`;
  const index = cluster === undefined || !hasNumbers(rules) ? undefined : predicateOf(rules, cluster);
  const number = index === undefined ? undefined : rules.predicates[index]?.wanted;
  if (number === undefined) return limit;
  const sum = rules.predicates.reduce((total, { wanted = 0 }) => total + wanted, 0);
  const own = `spec.predicates[${index}].numberOfClusters is ${number}`;
  return sum === rules.wanted ? own : `${limit}, and ${own}`;
}

/** `edge-1 → edge-7 (score 81, 55 before, margin 20)`. */
export function moveText(move: Move, rules: PlacementRules): string {
  return `${wordText(move.leaves)} → ${wordText(move.comes)} (${moveReason(move, rules)})`;
}

/** `score 81, 55 before, margin 20`, `closer to spread by claim region (maxSkew 1)`. */
export function moveReason({ scores, constraint }: Move, { rebalance }: PlacementRules): string {
  return constraint === undefined
    ? `score ${scores.comes / 100}, ${scores.leaves / 100} before, margin ${rebalance?.scoreMargin}`
    : `closer to ${spreadText(constraint)}`;
}
