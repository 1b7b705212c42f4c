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

/** A cluster that is judged by the rules of one Placement. */
export interface Subject {
  /** Undefined when the object does not exist. */
  readonly cluster: ClusterView | undefined;
  /** Whether it is in an eligible set, or was selected and may be in one whose selector is unreadable. */
  readonly member: boolean;
  /** Whether it {@link matches}, where that is known already. */
  readonly matched?: boolean | undefined;
  /** Whether the decision names it: it then stays with taints that keep a new cluster out. */
  readonly selected: boolean;
  /** Ms since the epoch. */
  readonly now: number;
}

type Rule = (cluster: ClusterView, subject: Subject, rules: PlacementRules) => boolean;

/** Whether a cluster that exists fails the rule. `NotMember`: it is in no readable eligible set. */
const RULES = {
  Deleting: ({ deleting }) => deleting,
  NotMember: (_, { member }) => !member,
  NotMatched: (cluster, { matched }, rules) => !(matched ?? matches(rules, cluster)),
} satisfies Readonly<Record<string, Rule>>;

/** A rule that keeps out clusters which match. `now`: ms since the epoch. */
interface FurtherRule {
  /** Of a cluster that is not selected: what the conditions name as keeping it out; empty where it may come in. */
  readonly keepsOut: (cluster: ClusterView, rules: PlacementRules, now: number) => readonly string[];
  /** When a selected cluster leaves, or may: it leaves now where that is not after `now`; undefined for never. */
  readonly leavesAt: (cluster: ClusterView, rules: PlacementRules, now: number) => number | undefined;
}

const FURTHER_RULES = {
  Tainted: {
    keepsOut: ({ taints }, { tolerations }) => taintsAgainstNew(taints, tolerations).map(({ taint }) => taint.key),
    leavesAt: ({ taints }, { tolerations }, now) => {
      const standing = standingOf(taints, tolerations, now);
      return standing.kind === 'leaves' ? now : standing.until;
    },
  },
} satisfies Readonly<Record<string, FurtherRule>>;

/** A rule that a cluster can fail although it matches. */
export type FurtherFailure = keyof typeof FURTHER_RULES;
/** Whether a cluster that matches can fail the rule. */
export function isFurther(cause: FailedRule): cause is FurtherFailure {
  return cause in FURTHER_RULES;
}

/** By rule, what the conditions name. */
export type OutByRules = readonly (readonly [FurtherFailure, readonly string[]])[];
/** Which rule a cluster fails. `Gone`: the object does not exist. */
export type FailedRule = 'Gone' | keyof typeof RULES | FurtherFailure;

/** In their order: the first failure is the cause that is reported. */
const ORDER = Object.entries(RULES) as readonly (readonly [keyof typeof RULES, Rule])[];
const FURTHER = Object.entries(FURTHER_RULES) as readonly (readonly [FurtherFailure, FurtherRule])[];

/** Every rule that the cluster fails, in the order of the rules; with a `problem` existence and deletion alone count. */
export function* failures(subject: Subject, rules: PlacementRules): Generator<FailedRule, void, undefined> {
  const { cluster, selected, now } = subject;
  if (cluster === undefined) {
    yield 'Gone';
    return;
  }
  for (const [cause, fails] of ORDER) {
    if (fails(cluster, subject, rules)) yield cause;
    if (rules.problem !== undefined) return;
  }
  for (const [cause, { keepsOut, leavesAt }] of FURTHER) {
    const fails = selected
      ? (leavesAt(cluster, rules, now) ?? Infinity) <= now
      : keepsOut(cluster, rules, now).length > 0;
    if (fails) yield cause;
  }
}

/** The first rule that the cluster fails; undefined when it passes all of them. */
export function firstFailure(subject: Subject, rules: PlacementRules): FailedRule | undefined {
  for (const cause of failures(subject, rules)) return cause;
  return undefined;
}

/** The candidates that match and may fail a further rule nevertheless: the others are not asked, and cost nothing. */
export function askedOf<A>({ candidates }: { readonly candidates: { readonly tainted: A } }): A {
  return candidates.tainted;
}

/** What keeps clusters out that match and are not selected, by rule: each name once, sorted. */
export function outByRules(clusters: readonly ClusterView[], rules: PlacementRules, now: number): OutByRules {
  return FURTHER.flatMap(([rule, { keepsOut }]) => {
    const names = new Set(clusters.flatMap((one) => keepsOut(one, rules, now)));
    return names.size === 0 ? [] : [[rule, [...names].sort()] as const];
  });
}

/** When time alone may make a selected cluster fail a rule: ms since the epoch; undefined for never. */
export function passesUntil(cluster: ClusterView, rules: PlacementRules, now: number): number | undefined {
  const times = FURTHER.flatMap(([, { leavesAt }]) => leavesAt(cluster, rules, now) ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Each requirement of the predicate that the cluster does not meet, labels first; none when it matches. */
export function unmet(selector: Selector, cluster: ClusterView): readonly Unmet[] {
  return sourcedRequirements(selector).flatMap(
    (one) => unmetBy(foundIn(cluster, one), one.source, one.requirement) ?? [],
  );
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

/** Whether the cluster meets every requirement of the predicate. */
export function matchesOne(predicate: Predicate, cluster: ClusterView): boolean {
  return (
    meetsAll(predicate, cluster) &&
    predicate.expressions.every((requirement) => admits(requirement, requirement.expression.resultOf(cluster)))
  );
}
