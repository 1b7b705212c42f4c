import { admits, meetsAll, valueOf, type LabelsAndClaims, type Requirement } from '../../selectors.js';
import type { PlacementRules, Predicate } from '../spec/predicates.js';
import type { ClusterView } from '../spec/cluster.js';
import type { ExpressionRequirement } from '../spec/expression.js';
import type { TopologyKey } from '../spec/spread.js';
import { standingOf, taintsAgainstNew } from './standing.js';

/**
 * The rules that a cluster has to pass to be selected. `schedule` takes the first failure of a cluster, `explain` all of
 * them: both read the same generators.
 */

/** Where keys are. */
export type KeySource = TopologyKey['source'];
/** Where a requirement looks for its key. The key of an expression is its text, and the value of that is its result. */
export type Source = KeySource | 'expression';

/** A requirement with where it looks for its key. */
export interface SourcedRequirement {
  readonly source: Source;
  readonly requirement: Requirement;
}

/** One that looks for its key. */
export interface KeyRequirement extends SourcedRequirement {
  readonly source: KeySource;
}

/** One that can be compared with what a cluster has. */
export type ClusterRequirement =
  | KeyRequirement
  | { readonly source: 'expression'; readonly requirement: ExpressionRequirement };

/** Labels, claims and, where they are asked for, expressions: a selector that only prefers clusters has none. */
type Selector = LabelsAndClaims & Partial<Pick<Predicate, 'expressions'>>;

/** The requirements of a predicate: labels, then claims, then expressions. */
export function sourcedRequirements({ labels, claims, expressions = [] }: Selector): readonly ClusterRequirement[] {
  return [
    ...labels.map((requirement) => ({ source: 'label' as const, requirement })),
    ...claims.map((requirement) => ({ source: 'claim' as const, requirement })),
    ...expressions.map((requirement) => ({ source: 'expression' as const, requirement })),
  ];
}

/** A requirement that a cluster does not meet. `found`: the value of its key there; undefined without the key. */
export interface Unmet {
  readonly source: Source;
  readonly requirement: Requirement;
  readonly found: string | undefined;
}

/**
 * Which rule a cluster fails. `Gone`: the object does not exist; `NotMember`: it is in no readable eligible set. For these
 * two some object is missing. `Tainted`: a taint of it keeps the Placement out.
 */
export type FailedRule = 'Gone' | 'Deleting' | 'NotMember' | 'NotMatched' | 'Tainted';

/** A cluster that is judged by the rules of one Placement. */
export interface Subject {
  /** Undefined when the object does not exist. */
  readonly cluster: ClusterView | undefined;
  /** Whether it is in an eligible set, or was selected and may be in one whose selector is unreadable. */
  readonly member: boolean;
  /** Whether it {@link matches}, where that is known already. */
  readonly matched?: boolean;
  /** Whether the decision names it: it then stays with taints that keep a new cluster out. */
  readonly selected: boolean;
  /** Ms since the epoch. */
  readonly now: number;
}

type Rule = (subject: Subject, rules: PlacementRules) => FailedRule | undefined;

/** In their order: the first failure is the cause that is reported. */
const RULES: readonly Rule[] = [exists, notDeleting, memberOfEligibleSet, matchesPredicate, tolerated];

/** Every rule that the cluster fails, in the order of the rules; with a `problem` existence and deletion alone count. */
export function* failures(subject: Subject, rules: PlacementRules): Generator<FailedRule, void, undefined> {
  for (const rule of RULES) {
    const cause = rule(subject, rules);
    if (cause !== undefined) yield cause;
  }
}

/** The first rule that the cluster fails; undefined when it passes all of them. */
export function firstFailure(subject: Subject, rules: PlacementRules): FailedRule | undefined {
  for (const cause of failures(subject, rules)) return cause;
  return undefined;
}

/** Each requirement of the predicate that the cluster does not meet, labels first; none when it matches. */
export function* unmet(
  { labels, claims, expressions = [] }: Selector,
  cluster: ClusterView,
): Generator<Unmet, void, undefined> {
  for (const requirement of labels) {
    const one = unmetBy(valueOf(cluster.labels, requirement.key), 'label', requirement);
    if (one !== undefined) yield one;
  }
  for (const requirement of claims) {
    const one = unmetBy(valueOf(cluster.claims, requirement.key), 'claim', requirement);
    if (one !== undefined) yield one;
  }
  for (const requirement of expressions) {
    const one = unmetBy(requirement.expression.resultOf(cluster), 'expression', requirement);
    if (one !== undefined) yield one;
  }
}

/** The value of a label or a claim; undefined for a cluster without it. */
export function textOf(cluster: ClusterView, source: KeySource, key: string): string | undefined {
  return valueOf(source === 'label' ? cluster.labels : cluster.claims, key);
}

/** What the cluster has where the requirement looks: {@link textOf} its key, or the result of its expression. */
export function foundIn(cluster: ClusterView, { source, requirement }: ClusterRequirement): string | undefined {
  return source === 'expression' ? requirement.expression.resultOf(cluster) : textOf(cluster, source, requirement.key);
}

export function meetsOne(cluster: ClusterView, one: ClusterRequirement): boolean {
  return admits(one.requirement, foundIn(cluster, one));
}

/** The requirement, if a cluster with this value of its key does not meet it. */
export function unmetBy(found: string | undefined, source: Source, requirement: Requirement): Unmet | undefined {
  return admits(requirement, found) ? undefined : { source, requirement, found };
}

/** Whether the cluster matches a predicate, or there is none; false with a `problem`. */
export function matches({ problem, predicates }: PlacementRules, cluster: ClusterView): boolean {
  if (problem !== undefined) return false;
  return predicates.length === 0 || predicates.some((one) => matchesOne(one, cluster));
}

/** The index of the predicate that the cluster counts for: the first that it matches; undefined for none. */
export function predicateOf({ predicates }: PlacementRules, cluster: ClusterView): number | undefined {
  const index = predicates.findIndex((one) => matchesOne(one, cluster));
  return index < 0 ? undefined : index;
}

function matchesOne(predicate: Predicate, cluster: ClusterView): boolean {
  return (
    meetsAll(predicate, cluster) &&
    predicate.expressions.every((requirement) => admits(requirement, requirement.expression.resultOf(cluster)))
  );
}

function exists({ cluster }: Subject): FailedRule | undefined {
  return cluster === undefined ? 'Gone' : undefined;
}

function notDeleting({ cluster }: Subject): FailedRule | undefined {
  return cluster?.deleting === true ? 'Deleting' : undefined;
}

function memberOfEligibleSet({ cluster, member }: Subject, { problem }: PlacementRules): FailedRule | undefined {
  return cluster !== undefined && !member && problem === undefined ? 'NotMember' : undefined;
}

function matchesPredicate({ cluster, matched }: Subject, rules: PlacementRules): FailedRule | undefined {
  if (cluster === undefined || rules.problem !== undefined) return undefined;
  return (matched ?? matches(rules, cluster)) ? undefined : 'NotMatched';
}

function tolerated(
  { cluster, selected, now }: Subject,
  { problem, tolerations }: PlacementRules,
): FailedRule | undefined {
  if (cluster === undefined || cluster.taints.length === 0 || problem !== undefined) return undefined;
  const leaves = selected
    ? standingOf(cluster.taints, tolerations, now).kind === 'leaves'
    : taintsAgainstNew(cluster.taints, tolerations).length > 0;
  return leaves ? 'Tainted' : undefined;
}
