import fc from 'fast-check';
import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { TAINTS } from '../../../src/api/names.js';
import type { Taint } from '../../../src/domain/placement/spec/taint.js';
import { worldOf, type World } from '../../../src/answers/world/world.js';
import type {
  ModelCluster,
  ModelConstraint,
  ModelCoordinate,
  ModelExpression,
  ModelSelector,
  ModelSpec,
  ModelValue,
} from '../scenario/checks/choice.js';
import { taint } from './taints.js';
import { NAMESPACE, rawBinding, rawCluster, rawDecision, rawPlacement, rawSet } from './world.js';

/** Arbitrary Placements with every field of scheduling, over a fleet of one set, and the raw objects of them. */

export interface SchedulingCase {
  readonly spec: ModelSpec;
  readonly clusters: readonly ModelCluster[];
  readonly before: readonly string[];
}

const REGIONS = ['eu', 'us', 'ap'];
const ZONES = ['a', 'b'];
const COSTS = ['0.2', '0.35', '500m', '1', '2', 'n/a'];
const VERSIONS = ['v1.29.4', 'v1.30.0', 'v1.30.2-gke.100', 'v1.31.1+k3s1', 'unknown'];

/** One of `values`, or none in about a quarter of the cases. */
function perhaps<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: 3 });
}

function texts(entries: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(entries).filter((one): one is [string, string] => one[1] !== undefined));
}

/** What a cluster is beside its name. */
export type Fields = Omit<ModelCluster, 'name'>;

export const someModelCluster: fc.Arbitrary<Fields> = fc
  .record({
    region: perhaps(fc.constantFrom(...REGIONS)),
    zone: perhaps(fc.constantFrom(...ZONES)),
    cost: perhaps(fc.constantFrom(...COSTS)),
    tier: perhaps(fc.constantFrom('gold', 'silver')),
    rank: perhaps(fc.constantFrom('1', '2', '30')),
    version: perhaps(fc.constantFrom(...VERSIONS)),
    cpu: perhaps(fc.constantFrom('4', '8', '16', '500m')),
    nodes: perhaps(fc.record({ total: fc.nat(5), ready: fc.nat(5) })),
    unpreferred: fc.constantFrom(0, 0, 0, 1, 2),
    others: fc.constantFrom(0, 0, 1, 2, 3),
  })
  .map(({ region, zone, cost, tier, rank, version, cpu, nodes, unpreferred, others }) => ({
    labels: texts({ zone, tier, rank }),
    // A published claim of the name of a fact is ignored.
    claims: texts({ region, cost, ...(cost === '1' ? { 'nodes/ready': '99', 'cluster-name': 'other' } : {}) }),
    unpreferred,
    others,
    ...(version === undefined ? {} : { version }),
    ...(cpu === undefined
      ? {}
      : { allocatable: { cpu, memory: `${cpu === '500m' ? 1 : cpu}Gi` }, capacity: { cpu: '32' } }),
    ...(nodes === undefined ? {} : { nodes }),
  }));

/** Up to `most` clusters with the names c0, c1, … */
export function someFleet(most: number): fc.Arbitrary<readonly ModelCluster[]> {
  return fc
    .array(someModelCluster, { maxLength: most })
    .map((list) => list.map((one, index) => ({ name: `c${index}`, ...one })));
}

const someClaim: fc.Arbitrary<ModelExpression> = fc.oneof(
  fc.record({
    key: fc.constant('cost'),
    operator: fc.constantFrom('Gt', 'Ge', 'Lt', 'Le'),
    values: fc.constantFrom('0.35', '0.5', '1', '350m').map((one) => [one]),
  }),
  fc.record({
    key: fc.constant('kubernetes-version'),
    operator: fc.constantFrom('Gt', 'Ge', 'Lt', 'Le'),
    values: fc.constantFrom('v1.30', 'v1.30.2', 'v1.29').map((one) => [one]),
  }),
  fc.record({
    key: fc.constantFrom('allocatable/cpu', 'nodes/ready', 'capacity/cpu'),
    operator: fc.constantFrom('Gt', 'Ge', 'Lt', 'Le'),
    values: fc.constantFrom('1', '4', '8').map((one) => [one]),
  }),
  fc.record({
    key: fc.constant('region'),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.subarray(REGIONS, { minLength: 1 }),
  }),
  fc.record({ key: fc.constantFrom('cost', 'nodes/total'), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  fc.record({
    key: fc.constant('cluster-name'),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.subarray(['c0', 'c1', 'c2', 'other'], { minLength: 1 }),
  }),
);

const someSelector: fc.Arbitrary<ModelSelector> = fc.record(
  {
    labelSelector: fc.record({ matchLabels: fc.constantFrom({}, { tier: 'gold' }, { zone: 'a' }) }),
    claimSelector: fc.record({ matchExpressions: fc.array(someClaim, { maxLength: 2 }) }),
  },
  { requiredKeys: [] },
);

const bounds = fc.constantFrom({}, {}, { min: '0', max: '2' }, { min: '300m', max: '1' });
const order = fc.constantFrom<ModelValue>(
  { name: '' },
  { name: '', order: 'Ascending' },
  { name: '', order: 'Descending' },
);

function someValue(names: readonly string[]): fc.Arbitrary<ModelValue> {
  return fc
    .tuple(order, bounds, fc.constantFrom(...names))
    .map(([one, between, name]) => ({ ...one, ...between, name }));
}

const someCoordinate: fc.Arbitrary<ModelCoordinate> = fc.oneof(
  fc
    .constantFrom('Balance', 'ResourceAllocatableCPU', 'ResourceAllocatableMemory', 'PredicateOrder')
    .map((builtIn) => ({ type: 'BuiltIn', builtIn })),
  someValue(['cost', 'allocatable/cpu', 'nodes/ready', 'nowhere']).map((claim) => ({ type: 'Claim', claim })),
  someValue(['rank', 'tier']).map((label) => ({ type: 'Label', label })),
  someSelector.map((selector) => ({ type: 'Selector', selector })),
);

const someConstraint: fc.Arbitrary<ModelConstraint> = fc
  .record(
    {
      topology: fc.constantFrom<readonly [string, 'Label' | 'Claim']>(
        ['region', 'Claim'],
        ['zone', 'Label'],
        ['kubernetes-version', 'Claim'],
      ),
      maxSkew: fc.constantFrom(1, 1, 2),
      whenUnsatisfiable: fc.constantFrom<'DoNotSchedule' | 'ScheduleAnyway'>('DoNotSchedule', 'ScheduleAnyway'),
      minDomains: fc.constantFrom(2, 3, 4),
    },
    { requiredKeys: ['topology'] },
  )
  .map(({ topology: [topologyKey, topologyKeyType], minDomains, ...rest }) => ({
    ...rest,
    topologyKey,
    topologyKeyType,
    ...(minDomains === undefined || rest.whenUnsatisfiable !== 'DoNotSchedule' ? {} : { minDomains }),
  }));

const somePredicates = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  {
    weight: 3,
    arbitrary: fc.array(
      someSelector.map((requiredClusterSelector) => ({ requiredClusterSelector })),
      { minLength: 1, maxLength: 3 },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.array(fc.record({ requiredClusterSelector: someSelector, numberOfClusters: fc.nat(4) }), {
      minLength: 1,
      maxLength: 3,
    }),
  },
);

export const someSchedulingSpec: fc.Arbitrary<ModelSpec> = fc
  .record({
    numberOfClusters: perhaps(fc.nat(8)),
    predicates: somePredicates,
    configurations: perhaps(
      fc.array(fc.tuple(someCoordinate, fc.constantFrom(undefined, -3, 0, 2, 10)), { minLength: 1, maxLength: 4 }),
    ),
    spread: perhaps(
      fc.uniqueArray(someConstraint, { minLength: 1, maxLength: 2, selector: ({ topologyKey }) => topologyKey }),
    ),
  })
  .map(({ numberOfClusters, predicates, configurations, spread }) => ({
    // A policy of spread needs a number.
    ...(numberOfClusters === undefined && spread === undefined ? {} : { numberOfClusters: numberOfClusters ?? 5 }),
    ...(predicates === undefined ? {} : { predicates }),
    ...(configurations === undefined
      ? {}
      : {
          prioritizerPolicy: {
            configurations: configurations.map(([scoreCoordinate, weight]) =>
              weight === undefined ? { scoreCoordinate } : { scoreCoordinate, weight },
            ),
          },
        }),
    ...(spread === undefined ? {} : { spreadPolicy: { spreadConstraints: spread } }),
  }));

/** The state of a cluster. Three in ten are silent or cordoned. */
export const someState: fc.Arbitrary<ModelCluster['state']> = fc.constantFrom(
  ...Array.from({ length: 7 }, () => undefined),
  ...(['silent', 'silent', 'cordoned'] as const),
);

/** A case with at most `most` clusters, some of which were selected before. `state`: in which each of them is. */
export function someScheduling(
  most: number,
  state: fc.Arbitrary<ModelCluster['state']> = fc.constant(undefined),
): fc.Arbitrary<SchedulingCase> {
  return fc
    .record({ spec: someSchedulingSpec, fleet: someFleet(most), states: fc.array(state, { minLength: most }) })
    .map(({ spec, fleet, states }) => ({
      spec,
      clusters: fleet.map((one, index) => (states[index] === undefined ? one : { ...one, state: states[index] })),
    }))
    .chain(({ spec, clusters }) =>
      fc
        .oneof(
          { weight: 1, arbitrary: fc.constant([]) },
          { weight: 3, arbitrary: fc.shuffledSubarray(clusters.map(({ name }) => name)) },
        )
        .map((before) => ({ spec, clusters, before })),
    );
}

const STATE_TAINTS: Readonly<Record<NonNullable<ModelCluster['state']>, Taint>> = {
  silent: taint(TAINTS.unreachable, { since: -1_000_000 }),
  cordoned: taint(TAINTS.cordoned, { effect: 'NoSelectIfNew' }),
};

/** The ManagedCluster in set `set`. */
export function rawOf(cluster: ModelCluster, set = 'edge'): RawObject {
  const { name, labels, claims, unpreferred, version, capacity, allocatable, nodes, state } = cluster;
  const of = state === undefined ? [] : [STATE_TAINTS[state]];
  const preferring = Array.from({ length: unpreferred }, (_one, index) => ({
    key: `taint-${index}`,
    value: '',
    effect: 'PreferNoSelect' as const,
    since: 0,
  }));
  const raw = rawCluster(name, { set, labels, claims, taints: [...preferring, ...of] });
  const facts = { version: version === undefined ? undefined : { kubernetes: version }, capacity, allocatable, nodes };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return { ...raw, status: { ...(raw.status as object), ...Object.fromEntries(known) } };
}

/** The hub: Placement `web` of the case, and three others whose decisions make up `others` of each cluster. */
export function schedulingWorld({ spec, clusters, before }: SchedulingCase): World {
  const placements = [1, 2, 3].map((number) => {
    const placement = rawPlacement({}, `other-${number}`);
    return { ...placement, metadata: { ...placement.metadata, uid: `uid-${number}` } };
  });
  const decisions = [1, 2, 3].map((number) => {
    const names = clusters.filter(({ others }) => others >= number).map(({ name }) => name);
    const decision = rawDecision(1, names);
    const [owner] = decision.metadata.ownerReferences ?? [];
    const name = `other-${number}`;
    const labels = Object.fromEntries(Object.keys(decision.metadata.labels ?? {}).map((key) => [key, name]));
    return {
      ...decision,
      metadata: {
        ...decision.metadata,
        name: `${name}-decision-1`,
        labels,
        ownerReferences: owner === undefined ? [] : [{ ...owner, name, uid: `uid-${number}` }],
      },
    };
  });
  return worldOf({
    placements: [rawPlacement(spec), ...placements],
    placementdecisions: [rawDecision(1, before), ...decisions],
    managedclusters: clusters.map((one) => rawOf(one)),
    managedclustersets: [rawSet('edge')],
    managedclustersetbindings: [rawBinding('edge')],
  });
}

/** The key of Placement `web`. */
export const WEB = `${NAMESPACE}/web`;
