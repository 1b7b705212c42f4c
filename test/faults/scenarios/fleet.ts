import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../../src/api/resources.js';
import { CLUSTER_SET_LABEL, PLACEMENT_LABEL } from '../../../src/api/names.js';
import type { PlacementSpec } from '../../../src/api/generated/placement.js';
import { apiVersionOf } from '../../../src/runtime/vocabulary/kinds.js';
import { TEAM } from '../hub/base.js';
import type { Hands } from '../hub/hands.js';
import { step, type Step } from '../scenario.js';

/** Sentences of scenarios about clusters, sets and Placements. */

export interface ClusterGiven {
  readonly labels?: Readonly<Record<string, string>>;
  readonly claims?: Readonly<Record<string, string>>;
  readonly set?: string;
}

/** Clusters of set `fleet`, which is bound to the team. `names`: letters, one each: `abc` are clusters a, b and c. */
export async function fleet(hands: Hands, names: string, given: ClusterGiven = {}): Promise<void> {
  await hands.create(setOf('fleet'));
  await hands.create(bindingOf('fleet'));
  for (const name of names) await addCluster(hands, name, given);
}

/** Clusters `golden` have the label tier=gold, and `silver` tier=silver. A letter each. */
export const tiers =
  (golden: string, silver = '') =>
  async (hands: Hands): Promise<void> => {
    await fleet(hands, golden, { labels: { tier: 'gold' } });
    for (const name of silver) await addCluster(hands, name, { labels: { tier: 'silver' } });
  };

export function setOf(name: string, spec: object = {}): Record<string, unknown> {
  return { apiVersion: apiVersionOf(ManagedClusterSets), kind: ManagedClusterSets.kind, metadata: { name }, spec };
}

export function bindingOf(set: string): Record<string, unknown> {
  const metadata = { name: set, namespace: TEAM };
  const kind = ManagedClusterSetBindings.kind;
  return { apiVersion: apiVersionOf(ManagedClusterSetBindings), kind, metadata, spec: { clusterSet: set } };
}

export async function addCluster(
  hands: Hands,
  name: string,
  { labels, claims, set = 'fleet' }: ClusterGiven,
): Promise<void> {
  const metadata = { name, labels: { [CLUSTER_SET_LABEL]: set, ...labels } };
  await hands.create({ apiVersion: apiVersionOf(ManagedClusters), kind: 'ManagedCluster', metadata, spec: {} });
  if (claims !== undefined) await setClaims(hands, name, claims);
}

export async function setClaims(hands: Hands, name: string, claims: Readonly<Record<string, string>>): Promise<void> {
  const clusterClaims = Object.entries(claims).map(([claim, value]) => ({ name: claim, value }));
  await hands.patch(ManagedClusters, { name }, { status: { clusterClaims } }, 'status');
}

export function placementOf(name: string, spec: PlacementSpec): Record<string, unknown> {
  return { apiVersion: apiVersionOf(Placements), kind: 'Placement', metadata: { name, namespace: TEAM }, spec };
}

/** `gold`: predicate for clusters with the label tier=gold. */
export const gold: NonNullable<PlacementSpec['predicates']> = [
  { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } },
];

export const place = (name: string, spec: PlacementSpec): Step =>
  step(`Placement ${name} is applied: ${JSON.stringify(spec)}`, (hands) => hands.put(placementOf(name, spec)));

export const unplace = (name: string): Step =>
  step(`Placement ${name} is deleted`, (hands) => hands.remove(Placements, { name, namespace: TEAM }));

export const join = (name: string, given: ClusterGiven = {}): Step =>
  step(`cluster ${name} joins`, (hands) => addCluster(hands, name, given));

export const leave = (name: string): Step =>
  step(`cluster ${name} is deleted`, (hands) => hands.remove(ManagedClusters, { name }));

/** `null` removes a label. */
export const label = (name: string, labels: Readonly<Record<string, string | null>>): Step =>
  step(`cluster ${name} has the labels ${JSON.stringify(labels)}`, (hands) =>
    hands.patch(ManagedClusters, { name }, { metadata: { labels } }),
  );

export const claim = (name: string, claims: Readonly<Record<string, string>>): Step =>
  step(`cluster ${name} reports ${JSON.stringify(claims)}`, (hands) => setClaims(hands, name, claims));

/** In the status of a cluster, beside its claims. */
export const report = (name: string, status: Readonly<Record<string, unknown>>): Step =>
  step(`cluster ${name} reports ${JSON.stringify(status)}`, (hands) =>
    hands.patch(ManagedClusters, { name }, { status }, 'status'),
  );

export const taint = (name: string, taints: readonly { readonly key: string; readonly effect: string }[]): Step =>
  step(`cluster ${name} has the taints ${JSON.stringify(taints)}`, (hands) =>
    hands.patch(ManagedClusters, { name }, { spec: { taints } }),
  );

export const unbind = (set: string): Step =>
  step(`set ${set} is no longer bound`, (hands) =>
    hands.remove(ManagedClusterSetBindings, { name: set, namespace: TEAM }),
  );

export const bind = (set: string): Step => step(`set ${set} is bound`, (hands) => hands.create(bindingOf(set)));

/** Somebody takes the label off an object of a decision. */
export const unlabelDecision = (name: string): Step =>
  step(`the label is taken off decision object ${name}`, (hands) =>
    hands.patch(PlacementDecisions, { name, namespace: TEAM }, { metadata: { labels: { [PLACEMENT_LABEL]: null } } }),
  );

/** Somebody deletes an object of a decision. */
export const deleteDecision = (name: string): Step =>
  step(`decision object ${name} is deleted`, (hands) => hands.remove(PlacementDecisions, { name, namespace: TEAM }));
