import { CLUSTER_SET_LABEL } from '../../../api/names.js';
import { nameList } from '../../conditions.js';
import { valueOf } from '../../selectors.js';
import type { Eligibility } from '../eligible.js';
import { absentSets, absentText } from '../facts/absentsets.js';
import { unmetText } from '../facts/requirementtext.js';
import type { PlacementView } from '../snapshot.js';
import { taintedText } from '../taints/text.js';
import type { ClusterExplanation, Explanation } from './verdict.js';

/** Why a cluster or a set is left out, as text. */

/** A cluster that fails rules: its verdict is the first of them, or Held. */
export type FailingCluster = Pick<
  ClusterExplanation,
  'cluster' | 'inDecision' | 'verdict' | 'causes' | 'unmet' | 'best'
>;

/** Why the cluster is not selected, or is held, for one that fails a rule; undefined for any other. */
export function causeText(
  one: FailingCluster,
  { placement, schedule }: Pick<Explanation, 'placement' | 'schedule'>,
): string | undefined {
  switch (one.verdict === 'Held' ? one.causes[0] : one.verdict) {
    case 'Gone':
      return 'was deleted';
    case 'Deleting':
      return 'ManagedCluster is being deleted';
    case 'NotMember':
      return schedule === undefined ? undefined : notMemberText(one, placement, schedule.eligibility);
    case 'NotMatched':
      return notMatchedText(one);
    case 'Tainted':
      return taintedText(one, placement.rules);
    default:
      return undefined;
  }
}

/** Why the set that the cluster's label names does not bring it in; else in which sets it would have to be. */
function notMemberText({ cluster }: FailingCluster, placement: PlacementView, eligibility: Eligibility): string {
  const set = cluster === undefined ? undefined : valueOf(cluster.labels, CLUSTER_SET_LABEL);
  return notFromText(set, placement, eligibility);
}

/** Why the set brings in no cluster; without a set, or for an eligible one, the sets that would. */
export function notFromText(
  set: string | undefined,
  { namespace, rules }: PlacementView,
  { bound, eligible, ignored }: Eligibility,
): string {
  if (set === undefined || eligible.includes(set)) return noneOf(eligible);
  if (bound.includes(set)) return `spec.ClusterSets does not name ${set}`;
  const [absent] = absentSets([set], { bound, eligible, ignored, unreadable: [] });
  return absent === undefined ? noneOf(rules.requested) : absentText(absent, namespace);
}

function noneOf(sets: readonly string[]): string {
  return sets.length === 0 ? 'no cluster set is eligible' : `in none of cluster sets ${nameList(sets)}`;
}

/** The first unmet requirement of the best predicate, and how many more there are. */
function notMatchedText({ unmet, best }: FailingCluster): string | undefined {
  const [first, ...more] = unmet[best ?? 0] ?? [];
  if (first === undefined) return undefined;
  return more.length === 0 ? unmetText(first) : `${unmetText(first)} (and ${more.length} more)`;
}
