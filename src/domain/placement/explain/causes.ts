import { clip } from '../../conditions.js';
import type { Decision, Leaving } from '../select/decision.js';
import type { Eligibility } from '../select/eligible.js';
import { moveText, notNeededText } from './choicetext.js';
import { leastUnmet } from './explain.js';
import { unmetText } from './requirementtext.js';
import { unmet as unmetIn } from '../select/rules.js';
import type { Before, ClusterView, PlacementSnapshot, PlacementView } from '../select/snapshot.js';
import { taintedText } from './taints.js';
import { noneOf, notMemberText } from './membership.js';
import type { ClusterExplanation, Explanation } from './verdict.js';

/** Why a cluster or a set is left out, as text. */

/** A cluster that fails rules: its verdict is the first of them, or Held. */
type FailingCluster = Pick<ClusterExplanation, 'cluster' | 'inDecision' | 'verdict' | 'causes' | 'unmet' | 'best'>;

/**
 * Why the cluster is not selected, or is held, for one that fails a rule; undefined for any other. With `before` it is about
 * what changed since.
 */
export function causeText(
  one: FailingCluster,
  { placement, decision }: Pick<Explanation, 'placement' | 'decision'>,
  before?: Before,
): string | undefined {
  switch (one.verdict === 'Held' ? one.causes[0] : one.verdict) {
    case 'Gone':
      return 'was deleted';
    case 'Deleting':
      return 'ManagedCluster is being deleted';
    case 'NotMember':
      return decision === undefined ? undefined : notIn(one, { placement, eligibility: decision.eligibility }, before);
    case 'NotMatched':
      return notMatchedText(one, before);
    case 'Moved':
      return decision?.move && moveText(decision.move, placement.rules);
    case 'Tainted':
      return taintedText(one, placement.rules);
    default:
      return undefined;
  }
}

/** Why a cluster leaves by a decision, or would leave where something keeps it; where `before` is known, by what changed since. */
export function leavingText(
  { cluster: name, cause }: Leaving,
  { placement, selected, before }: PlacementSnapshot,
  decision: Decision,
): string {
  const cluster = selected.get(name);
  if (cause === 'NotNeeded') return notNeededText(cluster, placement.rules);
  const isAsked = cause === 'NotMatched' && cluster !== undefined;
  const unmet = isAsked ? placement.rules.predicates.map((one) => [...unmetIn(one, cluster)]) : [];
  const one: FailingCluster = { cluster, inDecision: true, verdict: cause, causes: [], unmet, best: leastUnmet(unmet) };
  return causeText(one, { placement, decision }, before) ?? cause;
}

/** Characters of a cause. */
export const CAUSE_LIMIT = 160;

/** The names of clusters by why they leave or would leave, in at most 160 characters, in their order. */
export function leavingByText(
  clusters: readonly Leaving[],
  snapshot: PlacementSnapshot,
  decision: Decision,
): ReadonlyMap<string, readonly string[]> {
  const byText = new Map<string, string[]>();
  for (const one of clusters) {
    const text = clip(leavingText(one, snapshot, decision), CAUSE_LIMIT);
    const names = byText.get(text);
    if (names === undefined) byText.set(text, [one.cluster]);
    else names.push(one.cluster);
  }
  return byText;
}

function notIn(
  { cluster, inDecision }: FailingCluster,
  of: { readonly placement: PlacementView; readonly eligibility: Eligibility },
  before: Before | undefined,
): string {
  return cluster === undefined
    ? noneOf(of.eligibility.eligible)
    : notMemberText({ cluster, inDecision, ...of }, before);
}

/**
 * The first unmet requirement of the predicate that the cluster matched before, or of the best one where that is not known,
 * and how many more there are.
 */
function notMatchedText({ unmet, best = 0, cluster }: FailingCluster, before: Before | undefined): string | undefined {
  const matched = cluster === undefined ? [] : matchedBefore(cluster, before).map((index) => unmet[index] ?? []);
  const lists = matched.filter((list) => list.length > 0).sort((a, b) => a.length - b.length);
  const [first, ...more] = lists[0] ?? unmet[best] ?? [];
  if (first === undefined) return undefined;
  return more.length === 0 ? unmetText(first) : `${unmetText(first)} (and ${more.length} more)`;
}

/** The predicates that the cluster matched when the decision before was made. */
function matchedBefore(cluster: ClusterView, before: Before | undefined): readonly number[] {
  if (before === undefined) return [];
  const view = before.cluster(cluster.name) ?? cluster;
  return before.rules.predicates.flatMap((one, index) => (unmetIn(one, view).next().done === true ? [index] : []));
}
