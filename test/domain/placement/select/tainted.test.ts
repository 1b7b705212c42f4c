import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TAINTS } from '../../../../src/api/names.js';
import { selectedClusters } from '../../../../src/domain/placement/select/decision.js';
import { readTaints, type Taint } from '../../../../src/domain/placement/spec/taint.js';
import { decision, member, names, NOW, snapshot } from '../../../support/builders/placement.js';
import { taint } from '../../../support/builders/taints.js';
import { scheduled, type Scheduled } from '../../../support/builders/scheduled.js';

interface Case {
  readonly spec?: object;
  /** The taints of each cluster of set `fleet`. */
  readonly fleet: Readonly<Record<string, readonly Taint[]>>;
  readonly decided?: readonly string[];
  readonly now?: number;
}

function decide({ spec = {}, fleet, decided, now = NOW }: Case): Scheduled {
  const clusters = Object.entries(fleet).map(([name, taints]) => member(name, { taints }));
  return scheduled(
    snapshot({ spec, fleet: clusters, stored: decided === undefined ? [] : [decision(1, decided)], now }),
  );
}

const chosen = (decided: Scheduled): readonly string[] => [...selectedClusters(decided)].sort();
const untainted = (...clusters: readonly string[]): Case['fleet'] =>
  Object.fromEntries(clusters.map((name) => [name, []]));
const since = (seconds: number): Partial<Taint> => ({ since: NOW - seconds * 1_000 });
const lost = (seconds: number): readonly Taint[] => [taint(TAINTS.unreachable, since(seconds))];
const prefer = (key: string): Taint => taint(key, { effect: 'PreferNoSelect' });
const onlyNew = (key: string): Taint => taint(key, { effect: 'NoSelectIfNew' });

describe('the taints that the hub adds', () => {
  it.each([
    ['299 seconds after the taint', 299, ['a', 'b']],
    ['300 seconds after the taint', 300, ['b', 'c']],
  ])('a cluster that is unreachable is replaced or not %s', (_when, seconds, clusters) => {
    const fleet = { a: lost(seconds), ...untainted('b', 'c') };

    expect(chosen(decide({ spec: { numberOfClusters: 2 }, fleet, decided: ['a', 'b'] }))).toEqual(clusters);
  });

  it('a cluster that is unreachable stays while no other can take its place, and the schedule says so', () => {
    const fleet = { a: lost(400), ...untainted('b'), c: lost(400) };
    const decided = decide({ spec: { numberOfClusters: 2 }, fleet, decided: ['a', 'b'] });

    expect(chosen(decided)).toEqual(['a', 'b']);
    expect(decided).toMatchObject({ stuck: [{ cluster: 'a', key: TAINTS.unreachable }], hasRoom: true });
  });

  it('a cluster that is unreachable stays where all clusters are wanted', () => {
    expect(chosen(decide({ fleet: { a: lost(400), ...untainted('b') }, decided: ['a'] }))).toEqual(['a', 'b']);
  });

  it('a written toleration of the key is exact: the cluster leaves without a replacement', () => {
    const spec = { tolerations: [{ key: TAINTS.unreachable, operator: 'Exists', tolerationSeconds: 60 }] };
    const decided = decide({ spec, fleet: { a: lost(60), ...untainted('b') }, decided: ['a', 'b'] });

    expect(decided.dropped).toEqual([{ cluster: 'a', cause: 'Tainted' }]);
  });

  it.each(['NoSelect', 'NoSelectIfNew'] as const)(
    'a cluster that is unreachable with %s is not selected anew',
    (effect) => {
      expect(chosen(decide({ fleet: { a: [taint(TAINTS.unreachable, { effect })], ...untainted('b') } }))).toEqual([
        'b',
      ]);
    },
  );

  it('a taint without a time counts as added now, and has no end to wait for', () => {
    const fleet = { a: [taint(TAINTS.unreachable, { since: undefined })], ...untainted('b') };
    const decided = decide({ spec: { numberOfClusters: 1 }, fleet, decided: ['a'] });

    expect([chosen(decided), decided.lookAgain]).toEqual([['a'], undefined]);
  });

  it('a cluster that has left for another does not come back while the other stays', () => {
    const fleet = { ...untainted('a', 'b') };

    expect(chosen(decide({ spec: { numberOfClusters: 1 }, fleet, decided: ['b'] }))).toEqual(['b']);
  });

  it('the removal of a cluster by the hub does not count against the disruption budget, that by a person does', () => {
    const spec = { disruptionBudget: { maxRemovals: 0 }, tolerations: [{ key: TAINTS.unreachable, value: 'never' }] };
    const fleet = { a: lost(1), b: [taint('maintenance')], c: [...lost(1), taint('maintenance')], ...untainted('d') };
    const decided = decide({ spec, fleet, decided: ['a', 'b', 'c', 'd'] });

    expect(decided.dropped).toEqual([{ cluster: 'a', cause: 'Tainted' }]);
    expect(decided.heldRemovals).toEqual([
      { cluster: 'b', cause: 'Tainted' },
      { cluster: 'c', cause: 'Tainted' },
    ]);
    expect(decided.counted.size).toBe(0);
  });

  const someState = fc.constantFrom('fine', 'fresh', 'old', 'unavailable', 'maintenance');
  const taintsFor = (state: string): readonly Taint[] => {
    if (state === 'fresh') return lost(10);
    if (state === 'old') return lost(1_000);
    if (state === 'unavailable') return [taint(TAINTS.unavailable, since(1_000))];
    return state === 'maintenance' ? [onlyNew('maintenance')] : [];
  };

  it('taints of the hub never shrink a decision, and move nothing where all clusters are wanted', () => {
    fc.assert(
      fc.property(
        fc.array(someState, { minLength: 1, maxLength: 8 }),
        fc.subarray([...names(8)]),
        fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
        (states, stored, wanted) => {
          const fleet = Object.fromEntries(states.map((state, index) => [names(8)[index] ?? '', taintsFor(state)]));
          const decided = stored.filter((name) => name in fleet).slice(0, wanted);
          const spec = wanted === undefined ? {} : { numberOfClusters: wanted };
          const result = decide({ spec, fleet, decided });

          expect(chosen(result).length).toBeGreaterThanOrEqual(decided.length);
          if (wanted === undefined) expect(result.dropped).toEqual([]);
          for (const { cluster } of result.dropped) expect(fleet[cluster]?.[0]?.since).toBeLessThan(NOW - 300_000);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the order in which taints count', () => {
  it('clusters with fewer taints PreferNoSelect are selected first, whatever their rank', () => {
    const fleet = { a: [prefer('x'), prefer('y')], b: [prefer('x')], c: [], d: [prefer('x')] };
    const spec = (numberOfClusters: number): object => ({ numberOfClusters });

    expect(chosen(decide({ spec: spec(1), fleet }))).toEqual(['c']);
    expect(chosen(decide({ spec: spec(3), fleet }))).toEqual(['b', 'c', 'd']);
  });

  it('a selected cluster with a taint PreferNoSelect stays before one without', () => {
    const fleet = { a: [prefer('x')], ...untainted('b') };

    expect(chosen(decide({ spec: { numberOfClusters: 1 }, fleet, decided: ['a'] }))).toEqual(['a']);
  });

  it('a cluster with a taint PreferNoSelect takes the place of one that yields it', () => {
    const fleet = { a: lost(400), b: [prefer('x')] };

    expect(chosen(decide({ spec: { numberOfClusters: 1 }, fleet, decided: ['a'] }))).toEqual(['b']);
  });

  it.each([
    [3, ['a', 'b', 'c']],
    [2, ['b', 'c']],
    [1, ['c']],
  ])('with %i wanted clusters, those that yield leave first, then those with a taint', (numberOfClusters, stay) => {
    const fleet = { a: lost(400), b: [onlyNew('maintenance')], c: [] };
    const decided = decide({ spec: { numberOfClusters }, fleet, decided: ['a', 'b', 'c'] });

    expect(chosen(decided)).toEqual(stay);
    expect(decided.dropped.every(({ cause }) => cause === 'NotNeeded')).toBe(true);
  });

  it('of selected clusters with taints the score decides which leaves first, whatever their taints and how many', () => {
    const tolerations = [
      { key: TAINTS.unreachable, operator: 'Exists' },
      { key: 'disks', operator: 'Exists', tolerationSeconds: 3_600 },
    ];
    const kinds: readonly (readonly Taint[])[] = [
      [prefer('x'), prefer('y'), prefer('z')],
      [onlyNew('maintenance')],
      [taint('disks', since(60))],
      lost(400),
      [prefer('x')],
    ];
    const prioritizerPolicy = {
      configurations: [{ scoreCoordinate: { type: 'Label', label: { name: 'rank', min: '0', max: '9' } } }],
    };
    for (const [lowest] of kinds.entries()) {
      const fleet = kinds.map((taints, at) =>
        member(`c${at}`, { taints, labels: { rank: at === lowest ? '1' : String(at + 2) } }),
      );
      const names = fleet.map(({ cluster }) => cluster.name);
      const spec = { numberOfClusters: kinds.length - 1, tolerations, prioritizerPolicy };
      const { dropped } = scheduled(snapshot({ spec, fleet, stored: [decision(1, names)] }));

      expect(dropped).toEqual([{ cluster: `c${lowest}`, cause: 'NotNeeded' }]);
    }
  });

  it('an invalid spec drops no cluster because of a taint', () => {
    const spec = { numberOfClusters: -1 };

    expect(chosen(decide({ spec, fleet: { a: [taint('maintenance')] }, decided: ['a'] }))).toEqual(['a']);
  });
});

describe('when a decision is looked at again', () => {
  const timed = (seconds: number): object => ({ key: 'maintenance', operator: 'Exists', tolerationSeconds: seconds });

  it.each([
    ['the longest of several tolerations', [timed(60), timed(90)], NOW + 90_000],
    ['never with one for ever', [timed(60), { key: 'maintenance', operator: 'Exists' }], undefined],
    ['never with one of zero seconds, which drops the cluster at once', [timed(0)], undefined],
  ])('a cluster is kept by %s', (_case, tolerations, until) => {
    const fleet = { a: [taint('maintenance', since(0))], ...untainted('b') };

    expect(decide({ spec: { tolerations }, fleet, decided: ['a', 'b'] }).lookAgain).toBe(until);
  });
});

describe('the taints of a ManagedCluster', () => {
  const status = { taintTimes: [{ key: 'm', value: 'x', effect: 'NoSelect', since: '2026-01-01T00:00:00Z' }] };
  const time = Date.parse('2026-01-01T00:00:00Z');

  it.each([
    [
      'its own time',
      { key: 'm', value: 'x', effect: 'NoSelect', timeAdded: '2026-01-02T00:00:00Z' },
      time + 86_400_000,
    ],
    ['the time that the hub has stored', { key: 'm', value: 'x', effect: 'NoSelect' }, time],
    ['no time for another value', { key: 'm', value: 'y', effect: 'NoSelect' }, undefined],
    ['no time for another effect', { key: 'm', value: 'x', effect: 'NoSelectIfNew' }, undefined],
  ])('a taint has %s', (_case, one, expected) => {
    expect(readTaints({ taints: [one] }, status).map((read) => read.since)).toEqual([expected]);
  });

  it.each([undefined, {}, { taints: 'x' }, { taints: [null, {}, { key: 'm' }, { key: 'm', effect: 'NoExecute' }] }])(
    'a spec %j has no taints',
    (spec) => {
      expect(readTaints(spec, undefined)).toEqual([]);
    },
  );
});
