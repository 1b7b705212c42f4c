import { CLUSTER_SET_LABEL, TAINTS } from '../../../src/api/names.js';
import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import {
  chooseByTheBook,
  predicateOf,
  type ModelCluster,
  type ModelSelector,
  type ModelSpec,
  type Question,
} from '../../support/scenario/checks/choice.js';
import { condition, fields, items, keyOf, text, type Fields } from '../../support/scenario/checks/reading.js';

/** The second model of selection, on what is stored on a hub. Like the model itself, it shares no code with the product. */

/** What decisions are made of, as it is stored. */
export interface Stored {
  readonly placements: readonly RawObject[];
  readonly placementdecisions: readonly RawObject[];
  readonly managedclusters: readonly RawObject[];
  readonly managedclustersets: readonly RawObject[];
  readonly managedclustersetbindings: readonly RawObject[];
}

/** What is to be selected, sorted; or what of the Placement or its clusters the model does not cover. */
export type ByTheBook = { readonly selected: readonly string[] } | { readonly uncovered: string };

/** What the model does not cover: here, the run without faults is the only judge of who is selected. */
const UNCOVERED: readonly {
  readonly name: string;
  readonly has: (spec: Fields, clusters: readonly Fields[]) => boolean;
}[] = [
  ...['disruptionBudget', 'rebalance', 'changeWindows', 'paused'].map((name) => ({
    name,
    has: (spec: Fields) => spec[name] !== undefined,
  })),
  {
    name: 'celSelector',
    has: (spec) =>
      items(spec['predicates']).some((one) => fields(one['requiredClusterSelector'])['celSelector'] !== undefined),
  },
  {
    name: 'tolerationSeconds',
    has: (spec) => items(spec['tolerations']).some((one) => one['tolerationSeconds'] !== undefined),
  },
  { name: 'maintenance', has: (_, clusters) => clusters.some((one) => one['maintenance'] !== undefined) },
  {
    name: 'taints of health',
    has: (_, clusters) =>
      clusters.some((one) => items(one['taints']).some(({ key }) => Object.values<unknown>(TAINTS).includes(key))),
  },
  // The hub taints those that are silent, for a time that is tolerated, and those that have never joined.
  { name: 'agents', has: (_, clusters) => clusters.some((one) => one['hubAcceptsClient'] !== undefined) },
];

const HOLDS = ['RemovalsHeld', 'AdditionsHeld'];
/** Fields of sets by which clusters wait: {@link BoundsCheck} judges that. */
const TIMES = ['paused', 'changeWindows'];
const SELECTOR_TYPES: readonly unknown[] = ['ExclusiveClusterSetLabel', 'LabelSelector'];

/** The names of the clusters in the objects that the Placement owns, sorted. */
export function decisionOf({ placementdecisions }: Stored, { metadata: { uid } }: RawObject): readonly string[] {
  return placementdecisions
    .filter(({ metadata }) => metadata.ownerReferences?.some((one) => one.controller === true && one.uid === uid))
    .flatMap(({ status }) => items(fields(status)['decisions']).map((one) => text(one['clusterName'])))
    .sort();
}

/** What the Placement has to select now. `before`: what it selected, before something was changed. */
export function byTheBook(stored: Stored, placement: RawObject, before: readonly string[]): ByTheBook {
  const alive = stored.managedclusters.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  // A lost definition, a deletion in bulk and a budget that was taken out hold clusters without a field of the spec.
  const held = HOLDS.find((type) => condition(placement as never, type)['status'] === 'True');
  if (held !== undefined) return { uncovered: held };
  // The decision of a spec that cannot be read stays, but for clusters that are gone.
  if (condition(placement as never, 'PlacementSatisfied')['reason'] === 'Misconfigured')
    return { selected: before.filter((name) => alive.some(({ metadata }) => metadata.name === name)) };
  const specs = alive.map((one) => fields(one.spec));
  const times = TIMES.find((name) => stored.managedclustersets.some(({ spec }) => fields(spec)[name] !== undefined));
  if (times !== undefined) return { uncovered: `${times} of a set` };
  const types = stored.managedclustersets.map(({ spec }) => fields(fields(spec)['clusterSelector'])['selectorType']);
  const unread = types.find((type) => type !== undefined && !SELECTOR_TYPES.includes(type));
  if (unread !== undefined) return { uncovered: `selectorType ${JSON.stringify(unread)}` };
  const uncovered = UNCOVERED.find(({ has }) => has(fields(placement.spec), specs));
  if (uncovered !== undefined) return { uncovered: uncovered.name };
  const selectors = eligibleSets(stored, placement);
  const counts = selectionsBeside(stored, placement);
  const clusters = alive
    .filter((one) => selectors.some((selector) => matches(one, selector)) && !isRefused(one, placement))
    .map((one) => modelOf(one, placement, counts.get(one.metadata.name) ?? 0));
  return {
    selected: choose({ placement: keyOf(placement as never), spec: placement.spec as ModelSpec, clusters, before }),
  };
}

/** By question: the model is slow, and the steps of all runs of a scenario end alike. */
const answers = new Map<string, readonly string[]>();

function choose(question: Question): readonly string[] {
  const key = JSON.stringify(question);
  const selected = answers.get(key) ?? chooseByTheBook(question);
  answers.set(key, selected);
  return selected;
}

/** The selectors of the sets that the Placement may select from. */
function eligibleSets(
  { managedclustersets, managedclustersetbindings }: Stored,
  { metadata: { namespace }, spec }: RawObject,
): readonly ModelSelector[] {
  const bound = managedclustersetbindings
    .filter(({ metadata }) => metadata.namespace === namespace && metadata.deletionTimestamp === undefined)
    .filter((one) => fields(one.spec)['clusterSet'] === one.metadata.name)
    .map(({ metadata }) => metadata.name);
  const requested = fields(spec)['ClusterSets'];
  const isEligible = (name: string): boolean =>
    bound.includes(name) && (!Array.isArray(requested) || requested.length === 0 || requested.includes(name));
  return managedclustersets
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined && isEligible(metadata.name))
    .flatMap(({ metadata, spec: of }) => {
      const { selectorType, labelSelector } = fields(fields(of)['clusterSelector']);
      if (selectorType !== 'LabelSelector')
        return [{ labelSelector: { matchLabels: { [CLUSTER_SET_LABEL]: metadata.name } } }];
      // By its definition, a set of this type without a selector has no cluster.
      return labelSelector === undefined ? [] : [{ labelSelector: fields(labelSelector) }];
    });
}

function matches({ metadata }: RawObject, requiredClusterSelector: ModelSelector): boolean {
  const labels = metadata.labels ?? {};
  const cluster = { name: metadata.name, labels, claims: {}, unpreferred: 0, others: 0 };
  return predicateOf({ predicates: [{ requiredClusterSelector }] }, cluster) >= 0;
}

/** How many other Placements select each cluster. */
function selectionsBeside(stored: Stored, placement: RawObject): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const other of stored.placements)
    if (other !== placement)
      for (const name of decisionOf(stored, other)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function isRefused(cluster: RawObject, placement: RawObject): boolean {
  return taintsOf(cluster, placement, 'NoSelect').length > 0;
}

/** The taints of an effect that the Placement does not tolerate. */
function taintsOf({ spec }: RawObject, placement: RawObject, effect: string): readonly Fields[] {
  const tolerations = items(fields(placement.spec)['tolerations']);
  return items(fields(spec)['taints']).filter(
    (taint) =>
      taint['effect'] === effect &&
      !tolerations.some(
        (one) =>
          (text(one['key']) === '' || one['key'] === taint['key']) &&
          (text(one['effect']) === '' || one['effect'] === effect) &&
          (one['operator'] === 'Exists' || text(one['value']) === text(taint['value'])),
      ),
  );
}

function modelOf(cluster: RawObject, placement: RawObject, others: number): ModelCluster {
  const { clusterClaims, version, capacity, allocatable, nodes } = fields(cluster.status);
  const { kubernetes } = fields(version);
  const facts = { version: kubernetes, capacity, allocatable, nodes } as Partial<ModelCluster>;
  const isCordoned = taintsOf(cluster, placement, 'NoSelectIfNew').length > 0;
  return {
    name: cluster.metadata.name,
    labels: cluster.metadata.labels ?? {},
    claims: Object.fromEntries(items(clusterClaims).map(({ name, value }) => [text(name), text(value)])),
    unpreferred: taintsOf(cluster, placement, 'PreferNoSelect').length,
    others,
    ...facts,
    ...(isCordoned && { state: 'cordoned' }),
  };
}
