import { describe, expect, it } from '@jest/globals';
import { scorerOf, scorerOfSnapshot, type Scorer } from '../../../../src/domain/placement/select/scores.js';
import { compileSpec } from '../../../../src/domain/placement/spec/predicates.js';
import type { ClusterView } from '../../../../src/domain/placement/spec/cluster.js';
import { selectedClusters } from '../../../../src/domain/placement/select/decision.js';
import type { PlacementSnapshot } from '../../../../src/domain/placement/select/snapshot.js';
import { cluster, decision, member, snapshot } from '../../../support/builders/placement.js';
import { scheduled } from '../../../support/builders/scheduled.js';

type Configuration = Readonly<Record<string, unknown>>;

function scorer(
  configurations: readonly Configuration[],
  clusters: readonly ClusterView[],
  { predicates = [], selecting = {} }: { predicates?: readonly object[]; selecting?: Record<string, number> } = {},
): Scorer | undefined {
  const rules = compileSpec({ predicates, prioritizerPolicy: { configurations } });
  expect(rules.problem).toBeUndefined();
  return scorerOf(rules, { matching: () => clusters, othersSelecting: (name) => selecting[name] ?? 0 });
}

/** The total of each cluster, by name. */
function totals(...args: Parameters<typeof scorer>): Record<string, number> {
  const scores = scorer(...args);
  return Object.fromEntries(args[1].map((one) => [one.name, (scores?.total(one) ?? NaN) / 100]));
}

function priced(values: Readonly<Record<string, string>>): readonly ClusterView[] {
  return Object.entries(values).map(([name, cost]) => cluster(name, { claims: { cost }, labels: { cost } }));
}

const value = (type: 'Claim' | 'Label', fields: object = {}, weight = 1): Configuration => ({
  scoreCoordinate: { type, [type.toLowerCase()]: { name: 'cost', ...fields } },
  weight,
});
const builtIn = (name: string, weight = 1): Configuration => ({
  scoreCoordinate: { type: 'BuiltIn', builtIn: name },
  weight,
});

describe('a value', () => {
  const clusters = priced({ a: '0.10', b: '0.15', c: '300m', d: 'n/a' });

  it.each(['Claim', 'Label'] as const)('a value of a %s is linear between the smallest and the largest', (type) => {
    expect(totals([value(type)], clusters)).toEqual({ a: 0, b: 25, c: 100, d: 0 });
    expect(totals([value(type, { order: 'Ascending' })], clusters)).toEqual({ a: 100, b: 75, c: 0, d: 0 });
  });

  it.each([
    ['Descending', { a: 0, b: 25, c: 100, d: 0 }],
    ['Ascending', { a: 100, b: 75, c: 0, d: 0 }],
  ])(
    'with min and max a value in order %s does not depend on other clusters, and is cut at both ends',
    (order, all) => {
      const coordinate = value('Claim', { order, min: '0.1', max: '300m' });
      const alone = clusters.map((one) => totals([coordinate], [one]));

      expect(Object.assign({}, ...alone)).toEqual(all);
      expect(totals([coordinate], priced({ low: '-1', high: '1k' }))).toEqual(
        order === 'Ascending' ? { low: 100, high: 0 } : { low: 0, high: 100 },
      );
    },
  );

  it('a score has two decimals, the second rounded half up', () => {
    const thirds = priced({ a: '0', b: '1', c: '2', d: '3' });
    const halves = priced({ a: '0.00', b: '0.01', c: '0.32' });

    expect(totals([value('Claim')], thirds)).toEqual({ a: 0, b: 33.33, c: 66.67, d: 100 });
    expect(totals([value('Claim')], halves)).toMatchObject({ b: 3.13 });
    expect(totals([value('Claim', { order: 'Ascending' })], halves)).toMatchObject({ b: 96.88 });
  });

  it('a value that all clusters have is as good as the best, in both orders', () => {
    const alike = priced({ a: '1', b: '1000m' });

    expect(totals([value('Claim')], alike)).toEqual({ a: 100, b: 100 });
    expect(totals([value('Claim', { order: 'Ascending' })], alike)).toEqual({ a: 100, b: 100 });
  });

  it('a cluster without a usable value has the score 0, and it is known why', () => {
    const scores = scorer([value('Claim')], clusters);
    const why = (one: ClusterView): unknown => scores?.coordinates(one)[0];

    expect(why(cluster('e'))).toMatchObject({ hundredths: 0, found: undefined, problem: 'absent' });
    expect(why(cluster('d', { claims: { cost: 'n/a' } }))).toMatchObject({ found: 'n/a', problem: 'notANumber' });
    expect(why(cluster('a', { claims: { cost: '300m' } }))).toMatchObject({
      hundredths: 10_000,
      found: '300m',
      problem: undefined,
    });
  });
});

describe('built-in coordinates and selectors', () => {
  const clusters = priced({ a: '1', b: '2', c: '3' });
  const only = (key: string, values: readonly string[]): object => ({
    requiredClusterSelector: { claimSelector: { matchExpressions: [{ key, operator: 'In', values }] } },
  });

  it('Balance falls from 100 for a cluster that no other Placement selects to 0 for the most of the candidates', () => {
    const balance = (selecting: Record<string, number>): unknown =>
      totals([builtIn('Balance')], clusters, { selecting });

    expect(balance({})).toEqual({ a: 100, b: 100, c: 100 });
    expect(balance({ a: 4, b: 1 })).toEqual({ a: 0, b: 75, c: 100 });
    expect(balance({ a: 2, b: 2, c: 2, elsewhere: 9 })).toEqual({ a: 0, b: 0, c: 0 });
  });

  it('PredicateOrder falls from 100 for the first predicate that matches to 0 for the last', () => {
    const order = (...predicates: readonly object[]): unknown =>
      totals([builtIn('PredicateOrder')], clusters, { predicates });

    expect(order(only('cost', ['2']), only('cost', ['2', '3']), {})).toEqual({ a: 0, b: 100, c: 50 });
    expect(order({})).toEqual({ a: 100, b: 100, c: 100 });
    expect(order()).toEqual({ a: 100, b: 100, c: 100 });
  });

  it.each(['cpu', 'memory'])('the allocatable %s of the status is a value, more is better', (resource) => {
    const name = resource === 'cpu' ? 'ResourceAllocatableCPU' : 'ResourceAllocatableMemory';
    const nodes = ['2', '6', '10'].map((amount, at) =>
      cluster(`c${at}`, { claims: { [`allocatable/${resource}`]: amount } }),
    );

    expect(totals([builtIn(name)], nodes)).toEqual({ c0: 0, c1: 50, c2: 100 });
  });

  it('a selector is 100 for a cluster that both selectors match', () => {
    const selector = {
      labelSelector: { matchLabels: { cost: '1' } },
      claimSelector: { matchExpressions: [{ key: 'cost', operator: 'NotIn', values: ['3'] }] },
    };

    expect(totals([{ scoreCoordinate: { type: 'Selector', selector } }], clusters)).toEqual({ a: 100, b: 0, c: 0 });
  });
});

describe('the sum', () => {
  const clusters = priced({ a: '0', b: '1', c: '3' });

  it('a score is the sum of weight times score, whatever the order of the configurations', () => {
    const all = [value('Claim', {}, -3), value('Label', { min: 0, max: 4 }, 10), builtIn('Balance')];
    const sums = { a: 100, b: 250.01, c: 550 };

    expect(totals(all, clusters, { selecting: { a: 0 } })).toEqual(sums);
    expect(totals([...all].reverse(), clusters)).toEqual(sums);
  });

  it('a weight of 0 switches a coordinate off, and without another there is no score', () => {
    expect(totals([value('Claim', {}, 0), builtIn('Balance', 2)], clusters)).toEqual({ a: 200, b: 200, c: 200 });
    expect(scorer([builtIn('Balance', 0)], clusters)).toBeUndefined();
    expect(scorer([], clusters)).toBeUndefined();
  });
});

describe('a decision', () => {
  const prices = { a: '0.30', b: '0.10', c: '0.20', d: '0.40' };
  const fleet = Object.entries(prices).map(([name, cost]) => member(name, { claims: { cost } }));
  const cheapest = { prioritizerPolicy: { configurations: [value('Claim', { order: 'Ascending' })] } };
  const decided = (over: Parameters<typeof snapshot>[0]): readonly string[] =>
    selectedClusters(scheduled(snapshot({ fleet, ...over }))).toSorted();

  it('the clusters with the highest scores come in, and those that are selected stay', () => {
    expect(decided({ spec: { ...cheapest, numberOfClusters: 2 } })).toEqual(['b', 'c']);
    expect(decided({ spec: { ...cheapest, numberOfClusters: 2 }, stored: [decision(1, ['a', 'd'])] })).toEqual([
      'a',
      'd',
    ]);
    expect(decided({ spec: { ...cheapest, numberOfClusters: 3 }, stored: [decision(1, ['d'])] })).toEqual([
      'b',
      'c',
      'd',
    ]);
  });

  it('where fewer are wanted, the clusters with the lowest scores leave', () => {
    expect(decided({ spec: { ...cheapest, numberOfClusters: 2 }, stored: [decision(1, ['d', 'a', 'c'])] })).toEqual([
      'a',
      'c',
    ]);
  });

  it('fewer taints that prefer others count before the score', () => {
    const taints = [{ key: 'old', value: '', effect: 'PreferNoSelect' as const, since: undefined }];
    const tainted = fleet.map((one) => (one.cluster.name === 'b' ? member('b', { ...one.cluster, taints }) : one));

    expect(decided({ fleet: tainted, spec: { ...cheapest, numberOfClusters: 2 } })).toEqual(['a', 'c']);
  });

  it('a candidate that a taint keeps out counts in the range of a score', () => {
    const range = { a: '0', b: '5', far: '10' };
    const taints = [{ key: 'disks', value: '', effect: 'NoSelect' as const, since: undefined }];
    const clusters = Object.entries(range).map(([name, cost]) =>
      member(name, { claims: { cost }, taints: name === 'far' ? taints : [] }),
    );
    const world = { fleet: clusters, spec: { ...cheapest, numberOfClusters: 2 } };

    expect(scorerOfSnapshot(snapshot(world))?.totals()).toEqual(
      new Map([
        ['a', 10_000],
        ['b', 5_000],
        ['far', 0],
      ]),
    );
    expect(decided(world)).toEqual(['a', 'b']);
  });

  it('the numbers of predicates come before that of the spec where fewer clusters are needed', () => {
    const of = (name: string, tier: string, cost: string): ReturnType<typeof member> =>
      member(name, { labels: { tier }, claims: { cost } });
    const predicates = [
      { numberOfClusters: 1, requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } },
      { numberOfClusters: 2, requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'silver' } } } },
    ];
    const clusters = [of('a', 'gold', '1'), of('b', 'gold', '2'), of('c', 'silver', '3'), of('d', 'silver', '4')];
    const choose = (numberOfClusters: number): unknown => {
      const { kept, added } = scheduled(
        snapshot({
          fleet: clusters,
          spec: { ...cheapest, predicates, numberOfClusters },
          stored: [decision(1, ['a', 'b', 'c', 'd'])],
        }),
      );
      return [kept.flat(), added];
    };

    expect(choose(3)).toEqual([['a', 'c', 'd'], []]);
    expect(choose(2)).toEqual([['a', 'c'], []]);
  });

  it('Balance counts what the other Placements select', () => {
    const spec = { numberOfClusters: 1, prioritizerPolicy: { configurations: [builtIn('Balance')] } };
    const selecting = (busy: readonly string[]): PlacementSnapshot => ({
      ...snapshot({ fleet, spec }),
      othersSelecting: (name) => (busy.includes(name) ? 1 : 0),
    });

    for (const free of Object.keys(prices))
      expect(scheduled(selecting(Object.keys(prices).filter((name) => name !== free))).added).toEqual([free]);
  });
});
