import { CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import type { ClaimSelectorRequirement, ClusterPredicate } from '../../../../src/api/generated/placement.js';
import { ManagedClusters, ManagedClusterSets, PlacementDecisions } from '../../../../src/api/resources.js';
import { apiVersionOf } from '../../../../src/runtime/vocabulary/kinds.js';
import { TEAM } from '../../hub/base.js';
import type { Hands } from '../../hub/hands.js';
import { step, type Step } from '../../scenario.js';
import { bindingOf } from '../fleet.js';

/** Sentences that only scenarios of selection need. */

export type Requirement = ClaimSelectorRequirement;

/** A predicate for clusters whose claims meet all of these. */
export function byClaims(...matchExpressions: Requirement[]): ClusterPredicate {
  return { requiredClusterSelector: { claimSelector: { matchExpressions } } };
}

/** A predicate for clusters of which these expressions of CEL are true. */
export function byExpressions(...celExpressions: string[]): ClusterPredicate {
  return { requiredClusterSelector: { celSelector: { celExpressions } } };
}

/** A predicate for clusters with these labels, of which it brings in `numberOfClusters`. */
export function byLabels(matchLabels: Readonly<Record<string, string>>, numberOfClusters?: number): ClusterPredicate {
  const requiredClusterSelector = { labelSelector: { matchLabels } };
  return { requiredClusterSelector, ...(numberOfClusters !== undefined && { numberOfClusters }) };
}

/** Set `name`, which is bound to the team. `tiers`: its members are the clusters of these tiers; absent: those with its label. */
export async function addSet(hands: Hands, name: string, tiers?: readonly string[]): Promise<void> {
  const clusterSelector = tiers === undefined ? undefined : selectorOf(tiers);
  await hands.create({
    apiVersion: apiVersionOf(ManagedClusterSets),
    kind: ManagedClusterSets.kind,
    metadata: { name },
    spec: { clusterSelector },
  });
  await hands.create(bindingOf(name));
}

function selectorOf(tiers: readonly string[]): object {
  const matchExpressions = [{ key: 'tier', operator: 'In', values: tiers }];
  return { selectorType: 'LabelSelector', labelSelector: { matchExpressions } };
}

export const reselect = (set: string, tiers: readonly string[]): Step =>
  step(`set ${set} selects the tiers ${tiers.join(', ')}`, (hands) =>
    hands.patch(ManagedClusterSets, { name: set }, { spec: { clusterSelector: selectorOf(tiers) } }),
  );

export const move = (name: string, set: string): Step =>
  step(`cluster ${name} moves to set ${set}`, (hands) =>
    hands.patch(ManagedClusters, { name }, { metadata: { labels: { [CLUSTER_SET_LABEL]: set } } }),
  );

/** Somebody writes another list into an object of a decision. */
export const editDecision = (name: string, clusters: string): Step =>
  step(`somebody writes ${clusters === '' ? 'nobody' : clusters} into decision object ${name}`, (hands) => {
    const decisions = Array.from(clusters, (clusterName) => ({ clusterName, reason: '' }));
    return hands.patch(PlacementDecisions, { name, namespace: TEAM }, { status: { decisions } });
  });
