import fc from 'fast-check';
import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { PlacementDecisions, Placements } from '../../../src/api/resources.js';
import { apiVersionOf } from '../../../src/runtime/vocabulary/kinds.js';
import { CLUSTER_SET_LABEL, PLACEMENT_LABEL } from '../../../src/api/names.js';
import { explainInputOf, worldOf, type World } from '../../../src/answers/world/world.js';
import type { ExplainInput } from '../../../src/domain/placement/explain/verdict.js';
import type { Taint } from '../../../src/domain/placement/spec/taint.js';
import { rawTaint, someTaints, someTolerations } from './taints.js';

/** Raw objects of a small hub, and arbitrary worlds of them, with Placement `web` in namespace `shop`. */

export const NAMESPACE = 'shop';
export const UID = '7f7f0000-0000-4000-8000-000000000001';

type Texts = Readonly<Record<string, string>>;

export interface ClusterFields {
  /** Value of the set label. */
  readonly set?: string | undefined;
  readonly labels?: Texts;
  readonly claims?: Texts;
  readonly deleting?: boolean;
  readonly taints?: readonly Taint[];
}

export function rawCluster(
  name: string,
  { set, labels = {}, claims = {}, deleting, taints = [] }: ClusterFields = {},
): RawObject {
  const clusterClaims = Object.entries(claims).map(([key, value]) => ({ name: key, value }));
  return {
    metadata: {
      name,
      labels: { ...labels, ...(set === undefined ? {} : { [CLUSTER_SET_LABEL]: set }) },
      ...deletion(deleting),
    },
    spec: taints.length === 0 ? {} : { taints: taints.map(rawTaint) },
    status: { clusterClaims },
  };
}

export function rawSet(name: string, clusterSelector?: unknown, deleting?: boolean): RawObject {
  return { metadata: { name, ...deletion(deleting) }, spec: clusterSelector === undefined ? {} : { clusterSelector } };
}

export function rawBinding(
  name: string,
  over: { clusterSet?: string; deleting?: boolean; namespace?: string } = {},
): RawObject {
  const { clusterSet = name, deleting, namespace = NAMESPACE } = over;
  return { metadata: { name, namespace, ...deletion(deleting) }, spec: { clusterSet } };
}

export function rawPlacement(spec: unknown, name = 'web'): RawObject {
  return { metadata: { name, namespace: NAMESPACE, uid: UID, generation: 1 }, spec };
}

/** Decision object n of Placement `web`. */
export function rawDecision(ordinal: number, clusters: readonly string[]): RawObject {
  const owner = {
    apiVersion: apiVersionOf(Placements),
    kind: Placements.kind,
    name: 'web',
    uid: UID,
    controller: true,
  };
  return {
    apiVersion: apiVersionOf(PlacementDecisions),
    kind: PlacementDecisions.kind,
    metadata: {
      name: `web-decision-${ordinal}`,
      namespace: NAMESPACE,
      labels: { [PLACEMENT_LABEL]: 'web' },
      ownerReferences: [owner],
    },
    status: { decisions: clusters.map((clusterName) => ({ clusterName, reason: '' })) },
  };
}

/** What the explanation of `web` is computed from. */
export function explainInput(world: World): ExplainInput {
  const input = explainInputOf(world, NAMESPACE, 'web');
  if (input === undefined) throw new Error('the world has no Placement web');
  return input;
}

/** A predicate from matchLabels and requirements on labels and claims. */
export function predicate(
  matchLabels: Texts,
  labels: readonly unknown[] = [],
  claims: readonly unknown[] = [],
): unknown {
  return {
    requiredClusterSelector: {
      labelSelector: { matchLabels, matchExpressions: labels },
      claimSelector: { matchExpressions: claims },
    },
  };
}

function deletion(deleting: boolean | undefined): { deletionTimestamp?: string } {
  return deleting === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
}

const SETS = ['edge', 'production', 'staging'];
const KEYS = ['tier', 'region', 'toString'];
const VALUES = ['gold', 'silver', 'eu'];
const CLUSTERS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];

const rarely = fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0);
const someTexts = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), { maxKeys: 3 });
const someRequirement = fc.oneof(
  fc.record({
    key: fc.constantFrom(...KEYS),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.subarray(VALUES, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ key: fc.constantFrom(...KEYS), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
);
const somePredicate = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), { maxKeys: 1 }),
    fc.array(someRequirement, { maxLength: 2 }),
    fc.array(someRequirement, { maxLength: 1 }),
  )
  .map(([matchLabels, labels, claims]) => predicate(matchLabels, labels, claims));
const someSpec = fc.record(
  {
    numberOfClusters: fc.oneof({ weight: 9, arbitrary: fc.nat(6) }, { weight: 1, arbitrary: fc.constant(-1) }),
    ClusterSets: fc.subarray([...SETS, 'nope']),
    predicates: fc.array(somePredicate, { maxLength: 3 }),
    tolerations: someTolerations,
    disruptionBudget: fc.record({ maxRemovals: fc.constantFrom(0, 1, 2, '20%', '50%') }),
  },
  { requiredKeys: [] },
);
const someSelector = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(...VALUES)
      .map((tier) => ({ selectorType: 'LabelSelector', labelSelector: { matchLabels: { tier } } })),
  },
  { weight: 1, arbitrary: fc.constant({ selectorType: 'Unheard' }) },
);
const someCluster = fc.record({
  set: fc.option(fc.constantFrom(...SETS, 'lost'), { nil: undefined }),
  labels: someTexts,
  claims: someTexts,
  deleting: rarely,
  taints: someTaints,
});

/** Some clusters, sets and bindings, Placement `web`, and a decision that may hold clusters which fail any rule. */
export const someWorld: fc.Arbitrary<World> = fc
  .tuple(
    someSpec,
    fc.tuple(
      ...CLUSTERS.map((name) => fc.option(someCluster, { nil: undefined }).map((fields) => [name, fields] as const)),
    ),
    fc.tuple(...SETS.map((name) => fc.tuple(fc.constant(name), someSelector, rarely, rarely))),
    fc.tuple(...SETS.map((name) => fc.tuple(fc.constant(name), rarely, rarely, rarely))),
    fc.subarray([...CLUSTERS, 'gone']),
  )
  .map(([spec, clusters, sets, bindings, decided]) =>
    worldOf({
      placements: [rawPlacement(spec)],
      placementdecisions: [rawDecision(1, decided.slice(0, 3)), rawDecision(2, decided.slice(3))],
      managedclusters: clusters.flatMap(([name, fields]) => (fields === undefined ? [] : [rawCluster(name, fields)])),
      managedclustersets: sets.flatMap(([name, selector, deleting, missing]) =>
        missing ? [] : [rawSet(name, selector, deleting)],
      ),
      managedclustersetbindings: bindings.flatMap(([name, deleting, missing, other]) =>
        missing ? [] : [rawBinding(name, { deleting, ...(other ? { clusterSet: 'edge' } : {}) })],
      ),
    }),
  );
