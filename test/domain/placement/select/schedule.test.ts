import { describe, expect, it } from '@jest/globals';
import { selectedClusters } from '../../../../src/domain/placement/select/decision.js';
import {
  binding,
  cluster,
  clusterSet,
  decision,
  member,
  members,
  names,
  snapshot,
  UNREADABLE,
} from '../../../support/builders/placement.js';
import type { World } from '../../../support/builders/placement.js';
import { scheduled, type Scheduled } from '../../../support/builders/scheduled.js';

function chosen(decided: Scheduled): readonly string[] {
  return [...selectedClusters(decided)].sort();
}

function decide(over: Partial<World>): Scheduled {
  return scheduled(snapshot(over));
}

const eu = { labels: { region: 'eu' } };
const inEu = { predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { region: 'eu' } } } }] };
const BAD = { numberOfClusters: -1 };

describe('schedule', () => {
  it.each([
    {
      rule: 'selects all matching clusters when no number is given',
      world: { fleet: members('a', 'b', 'c') },
      takes: ['a', 'b', 'c'],
    },
    { rule: 'selects no cluster for 0', world: { spec: { numberOfClusters: 0 }, fleet: members('a') }, takes: [] },
    {
      rule: 'selects no more clusters than there are',
      world: { spec: { numberOfClusters: 9 }, fleet: members('a', 'b') },
      takes: ['a', 'b'],
    },
    { rule: 'selects matching clusters', world: { spec: inEu, fleet: [member('a', eu), member('b')] }, takes: ['a'] },
    {
      rule: 'selects a cluster of two sets once',
      world: {
        bindings: [binding('x'), binding('y')],
        sets: [clusterSet('x'), clusterSet('y')],
        fleet: [member('a', {}, ['x', 'y'])],
      },
      takes: ['a'],
    },
    {
      rule: 'does not select clusters of other sets',
      world: { fleet: [member('a'), member('b', {}, ['other'])] },
      takes: ['a'],
    },
    { rule: 'does not select clusters of no set', world: { fleet: [member('a', {}, [])] }, takes: [] },
    {
      rule: 'does not select clusters that are being deleted',
      world: { fleet: [member('a', { deleting: true }), member('b')] },
      takes: ['b'],
    },
    { rule: 'selects no cluster without a binding', world: { bindings: [], fleet: members('a') }, takes: [] },
    {
      rule: 'selects no cluster from a set that is being deleted',
      world: { sets: [clusterSet('fleet', { deleting: true })], fleet: members('a') },
      takes: [],
    },
    {
      rule: 'selects no cluster from sets that were not requested',
      world: { spec: { ClusterSets: ['other'] }, fleet: members('a') },
      takes: [],
    },
  ])('a schedule $rule', ({ world, takes }) => {
    expect(chosen(decide(world))).toEqual(takes);
  });

  it.each([
    { cause: 'Gone', of: 'its object does not exist', world: { fleet: members('b') } },
    { cause: 'Deleting', of: 'it is being deleted', world: { fleet: [member('a', { deleting: true }), member('b')] } },
    {
      cause: 'NotMatched',
      of: 'no predicate matches any more',
      world: { spec: inEu, fleet: [member('a'), member('b', eu)] },
    },
    { cause: 'NotMember', of: 'it left the sets', world: { fleet: [member('a', {}, []), member('b')] } },
    {
      cause: 'NotMember',
      of: 'it left the sets, and matches no predicate any more',
      world: { spec: inEu, fleet: [member('a', {}, []), member('b', eu)] },
    },
    {
      cause: 'NotMatched',
      of: 'no predicate matches any more, and an unreadable set may hold it',
      world: {
        spec: inEu,
        bindings: [binding('fleet'), binding('odd')],
        sets: [clusterSet('fleet'), clusterSet('odd', { selector: UNREADABLE })],
        fleet: [member('a', {}, ['odd'])],
      },
    },
    { cause: 'NotNeeded', of: 'the number shrank', world: { spec: { numberOfClusters: 0 }, fleet: members('a') } },
  ])('a schedule drops a selected cluster as $cause when $of', ({ cause, world }) => {
    const decided = decide({ ...world, stored: [decision(1, ['a'])] });

    expect(decided.dropped).toEqual([{ cluster: 'a', cause }]);
    expect(chosen(decided)).not.toContain('a');
  });

  it('a schedule keeps selected clusters, whatever their rank', () => {
    const fleet = members(...names(20));
    const spec = { numberOfClusters: 3 };
    const best = chosen(decide({ spec, fleet }));
    const others = names(20)
      .filter((name) => !best.includes(name))
      .slice(0, 3);

    const decided = decide({ spec, fleet, stored: [decision(1, others)] });

    expect(decided.kept).toEqual([others]);
    expect(decided.added).toEqual([]);
    expect(decided.dropped).toEqual([]);
  });

  it('a schedule drops the lowest ranked clusters when the number shrinks, and selects the same ones last when it grows', () => {
    const fleet = members(...names(20));
    const ranked = decide({ spec: { numberOfClusters: 20 }, fleet }).added;
    const shrunk = decide({ spec: { numberOfClusters: 5 }, fleet, stored: [decision(1, names(20))] });

    expect(chosen(shrunk)).toEqual(ranked.slice(0, 5).sort());
    expect(shrunk.kept).toEqual([ranked.slice(0, 5).sort()]);
    expect(shrunk.dropped.every((one) => one.cause === 'NotNeeded')).toBe(true);
    expect(decide({ spec: { numberOfClusters: 7 }, fleet, stored: [decision(1, ranked.slice(0, 5))] }).added).toEqual(
      ranked.slice(5, 7),
    );
  });

  it('a schedule keeps the slots and the order of clusters that stay', () => {
    const fleet = members('a', 'b', 'c', 'd', 'e');
    const decided = decide({ fleet, stored: [decision(3, ['e', 'b']), decision(1, ['d', 'x', 'a'])] });

    expect(decided.kept).toEqual([['d', 'a'], [], ['e', 'b']]);
    expect(decided.added).toEqual(['c']);
  });

  it('a schedule keeps the remembered clusters, not those that another client wrote', () => {
    const world = { spec: { numberOfClusters: 1 }, fleet: members('a', 'b') };

    for (const mine of ['a', 'b']) {
      const other = mine === 'a' ? 'b' : 'a';
      expect(chosen(decide({ ...world, stored: [decision(1, [other])], remembered: [[mine]] }))).toEqual([mine]);
      expect(chosen(decide({ ...world, stored: [decision(1, [other])] }))).toEqual([other]);
    }
  });

  it.each([
    { ownership: 'adoptable', counts: true },
    { ownership: 'foreign', counts: false },
    { ownership: 'predecessor', counts: false },
  ] as const)('the clusters of an object that is $ownership count as selected: $counts', ({ ownership, counts }) => {
    const decided = decide({ fleet: members('a'), stored: [decision(1, ['a'], { ownership })] });

    expect(decided.kept.flat()).toEqual(counts ? ['a'] : []);
  });

  it.each([
    {
      what: 'those that stay and those that come',
      world: { fleet: members('a', 'b', 'c') },
      candidates: 3,
      matched: 3,
    },
    { what: 'no cluster that is gone', world: { fleet: members('b') }, candidates: 1, matched: 1 },
    { what: 'no cluster that left the sets', world: { fleet: [member('a', {}, [])] }, candidates: 0, matched: 0 },
    {
      what: 'those that do not match as candidates',
      world: { spec: inEu, fleet: members('a', 'b') },
      candidates: 2,
      matched: 0,
    },
    {
      what: 'no cluster while misconfigured',
      world: { spec: BAD, fleet: members('a', 'b') },
      candidates: 0,
      matched: 0,
    },
  ])('a schedule counts $what', ({ world, candidates, matched }) => {
    expect(decide({ ...world, stored: [decision(1, ['a'])] })).toMatchObject({ candidates, matched });
  });

  it('a schedule keeps the first place of a cluster that another client listed twice', () => {
    const decided = decide({ fleet: members('a', 'b'), stored: [decision(2, ['a', 'b']), decision(1, ['a', 'a'])] });

    expect(decided.kept).toEqual([['a'], ['b']]);
  });

  it('a schedule ignores all but the first hundred clusters of an object', () => {
    const fleet = members(...names(103));

    expect(decide({ fleet, stored: [decision(1, names(103))] }).kept[0]).toEqual(names(100));
  });
});

describe('schedule with an unreadable set', () => {
  const sets = [clusterSet('fleet'), clusterSet('bad', { selector: UNREADABLE })];
  const bindings = [binding('fleet'), binding('bad')];

  it('no new cluster is selected from a set whose selector cannot be read', () => {
    const decided = decide({ sets, bindings, fleet: [member('a'), member('b', {}, ['bad'])] });

    expect(chosen(decided)).toEqual(['a']);
    expect(decided.eligibility.unreadable).toEqual(['bad']);
  });

  it('a set whose selector cannot be read keeps selected clusters that are in no other set', () => {
    const decided = decide({
      sets,
      bindings,
      fleet: [member('a'), member('b', {}, ['bad']), member('c', {}, [])],
      stored: [decision(1, ['c', 'b'])],
    });

    expect(decided.kept).toEqual([['c', 'b']]);
    expect(decided).toMatchObject({ added: ['a'], dropped: [], candidates: 3, matched: 3 });
  });

  it.each([
    {
      rule: 'it is being deleted',
      world: { fleet: [member('b', { deleting: true }, ['bad'])] },
      cause: 'Deleting',
    },
    { rule: 'it does not exist', world: { fleet: [] }, cause: 'Gone' },
    {
      rule: 'it matches no predicate',
      world: { spec: inEu, fleet: [member('b', {}, ['bad'])] },
      cause: 'NotMatched',
    },
    {
      rule: 'it is above the number',
      world: { spec: { numberOfClusters: 0 }, fleet: [member('b', {}, ['bad'])] },
      cause: 'NotNeeded',
    },
    {
      rule: 'the set is not requested',
      world: { spec: { ClusterSets: ['fleet'] }, fleet: [member('b', {}, ['bad'])] },
      cause: 'NotMember',
    },
  ])('a selected cluster of a set whose selector cannot be read is dropped when $rule', ({ world, cause }) => {
    expect(decide({ sets, bindings, stored: [decision(1, ['b'])], ...world }).dropped).toEqual([
      { cluster: 'b', cause },
    ]);
  });

  it('other sets than the one whose selector cannot be read are selected from, up to the number', () => {
    const world = { sets, bindings, fleet: [member('a'), member('b', {}, [])], stored: [decision(1, ['b'])] };

    expect(chosen(decide({ ...world, spec: { numberOfClusters: 2 } }))).toEqual(['a', 'b']);
    expect(chosen(decide({ ...world, spec: { numberOfClusters: 1 } }))).toEqual(['b']);
  });
});

describe('schedule of a misconfigured Placement', () => {
  const stored = [decision(1, ['a', 'b']), decision(2, ['c'])];

  it('a misconfigured Placement keeps its last decision, whatever its sets, predicates and bindings are', () => {
    const decided = decide({ spec: BAD, stored, bindings: [], fleet: [member('a', {}, []), member('b'), member('c')] });

    expect(decided.problem?.field).toBe('spec.numberOfClusters');
    expect(decided.kept).toEqual([['a', 'b'], ['c']]);
    expect(decided).toMatchObject({ added: [], dropped: [], wanted: undefined });
  });

  it('a misconfigured Placement drops clusters that are deleted, and adds none', () => {
    const decided = decide({ spec: BAD, stored, fleet: [member('a', { deleting: true }), member('c'), member('d')] });

    expect(decided.dropped).toEqual([
      { cluster: 'a', cause: 'Deleting' },
      { cluster: 'b', cause: 'Gone' },
    ]);
    expect(chosen(decided)).toEqual(['c']);
  });
});

describe('inputs of schedule', () => {
  it('the inputs of a schedule are not changed', () => {
    const freeze = <T>(value: T): T => {
      if (typeof value === 'object' && value !== null && !Object.isFrozen(value))
        Object.values(Object.freeze(value)).forEach(freeze);
      return value;
    };
    const frozen = freeze(
      snapshot({
        spec: inEu,
        fleet: [member('a', eu), { cluster: cluster('b', eu), sets: [] }],
        stored: [decision(1, ['b', 'x'])],
      }),
    );

    expect(() => scheduled(frozen)).not.toThrow();
  });
});

describe('dropping a cluster because an object is missing', () => {
  const stored = [decision(1, ['a'])];
  const unbound = member('a', {}, []);

  it.each<[string, Partial<World>, boolean]>([
    ['is made when the cluster does not exist', { stored }, true],
    ['is made when the cluster is in no eligible set', { stored, fleet: [unbound] }, true],
    ['is made for a remembered cluster that does not exist', { remembered: [['a']] }, true],
    ['is not made when the cluster stays', { stored, fleet: members('a') }, false],
    ['is not made when the cluster is being deleted', { stored, fleet: [member('a', { deleting: true })] }, false],
    ['is not made when the cluster matches no predicate', { stored, fleet: members('a'), spec: inEu }, false],
    [
      'is not made when the cluster is not needed any more',
      { stored, fleet: members('a'), spec: { numberOfClusters: 0 } },
      false,
    ],
    [
      'is not made while an eligible set is unreadable',
      { stored, fleet: [unbound], sets: [clusterSet('fleet', { selector: UNREADABLE })] },
      false,
    ],
  ])('a decision to drop a cluster because an object is missing %s', (_sentence, world, drops) => {
    const causes = scheduled(snapshot(world)).dropped.map(({ cause }) => cause);

    expect(causes.includes('Gone') || causes.includes('NotMember')).toBe(drops);
  });
});
