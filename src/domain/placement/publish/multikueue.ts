import { FOLLOWS_PLACEMENT_ANNOTATION } from '../../../api/names.js';
import type { MultiKueueEvent } from '../../../api/placementevents.js';
import type { KubeObject, ObjectMeta } from '../../../runtime/vocabulary/meta.js';
import { scorerOf } from '../select/scores.js';
import { byRank, clusterHash, pairHash, seedOf } from '../select/rank.js';
import { problemText } from '../../conditions.js';
import type { ClusterView } from '../spec/cluster.js';
import type { PlacementRules } from '../spec/predicates.js';
import { sameList } from '../stored/items.js';

/**
 * The clusters of a decision in a MultiKueueConfig of Kueue. Whoever may edit the config, which has no namespace, decides by an
 * annotation on it which Placement it follows: an edit of a Placement cannot make a config follow it.
 */

/** How many clusters Kueue takes; it takes no empty list either. */
const MOST_KUEUE_CLUSTERS = 20;

export interface MultiKueueConfig extends KubeObject {
  spec?: { clusters: string[] };
}

/** The Placement that a config follows. */
export type Followed =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed'; readonly value: string }
  | { readonly kind: 'placement'; readonly namespace: string; readonly name: string };

/** The clusters of a decision, those of them without a ManagedCluster, and what the config lists. */
export interface DecidedClusters {
  readonly selected: readonly ClusterView[];
  readonly gone: ReadonlySet<string>;
  readonly listed: readonly string[];
}

/** What a config is to list, and why that is not the whole decision, best first; `clusters` undefined: what it lists stays. */
export interface FollowedClusters {
  readonly clusters: readonly string[] | undefined;
  readonly problem: FollowingProblem | undefined;
}

export interface FollowingProblem {
  readonly reason: MultiKueueEvent;
  readonly text: string;
}

export function followedPlacement({ annotations = {} }: ObjectMeta): Followed {
  const value = annotations[FOLLOWS_PLACEMENT_ANNOTATION];
  if (value === undefined) return { kind: 'none' };
  const [namespace = '', name = '', ...others] = value.split('/');
  if (namespace === '' || name === '' || others.length > 0) return { kind: 'malformed', value };
  return { kind: 'placement', namespace, name };
}

/** What a config lists stays. */
export function notFollowed(text: string): FollowedClusters {
  return { clusters: undefined, problem: { reason: 'DecisionNotFollowed', text } };
}

/**
 * The best {@link MOST_KUEUE_CLUSTERS} of the selected clusters, best first: by the higher score, then by rank. A coordinate
 * without `min` and `max` has the selected clusters as its range, and `Balance` does not count: neither needs the rest of the
 * fleet to be read. An invalid spec has no scores: the order of `listed`, which the config has, stays. So it does for `gone`,
 * clusters without a ManagedCluster that are held in the decision: they come last, since nothing is known of them.
 */
export function kueueClusters(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  rules: PlacementRules,
  { selected, gone, listed }: DecidedClusters,
): FollowedClusters {
  const placement = `Placement ${namespace}/${name}`;
  if (selected.length === 0)
    return notFollowed(
      `the decision of ${placement} is empty, and a MultiKueueConfig cannot be: it keeps its clusters`,
    );
  const scorer = scorerOf(rules, { matching: () => selected, othersSelecting: () => 0 });
  const places = new Map(listed.map((cluster, at) => [cluster, -at]));
  const seed = seedOf(namespace, name);
  const ordered = selected
    .map((cluster) => {
      const isGone = gone.has(cluster.name);
      const keepsPlace = isGone || rules.problem !== undefined;
      const score = keepsPlace ? (places.get(cluster.name) ?? -places.size) : (scorer?.total(cluster) ?? 0);
      return { ranked: { name: cluster.name, pairHash: pairHash(seed, clusterHash(cluster.name)) }, isGone, score };
    })
    .sort((a, b) => Number(a.isGone) - Number(b.isGone) || b.score - a.score || byRank(a.ranked, b.ranked))
    .map(({ ranked }) => ranked.name);
  const clusters = ordered.slice(0, MOST_KUEUE_CLUSTERS);
  if (ordered.length > clusters.length) {
    const first =
      rules.problem === undefined ? 'the best' : 'the first in the order that it has, since the spec is invalid';
    const text = `the decision of ${placement} has ${ordered.length} clusters, and a MultiKueueConfig takes ${MOST_KUEUE_CLUSTERS}: it lists ${first}`;
    return { ...notFollowed(text), clusters };
  }
  if (rules.problem === undefined) return { clusters, problem: undefined };
  const text = `the spec of ${placement} is invalid: ${problemText(rules.problem)}; the clusters of its decision stay in the order that they have`;
  return { clusters, problem: { reason: 'OrderNotFollowed', text } };
}

/** The config with these clusters; undefined where it lists them, in this order, already. */
export function withClusters(stored: MultiKueueConfig, clusters: readonly string[]): MultiKueueConfig | undefined {
  const isSame = sameList(stored.spec?.clusters ?? [], clusters);
  return isSame ? undefined : { ...stored, spec: { ...stored.spec, clusters: [...clusters] } };
}
