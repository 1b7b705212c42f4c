import type { ClusterSelector } from '../../clusters/selector.js';
import type { ClusterView } from '../spec/cluster.js';
import type { SpreadConstraint } from '../spec/spread.js';
import type { VerdictWord } from '../../../api/verdicts.js';
import type { FailedRule, Unmet } from '../select/rules.js';
import { type Decision } from '../select/decision.js';
import { keepingOut, merelyWaits } from '../select/holders.js';
import type { Scorer } from '../select/scores.js';
import type { PlacementSnapshot, PlacementView } from '../select/snapshot.js';

/** What an explanation is computed from, and its parts. */

/** A cluster with the readable eligible sets that it is in, sorted. */
export interface Member {
  readonly cluster: ClusterView;
  readonly sets: readonly string[];
}

export interface ExplainInput {
  readonly snapshot: PlacementSnapshot;
  /** The members of the readable eligible sets, each once, those that are being deleted included. */
  readonly members: readonly Member[];
  /** The selectors of the readable eligible sets, by name. */
  readonly selectors: ReadonlyMap<string, ClusterSelector>;
  readonly readable: Readable;
}

/** Which inputs could be read; what depends on others is not computed. */
export interface Readable {
  /** Clusters, sets and bindings: all of them, or none counts. */
  readonly fleet: boolean;
  readonly decisions: boolean;
}

/**
 * `Held`: it would leave, and stays in the decision; or it passes all, and the disruption budget or a pause keeps it out. It may be
 * held, or wait ({@link isWaiting}).
 * `SpreadBlocked`: it passes all, and a spread constraint keeps it out. `Moved`: it leaves for a better one. `Unknown`: it
 * depends on objects that could not be read.
 */
export type Verdict = Exclude<VerdictWord, 'Waiting'>;

/** A spread constraint that keeps a cluster out. */
export interface SpreadBlock {
  readonly constraint: SpreadConstraint;
  /** Undefined without the key. */
  readonly domain: string | undefined;
  /** How many selected clusters the domain has, and the one with the fewest. */
  readonly count: number;
  readonly lowest: number;
}

export interface ClusterExplanation {
  readonly name: string;
  /** Undefined when it does not exist, or could not be read. */
  readonly cluster: ClusterView | undefined;
  /** The readable eligible sets that it is in, sorted. */
  readonly sets: readonly string[];
  /** Whether the decision names it: then it is ranked before the others. */
  readonly inDecision: boolean;
  readonly verdict: Verdict;
  /** Every rule that it fails, in the order of the rules. */
  readonly causes: readonly FailedRule[];
  /** From 1, in the order of selection. Undefined when it fails a rule, and for the verdict `Unknown`. */
  readonly rank: number | undefined;
  /** For each predicate the requirements that it does not meet; an empty list for a predicate that it matches. */
  readonly unmet: readonly (readonly Unmet[])[];
  /** The predicate with the fewest unmet requirements, the first of equals; undefined without predicates. */
  readonly best: number | undefined;
  /** What keeps it out, for `SpreadBlocked`. */
  readonly blocked?: SpreadBlock | undefined;
}

/** The first predicate that the cluster matches: the one for which it counts. */
export function matchedPredicate({ unmet }: Pick<ClusterExplanation, 'unmet'>): number | undefined {
  const index = unmet.findIndex((list) => list.length === 0);
  return index < 0 ? undefined : index;
}

export interface Explanation {
  readonly placement: PlacementView;
  /** Undefined while clusters, sets or bindings could not be read. */
  readonly decision: Decision | undefined;
  /** What scored the clusters; undefined without prioritizers, and while objects could not be read. */
  readonly scorer: Scorer | undefined;
  readonly readable: Readable;
  /** The clusters of the eligible sets and of the decision, by name. */
  readonly clusters: readonly ClusterExplanation[];
  /** Those that match no predicate, nearest first: by the number of unmet requirements of their best predicate, then by hash. */
  readonly nearest: readonly ClusterExplanation[];
}

/** Whether the cluster stays, or stays out, until a pause ends or a change window opens, and not because of a bound. */
export function isWaiting({ name, verdict }: ClusterExplanation, { decision }: Pick<Explanation, 'decision'>): boolean {
  const fate = decision?.fates.get(name);
  return verdict === 'Held' && (fate?.kind === 'held' || fate?.kind === 'keptOut') && merelyWaits(fate.by);
}

/** How lists show the verdict: one that waits for a window or the end of a pause is not held by a bound. */
export function verdictWord(one: ClusterExplanation, explanation: Explanation): VerdictWord {
  return isWaiting(one, explanation) ? 'Waiting' : one.verdict;
}

/** `spec.paused`: the field, of the spec or of a set, that keeps a cluster out which passes every rule; undefined for any other. */
export function keptOutBy(
  { name }: ClusterExplanation,
  { decision }: Pick<Explanation, 'decision'>,
): string | undefined {
  const fate = decision?.fates.get(name);
  return fate?.kind === 'keptOut' ? keepingOut(fate.by) : undefined;
}
