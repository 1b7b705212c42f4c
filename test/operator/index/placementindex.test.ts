import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CLUSTER_SET_LABEL } from '../../../src/api/names.js';
import { setView } from '../../../src/domain/placement/select/eligible.js';
import { PlacementIndex } from '../../../src/operator/index/placementindex.js';
import type { ClusterEffects } from '../../../src/operator/index/affected.js';
import type { Reading } from '../../../src/operator/index/reading.js';
import { compileSpec } from '../../../src/domain/placement/spec/predicates.js';
import type { BindingView, ClusterView } from '../../../src/domain/placement/select/snapshot.js';
import { binding, cluster, publishedLists } from '../../support/builders/placement.js';
import { someTaints, someTolerations, taint } from '../../support/builders/taints.js';
import type { Taint } from '../../../src/domain/placement/spec/taint.js';
import { Model } from './model.js';
import { runs } from '../../support/runs.js';

type Event =
  | { readonly kind: 'cluster'; readonly view: ClusterView }
  | { readonly kind: 'clusterGone'; readonly name: string }
  | { readonly kind: 'set'; readonly name: string; readonly deleting: boolean; readonly spec: unknown }
  | { readonly kind: 'setGone'; readonly name: string }
  | { readonly kind: 'binding'; readonly namespace: string; readonly view: BindingView }
  | { readonly kind: 'bindingGone'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'placement'; readonly key: string; readonly namespace: string; readonly spec: unknown }
  | { readonly kind: 'placementGone'; readonly key: string }
  | { readonly kind: 'reconcile'; readonly key: string };

/** Applies an event to the model and to the index; returns the keys that the index reports. */
function fold(model: Model, index: PlacementIndex, event: Event): readonly string[] {
  switch (event.kind) {
    case 'cluster':
      model.clusters.set(event.view.name, event.view);
      return reportedBy(index.upsertCluster(event.view));
    case 'clusterGone':
      model.clusters.delete(event.name);
      return reportedBy(index.removeCluster(event.name));
    case 'set':
      model.sets.set(event.name, event);
      return index.upsertSet({
        ...setView({ metadata: { name: event.name }, spec: event.spec }),
        deleting: event.deleting,
      });
    case 'setGone':
      model.sets.delete(event.name);
      return index.removeSet(event.name);
    case 'binding':
      model.bindings.set(
        event.namespace,
        new Map(model.bindings.get(event.namespace)).set(event.view.name, event.view),
      );
      return index.upsertBinding(event.namespace, event.view);
    case 'bindingGone':
      model.bindings.get(event.namespace)?.delete(event.name);
      return index.removeBinding(event.namespace, event.name);
    default:
      return foldPlacement(model, index, event);
  }
}

/** Those of which a pass follows, now or later. */
function reportedBy({ placements, delayed }: ClusterEffects): readonly string[] {
  return [...placements, ...delayed.map(({ key }) => key)];
}

function foldPlacement(model: Model, index: PlacementIndex, event: Extract<Event, { key: string }>): readonly string[] {
  if (event.kind === 'placement') {
    const published = model.placements.get(event.key)?.published ?? publishedLists([]);
    model.placements.set(event.key, { namespace: event.namespace, spec: event.spec, published, pending: true });
    index.upsertPlacement(event.key, { namespace: event.namespace, rules: compileSpec(event.spec) });
  } else if (event.kind === 'placementGone') {
    model.placements.delete(event.key);
    index.removePlacement(event.key);
  } else if (model.placements.has(event.key)) {
    const reading = begun(index, event.key);
    // A pass reads those that the decision names: it is told of a later change of one that waits.
    reading.clusters(clusterNames);
    expect(reading.commit(model.reconcile(event.key)).isStale).toBe(false);
  }
  return [];
}

const clusterNames = ['c1', 'c2', 'c3', 'c4', 'c5'];
const setNames = ['s1', 's2', 's3'];
const namespaces = ['n1', 'n2'];
const keys = ['n1/a', 'n1/b', 'n2/a', 'n2/b'];
const values = ['x', 'y', 'z'];
const someLabels = fc.record(
  {
    region: fc.constantFrom(...values),
    tier: fc.constantFrom(...values),
    [CLUSTER_SET_LABEL]: fc.constantFrom(...setNames),
  },
  { requiredKeys: [] },
);
const someClaims = fc.record(
  { region: fc.constantFrom(...values), cpu: fc.constantFrom(...values, '2', '3', '4') },
  { requiredKeys: [] },
);
const someExpression = fc.oneof(
  fc.record({
    key: fc.constantFrom('region', 'tier', 'cpu'),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.subarray(values, { minLength: 1 }),
  }),
  fc.record({ key: fc.constantFrom('region', 'tier', 'cpu'), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
);
const someComparison = fc.record({
  key: fc.constantFrom('region', 'cpu'),
  operator: fc.constantFrom('Gt', 'Ge', 'Lt', 'Le'),
  values: fc.constantFrom('2', '3', '2500m').map((value) => [value]),
});
const someClaimSelector = fc.record({
  matchExpressions: fc.array(fc.oneof(someExpression, someComparison), { maxLength: 2 }),
});
const someSelector = fc.record({ matchExpressions: fc.array(someExpression, { maxLength: 2 }) });
const someExpressions = fc.subarray([
  'managedCluster.metadata.labels.region == "x"',
  'managedCluster.status.clusterClaims.exists(c, c.name == "cpu" && c.value > "2")',
  'managedCluster.metadata.annotations.?owner.orValue("") != "a"',
]);
const somePredicate = fc.record({
  requiredClusterSelector: fc.record(
    {
      labelSelector: someSelector,
      claimSelector: someClaimSelector,
      celSelector: fc.record({ celExpressions: someExpressions }),
    },
    { requiredKeys: [] },
  ),
});
const someConstraint = fc.constantFrom('region', 'tier').chain((topologyKey) =>
  fc.record({
    topologyKey: fc.constant(topologyKey),
    topologyKeyType: fc.constantFrom('Claim', 'Label'),
    whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
  }),
);
/** Numbers of predicates, and spread. */
const someChoice = fc.record(
  {
    numberOfClusters: fc.nat(4),
    predicates: fc.array(
      fc.tuple(somePredicate, fc.nat(2)).map(([one, numberOfClusters]) => ({ ...one, numberOfClusters })),
      { minLength: 1, maxLength: 2 },
    ),
    tolerations: someTolerations,
    spreadPolicy: fc
      .uniqueArray(someConstraint, { maxLength: 2, selector: ({ topologyKey }) => topologyKey })
      .map((spreadConstraints) => ({ spreadConstraints })),
    rebalance: fc.constant({ scoreMargin: 1, minSelectedSeconds: 0 }),
  },
  { requiredKeys: ['predicates'] },
);
const broken = {
  predicates: [{ requiredClusterSelector: { labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } } }],
};
const somePolicy = fc.record({
  configurations: fc.subarray([
    { scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } },
    { scoreCoordinate: { type: 'BuiltIn', builtIn: 'PredicateOrder' }, weight: -2 },
    { scoreCoordinate: { type: 'Claim', claim: { name: 'cpu', order: 'Ascending' } }, weight: 3 },
    { scoreCoordinate: { type: 'Selector', selector: { labelSelector: { matchLabels: { region: 'x' } } } } },
  ]),
});
const someGroup = fc.record({ labelSelector: someSelector, claimSelector: someClaimSelector }, { requiredKeys: [] });
const someStrategy = fc.record({
  groupStrategy: fc.record({
    decisionGroups: fc.array(someGroup, { maxLength: 2 }).map((selectors) => {
      return selectors.map((groupClusterSelector, index) => ({ groupName: `g${index}`, groupClusterSelector }));
    }),
  }),
});
function timed(spec: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return fc.tuple(spec, someTimes).map(([one, times]) => ({ ...one, ...times }));
}

/** Outside of all windows, and paused. */
const someTimes = fc.constantFrom<object[]>(
  {},
  {},
  {},
  { changeWindows: [{ start: 'Mon 10:00', duration: '1h', timeZone: 'UTC' }] },
  { paused: true },
);
const someSpec = fc.oneof(
  {
    weight: 6,
    arbitrary: timed(
      fc.record(
        {
          ClusterSets: fc.subarray(setNames),
          numberOfClusters: fc.nat(3),
          predicates: fc.array(somePredicate, { maxLength: 2 }),
          tolerations: someTolerations,
          prioritizerPolicy: somePolicy,
          decisionStrategy: someStrategy,
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { weight: 4, arbitrary: timed(someChoice) },
  { weight: 2, arbitrary: fc.constant(broken) },
);
const someSetSpec = timed(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    {
      weight: 4,
      arbitrary: fc.record({
        clusterSelector: fc.record({ selectorType: fc.constant('LabelSelector'), labelSelector: someSelector }),
      }),
    },
    { weight: 3, arbitrary: fc.constant({ clusterSelector: { selectorType: 'Sorting' } }) },
  ),
);
const rarely = fc.nat(5).map((n) => n === 0);
const someCluster = fc.record({
  name: fc.constantFrom(...clusterNames),
  deleting: rarely,
  labels: someLabels,
  claims: someClaims,
  annotations: fc.constantFrom({}, { owner: 'a' }, { owner: 'b' }),
  taints: someTaints,
});
const someEvent: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: someCluster.map((over) => ({ kind: 'cluster' as const, view: cluster(over.name, over) })) },
  { weight: 4, arbitrary: fc.constantFrom(...clusterNames).map((name) => ({ kind: 'clusterGone' as const, name })) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      name: fc.constantFrom(...setNames),
      deleting: rarely,
      spec: someSetSpec,
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom(...setNames).map((name) => ({ kind: 'setGone' as const, name })) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('binding' as const),
      namespace: fc.constantFrom(...namespaces),
      view: fc
        .tuple(fc.constantFrom(...setNames), rarely, rarely)
        .map(([name, deleting, other]) => binding(name, { deleting, ...(other ? { clusterSet: 's1' } : {}) })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('bindingGone' as const),
      namespace: fc.constantFrom(...namespaces),
      name: fc.constantFrom(...setNames),
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ key: fc.constantFrom(...keys), spec: someSpec })
      .map(({ key, spec }) => ({ kind: 'placement' as const, key, namespace: key.slice(0, 2), spec })),
  },
  { weight: 1, arbitrary: fc.constantFrom(...keys).map((key) => ({ kind: 'placementGone' as const, key })) },
  { weight: 14, arbitrary: fc.constantFrom(...keys).map((key) => ({ kind: 'reconcile' as const, key })) },
);

const reconciles = keys.map((key): Event => ({ kind: 'reconcile', key }));

/**
 * A world to begin with: each Placement has been reconciled, and some are misconfigured since, with clusters in their
 * decisions.
 */
const someOpening: fc.Arbitrary<Event[]> = fc
  .tuple(
    fc.tuple(
      ...setNames.map((name) => someSetSpec.map((spec): Event => ({ kind: 'set', name, deleting: false, spec }))),
    ),
    fc.tuple(
      ...clusterNames.map((name) =>
        someCluster.map((over): Event => ({ kind: 'cluster', view: cluster(name, { ...over, name }) })),
      ),
    ),
    fc.tuple(
      ...keys.map((key) =>
        someSpec.map((spec): Event => ({ kind: 'placement', key, namespace: key.slice(0, 2), spec })),
      ),
    ),
    fc
      .subarray(keys, { maxLength: 2 })
      .map((some) => some.map((key): Event => ({ kind: 'placement', key, namespace: key.slice(0, 2), spec: broken }))),
  )
  .map(([sets, clusters, placements, misconfigured]) => [
    ...namespaces.flatMap((namespace) =>
      setNames.map((name): Event => ({ kind: 'binding', namespace, view: binding(name) })),
    ),
    ...sets,
    ...clusters,
    ...placements,
    ...reconciles,
    ...misconfigured,
    ...reconciles,
  ]);

function tracked(): PlacementIndex {
  const index = new PlacementIndex();
  index.tracking = true;
  return index;
}

function begun(index: PlacementIndex, key: string): Reading {
  const reading = index.begin(key);
  if (reading === undefined) throw new Error(`the index has no Placement ${key}`);
  return reading;
}

/** An index with set `fleet` bound to `team`, the given clusters in it, and one Placement that has been reconciled. */
function reconciled(spec: unknown, ...clusters: readonly ClusterView[]): PlacementIndex {
  const index = tracked();
  index.upsertSet({ name: 'fleet', deleting: false, selector: { kind: 'exclusive' } });
  index.upsertBinding('team', binding('fleet'));
  for (const one of clusters) index.upsertCluster(one);
  index.upsertPlacement('team/web', { namespace: 'team', rules: compileSpec(spec) });
  begun(index, 'team/web');
  return index;
}

function inFleet(name: string, over: Partial<ClusterView> = {}): ClusterView {
  return cluster(name, { ...over, labels: { [CLUSTER_SET_LABEL]: 'fleet', ...over.labels } });
}

const wantsEu = { predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { region: 'eu' } } } }] };
const wantsAws = {
  predicates: [
    {
      requiredClusterSelector: {
        claimSelector: { matchExpressions: [{ key: 'platform', operator: 'In', values: ['aws'] }] },
      },
    },
  ],
};

const wantsCheap = {
  predicates: [
    {
      requiredClusterSelector: {
        claimSelector: { matchExpressions: [{ key: 'cost', operator: 'Lt', values: ['0.35'] }] },
      },
    },
  ],
};

describe('PlacementIndex', () => {
  it.each<[string, unknown, ClusterView, ClusterView | string, readonly string[]]>([
    [
      'no Placement after a change: a label that no Placement names',
      wantsEu,
      inFleet('a'),
      inFleet('a', { labels: { colour: 'red' } }),
      [],
    ],
    [
      'no Placement after a change: a value that no Placement names',
      wantsEu,
      inFleet('a', { labels: { region: 'us' } }),
      inFleet('a', { labels: { region: 'asia' } }),
      [],
    ],
    [
      'the Placement after a change: a label that begins to match',
      wantsEu,
      inFleet('a'),
      inFleet('a', { labels: { region: 'eu' } }),
      ['team/web'],
    ],
    [
      'the Placement after a change: a label that ceases to match',
      wantsEu,
      inFleet('a', { labels: { region: 'eu' } }),
      inFleet('a'),
      ['team/web'],
    ],
    [
      'no Placement after a change: the same labels and claims again, as a heartbeat is',
      wantsAws,
      inFleet('a', { claims: { platform: 'aws' } }),
      inFleet('a', { claims: { platform: 'aws' } }),
      [],
    ],
    [
      'no Placement after a change: a claim that no Placement names',
      wantsAws,
      inFleet('a'),
      inFleet('a', { claims: { region: 'eu' } }),
      [],
    ],
    [
      'the Placement after a change: a claim that begins to match',
      wantsAws,
      inFleet('a'),
      inFleet('a', { claims: { platform: 'aws' } }),
      ['team/web'],
    ],
    [
      'no Placement after a change: a label of that name where a claim is named and matches',
      wantsAws,
      inFleet('a', { claims: { platform: 'aws' } }),
      inFleet('a', { claims: { platform: 'aws' }, labels: { platform: 'aws' } }),
      [],
    ],
    [
      'the Placement after a change: a claim that passes the bound of a comparison',
      wantsCheap,
      inFleet('a', { claims: { cost: '0.4' } }),
      inFleet('a', { claims: { cost: '0.3' } }),
      ['team/web'],
    ],
    [
      'no Placement after a change: a claim that stays below the bound of a comparison',
      wantsCheap,
      inFleet('a', { claims: { cost: '0.34' } }),
      inFleet('a', { claims: { cost: '0.3' } }),
      [],
    ],
    [
      'the Placement after a change: the first label of the name of a claim that nobody has',
      wantsAws,
      inFleet('a'),
      inFleet('a', { labels: { platform: 'aws' } }),
      ['team/web'],
    ],
    [
      'the Placement after a change: the first cluster with a key that nobody had, and another value',
      wantsEu,
      inFleet('a'),
      inFleet('a', { labels: { region: 'us' } }),
      ['team/web'],
    ],
    [
      'the Placement after a change: the end of the only cluster with a key',
      wantsEu,
      inFleet('a', { labels: { region: 'us' } }),
      'a',
      ['team/web'],
    ],
    [
      'the Placement after a change: a cluster with a key that nobody had joins the set',
      wantsEu,
      cluster('a', { labels: { region: 'us' } }),
      inFleet('a', { labels: { region: 'us' } }),
      ['team/web'],
    ],
    [
      'the Placement after a change: a second predicate that begins to match a cluster, where too few match',
      { ...wantsEu, predicates: [...wantsEu.predicates, ...wantsAws.predicates], numberOfClusters: 2 },
      inFleet('a', { labels: { region: 'eu' } }),
      inFleet('a', { labels: { region: 'eu' }, claims: { platform: 'aws' } }),
      ['team/web'],
    ],
    [
      'no Placement after a change: a key that nobody had, where enough clusters match',
      { predicates: [...wantsEu.predicates, ...wantsAws.predicates], numberOfClusters: 1 },
      inFleet('a', { labels: { region: 'eu' } }),
      inFleet('a', { labels: { region: 'eu' }, claims: { platform: 'azure' } }),
      [],
    ],
    ['the Placement after a change: the end of a cluster that matches', {}, inFleet('a'), 'a', ['team/web']],
    [
      'the Placement after a change: the deletion of a cluster that matches',
      {},
      inFleet('a'),
      inFleet('a', { deleting: true }),
      ['team/web'],
    ],
    [
      'no Placement after a change: the end of a cluster that does not match, not the last',
      wantsEu,
      inFleet('a'),
      'a',
      [],
    ],
    [
      'no Placement after a change: a match in a set that is not bound',
      wantsEu,
      cluster('a'),
      cluster('a', { labels: { region: 'eu' } }),
      [],
    ],
    ['the Placement after a change: a move into a bound set', {}, cluster('a'), inFleet('a'), ['team/web']],
    ['the Placement after a change: a move out of a bound set', {}, inFleet('a'), cluster('a'), ['team/web']],
  ])('the placement index reports %s', (_sentence, spec, before, after, named) => {
    const index = reconciled(spec, before, inFleet('other'));

    const reported =
      typeof after === 'string' ? index.removeCluster(after).placements : index.upsertCluster(after).placements;

    expect(reported).toEqual(named);
  });

  it('the placement index notes once that a score of a Placement with moves may have changed, and only of a candidate', () => {
    const scored = {
      rebalance: { scoreMargin: 20, intervalSeconds: 30 },
      prioritizerPolicy: {
        configurations: [{ scoreCoordinate: { type: 'Claim', claim: { name: 'cost' } } }],
      },
    };
    const index = reconciled(
      scored,
      inFleet('a', { claims: { cost: '1' } }),
      cluster('other', { claims: { cost: '1' } }),
    );
    const cost = (name: string, value: string): unknown =>
      index.upsertCluster((name === 'a' ? inFleet : cluster)(name, { claims: { cost: value } }));

    expect(cost('other', '2')).toMatchObject({ placements: [], delayed: [] });
    expect(cost('a', '2')).toMatchObject({ placements: [], delayed: [{ key: 'team/web', afterMs: 30_000 }] });
    expect(cost('a', '3')).toMatchObject({ placements: [], delayed: [] });
    begun(index, 'team/web');
    expect(cost('a', '4')).toMatchObject({ placements: [], delayed: [{ key: 'team/web', afterMs: 30_000 }] });
  });

  it('the placement index reports a Placement once until it is reconciled', () => {
    const index = reconciled(wantsEu, inFleet('a'), inFleet('b'));

    expect(index.upsertCluster(inFleet('a', { labels: { region: 'eu' } })).placements).toEqual(['team/web']);
    expect(index.upsertCluster(inFleet('b', { labels: { region: 'eu' } })).placements).toEqual([]);
    begun(index, 'team/web');
    expect(index.upsertCluster(inFleet('b')).placements).toEqual(['team/web']);
  });

  it('the placement index reports no Placement while it is not tracking, and still applies changes', () => {
    const index = reconciled({}, inFleet('a'));
    index.tracking = false;

    expect(index.upsertCluster(inFleet('b')).placements).toEqual([]);
    expect(index.removeSet('other')).toEqual([]);
    expect([...begun(index, 'team/web').candidates.matched].map((one) => one.name)).toEqual(['a', 'b']);
  });

  it('the placement index reports the misconfigured Placement whose decision may hold a cluster that is being deleted', () => {
    const index = reconciled(broken, cluster('a'));

    expect(index.upsertCluster(cluster('a', { deleting: true })).placements).toEqual(['team/web']);
  });

  it('the placement index reports the misconfigured Placement whose decision may hold a cluster that is gone without an event of its deletion', () => {
    const index = reconciled(broken, cluster('a'));

    expect(index.removeCluster('a').placements).toEqual(['team/web']);
  });

  it('the placement index reports the Placement with an unreadable set whose decision may hold a cluster that is gone', () => {
    const index = reconciled({}, cluster('a'));
    index.upsertSet(setView({ metadata: { name: 'odd' }, spec: { clusterSelector: { selectorType: 'Sorting' } } }));
    index.upsertBinding('team', binding('odd'));
    begun(index, 'team/web');

    expect(index.removeCluster('a').placements).toEqual(['team/web']);
  });

  it('the placement index reports no Placement for the end of a cluster whose deletion was reported before', () => {
    const index = reconciled(broken, cluster('a', { deleting: true }));

    expect(index.removeCluster('a').placements).toEqual([]);
  });

  it('the placement index reports no Placement of another namespace', () => {
    const index = reconciled({}, inFleet('a'));
    index.upsertPlacement('other/web', { namespace: 'other', rules: compileSpec({}) });
    begun(index, 'other/web');

    expect(index.upsertCluster(inFleet('b')).placements).toEqual(['team/web']);
    expect(index.upsertBinding('other', binding('fleet'))).toEqual(['other/web']);
  });

  it('the placement index returns the sets whose members changed, tracking or not', () => {
    const index = reconciled({}, inFleet('a'));
    index.tracking = false;

    expect(index.upsertCluster(inFleet('b')).sets).toEqual(['fleet']);
    expect(index.upsertCluster(inFleet('b', { claims: { cpu: '8' } })).sets).toEqual([]);
    expect(index.upsertCluster(inFleet('b', { deleting: true })).sets).toEqual(['fleet']);
    expect(index.removeCluster('b').sets).toEqual(['fleet']);
    expect(index.removeCluster('b').sets).toEqual([]);
  });

  it('the placement index returns candidates that stay as they were when clusters are removed and others take their ordinals', () => {
    const index = reconciled({}, inFleet('a'), inFleet('b'), inFleet('c'));
    const before = begun(index, 'team/web').candidates;
    const { count, matched } = before;

    index.removeCluster('a');
    index.removeCluster('b');
    index.upsertCluster(inFleet('new'));
    index.upsertCluster(inFleet('a'));

    expect([count, matched.size]).toEqual([3, 3]);
    expect([...matched].map((one) => one.name)).toEqual(['a', 'b', 'c']);
    for (const clusters of [matched, before]) {
      expect(['a', 'b', 'c', 'new', 'unknown'].filter((name) => clusters.has(name))).toEqual(['a', 'b', 'c']);
    }
  });

  it('the placement index reports every Placement whose schedule changes and equals a full computation, after any changes in any order', () => {
    fc.assert(
      fc.property(someOpening, fc.array(someEvent, { minLength: 1, maxLength: 25 }), (opening, events) => {
        const model = new Model();
        const index = tracked();
        // To read the candidates of any Placement: a read from the index itself begins a new watch of its facts.
        const [twin, unused] = [new PlacementIndex(), new Model()];
        for (const event of opening) {
          fold(model, index, event);
          fold(unused, twin, event);
        }
        for (const event of events) {
          const before = new Map([...model.placements.keys()].map((key) => [key, JSON.stringify(model.outcome(key))]));
          const reported = fold(model, index, event);
          fold(unused, twin, event);
          for (const [key, placement] of model.placements) {
            const wanted = model.snapshot(key).candidates;
            const { count, matched } = wanted;
            const found = begun(twin, key).candidates;
            expect(found.count).toBe(count);
            expect(clusterNames.filter((name) => found.has(name))).toEqual(
              clusterNames.filter((name) => wanted.has(name)),
            );
            expect([...found.matched].map((one) => one.name).sort()).toEqual(
              [...matched].map((one) => one.name).sort(),
            );
            expect(found.matched.size).toBe(matched.size);
            expect(found.unmatched).toEqual(wanted.unmatched);
            const reconciled = event.kind === 'reconcile' && event.key === key;
            const changed = !reconciled && before.get(key) !== JSON.stringify(model.outcome(key));
            if (changed) expect(placement.pending || reported.includes(key)).toBe(true);
            placement.pending ||= reported.includes(key);
          }
        }
      }),
      { numRuns: runs(75) },
    );
  });

  it('the placement index reports a Placement when a score changes while another cluster waits to come in', () => {
    const [model, index] = [new Model(), tracked()];
    const changeWindows = [{ start: 'Mon 10:00', duration: '1h', timeZone: 'UTC' }];
    const inSet = (name: string, set: string, claims: Record<string, string>): Event => ({
      kind: 'cluster',
      view: cluster(name, { labels: { [CLUSTER_SET_LABEL]: set }, claims }),
    });
    const scored = { scoreCoordinate: { type: 'Claim', claim: { name: 'cpu', order: 'Ascending' } } } as const;
    const spec = { numberOfClusters: 1, prioritizerPolicy: { configurations: [scored] } };
    const events: readonly Event[] = [
      { kind: 'set', name: 's1', deleting: false, spec: {} },
      { kind: 'set', name: 's2', deleting: false, spec: { changeWindows } },
      { kind: 'binding', namespace: 'n1', view: binding('s1') },
      { kind: 'binding', namespace: 'n1', view: binding('s2') },
      inSet('a', 's1', {}),
      inSet('b', 's2', { cpu: '2' }),
      { kind: 'placement', key: 'n1/a', namespace: 'n1', spec },
      { kind: 'reconcile', key: 'n1/a' },
    ];
    for (const event of events) fold(model, index, event);

    expect(fold(model, index, inSet('a', 's1', { cpu: '1' }))).toEqual(['n1/a']);
    fold(model, index, { kind: 'reconcile', key: 'n1/a' });
    expect(fold(model, index, inSet('a', 's1', { cpu: '3' }))).toEqual([]);
  });

  it('the placement index reports a Placement when a taint changes the order of clusters of which some wait', () => {
    const [model, index] = [new Model(), tracked()];
    const inSet = (name: string, taints: readonly Taint[]): Event => ({
      kind: 'cluster',
      view: cluster(name, { labels: { [CLUSTER_SET_LABEL]: 's1' }, taints }),
    });
    const spec = { numberOfClusters: 1, paused: true };
    const events: readonly Event[] = [
      { kind: 'set', name: 's1', deleting: false, spec: {} },
      { kind: 'binding', namespace: 'n1', view: binding('s1') },
      inSet('a', []),
      inSet('b', []),
      { kind: 'placement', key: 'n1/a', namespace: 'n1', spec },
      { kind: 'reconcile', key: 'n1/a' },
    ];
    for (const event of events) fold(model, index, event);

    expect(fold(model, index, inSet('a', [taint('repair', { effect: 'PreferNoSelect' })]))).toEqual(['n1/a']);
  });

  it('a commit returns true when a cluster that the decision selects has got a taint since the reading', () => {
    const [model, index] = [new Model(), tracked()];
    const events: readonly Event[] = [
      { kind: 'set', name: 's1', deleting: false, spec: {} },
      { kind: 'binding', namespace: 'n1', view: binding('s1') },
      { kind: 'cluster', view: cluster('a', { labels: { [CLUSTER_SET_LABEL]: 's1' } }) },
      { kind: 'placement', key: 'n1/a', namespace: 'n1', spec: { numberOfClusters: 1 } },
      { kind: 'reconcile', key: 'n1/a' },
      { kind: 'cluster', view: cluster('b', { labels: { [CLUSTER_SET_LABEL]: 's1' } }) },
      { kind: 'clusterGone', name: 'a' },
    ];
    for (const event of events) fold(model, index, event);
    const reading = begun(index, 'n1/a');
    const maintenance = taint('maintenance', { since: undefined });
    const tainted = cluster('b', { labels: { [CLUSTER_SET_LABEL]: 's1' }, taints: [maintenance] });

    expect(index.upsertCluster(tainted).placements).toEqual([]);
    expect(reading.commit(model.reconcile('n1/a')).isStale).toBe(true);
    expect(begun(index, 'n1/a').commit(model.reconcile('n1/a')).isStale).toBe(false);
  });

  it.each([
    ['reports a Placement with moves', { scoreMargin: 1, minSelectedSeconds: 0 }, ['n1/a']],
    ['does not report a Placement without moves', undefined, []],
  ])('the placement index %s when a candidate of an even decision changes its domain', (_what, rebalance, wanted) => {
    const [model, index] = [new Model(), tracked()];
    const spread = {
      spreadConstraints: [{ topologyKey: 'region', topologyKeyType: 'Label', whenUnsatisfiable: 'DoNotSchedule' }],
    };
    const inRegion = (name: string, region: string): ClusterView =>
      cluster(name, { labels: { [CLUSTER_SET_LABEL]: 's1', region } });
    const spec = { numberOfClusters: 2, spreadPolicy: spread, rebalance };
    const events: readonly Event[] = [
      { kind: 'set', name: 's1', deleting: false, spec: {} },
      { kind: 'binding', namespace: 'n1', view: binding('s1') },
      ...['a', 'b', 'c'].map((name): Event => ({ kind: 'cluster', view: inRegion(name, name) })),
      { kind: 'placement', key: 'n1/a', namespace: 'n1', spec },
    ];
    for (const event of events) fold(model, index, event);
    const decision = model.reconcile('n1/a');
    begun(index, 'n1/a').commit(decision);
    const [other = ''] = ['a', 'b', 'c'].filter((name) => decision.after.lists?.flat().includes(name) !== true);

    expect(index.upsertCluster(inRegion(other, 'd')).placements).toEqual(wanted);
  });

  it('the placement index loses no change that comes between the reading of a pass and its commit', () => {
    const someChange = someEvent.filter((event) => !('key' in event));
    fc.assert(
      fc.property(
        someOpening,
        fc.constantFrom(...keys),
        fc.tuple(
          fc.array(someChange, { minLength: 1, maxLength: 3 }),
          fc.array(someChange, { minLength: 1, maxLength: 3 }),
        ),
        (opening, key, [earlier, changes]) => {
          const model = new Model();
          const index = tracked();
          for (const event of [...opening, ...earlier]) fold(model, index, event);
          const reading = begun(index, key);
          const decision = model.reconcile(key);
          const before = JSON.stringify(model.outcome(key));

          const reported = changes.flatMap((event) => fold(model, index, event));
          const { isStale: isChanged } = reading.commit(decision);

          if (JSON.stringify(model.outcome(key)) !== before) expect(isChanged || reported.includes(key)).toBe(true);
        },
      ),
      { numRuns: runs(150) },
    );
  });
});
