import { describe, expect, it } from '@jest/globals';
import { dropsForAbsence, schedule, selected } from '../../../src/domain/placement/schedule.js';
import type { Schedule } from '../../../src/domain/placement/schedule.js';
import {
  binding,
  cluster,
  clusterSet,
  decision,
  member,
  members,
  names,
  snapshot,
} from '../../support/builders/placement.js';
import type { World } from '../../support/builders/placement.js';

function chosen(decided: Schedule): readonly string[] {
  return [...selected(decided)].sort();
}

function decide(over: Partial<World>): Schedule {
  return schedule(snapshot(over));
}

const eu = { labels: { region: 'eu' } };
const inEu = { predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { region: 'eu' } } } }] };
const BAD = { numberOfClusters: -1 };

describe('a schedule', () => {
  it.each([
    {
      rule: 'takes all that match when no number is given',
      world: { fleet: members('a', 'b', 'c') },
      takes: ['a', 'b', 'c'],
    },
    { rule: 'takes nobody for 0', world: { spec: { numberOfClusters: 0 }, fleet: members('a') }, takes: [] },
    {
      rule: 'takes no more than there are',
      world: { spec: { numberOfClusters: 9 }, fleet: members('a', 'b') },
      takes: ['a', 'b'],
    },
    { rule: 'takes those that match', world: { spec: inEu, fleet: [member('a', eu), member('b')] }, takes: ['a'] },
    {
      rule: 'takes a cluster of two sets once',
      world: {
        bindings: [binding('x'), binding('y')],
        sets: [clusterSet('x'), clusterSet('y')],
        fleet: [member('a', {}, ['x', 'y'])],
      },
      takes: ['a'],
    },
    {
      rule: 'leaves clusters of other sets',
      world: { fleet: [member('a'), member('b', {}, ['other'])] },
      takes: ['a'],
    },
    { rule: 'leaves clusters of no set', world: { fleet: [member('a', {}, [])] }, takes: [] },
    {
      rule: 'leaves clusters that are being deleted',
      world: { fleet: [member('a', { deleting: true }), member('b')] },
      takes: ['b'],
    },
    { rule: 'takes nobody without a binding', world: { bindings: [], fleet: members('a') }, takes: [] },
    {
      rule: 'takes nobody from a set that is being deleted',
      world: { sets: [clusterSet('fleet', { deleting: true })], fleet: members('a') },
      takes: [],
    },
    {
      rule: 'takes nobody from sets that were not asked for',
      world: { spec: { ClusterSets: ['other'] }, fleet: members('a') },
      takes: [],
    },
  ])('$rule', ({ world, takes }) => {
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
    { cause: 'NotNeeded', of: 'the number shrank', world: { spec: { numberOfClusters: 0 }, fleet: members('a') } },
  ])('drops a selected cluster as $cause when $of', ({ cause, world }) => {
    const decided = decide({ ...world, stored: [decision(1, ['a'])] });

    expect(decided.dropped).toEqual([{ cluster: 'a', cause }]);
    expect(chosen(decided)).not.toContain('a');
  });

  it('keeps what is selected, whatever its rank', () => {
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

  it('lets the lowest ranked go when the number shrinks, and the same ones come back last when it grows', () => {
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

  it('keeps slots and order of those that stay', () => {
    const fleet = members('a', 'b', 'c', 'd', 'e');
    const decided = decide({ fleet, stored: [decision(3, ['e', 'b']), decision(1, ['d', 'x', 'a'])] });

    expect(decided.kept).toEqual([['d', 'a'], [], ['e', 'b']]);
    expect(decided.added).toEqual(['c']);
  });

  it('takes what is remembered for what is selected, not what a stranger wrote', () => {
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
  ] as const)('an object that is $ownership counts as selected: $counts', ({ ownership, counts }) => {
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
    { what: 'nobody who is gone', world: { fleet: members('b') }, candidates: 1, matched: 1 },
    { what: 'nobody who left the sets', world: { fleet: [member('a', {}, [])] }, candidates: 0, matched: 0 },
    {
      what: 'those that do not match as candidates',
      world: { spec: inEu, fleet: members('a', 'b') },
      candidates: 2,
      matched: 0,
    },
    { what: 'nobody while misconfigured', world: { spec: BAD, fleet: members('a', 'b') }, candidates: 0, matched: 0 },
  ])('counts $what', ({ world, candidates, matched }) => {
    expect(decide({ ...world, stored: [decision(1, ['a'])] })).toMatchObject({ candidates, matched });
  });

  it('gives a cluster that a stranger doubled its first place', () => {
    const decided = decide({ fleet: members('a', 'b'), stored: [decision(2, ['a', 'b']), decision(1, ['a', 'a'])] });

    expect(decided.kept).toEqual([['a'], ['b']]);
  });

  it('does not select past the hundred of an object that a stranger overfilled', () => {
    const fleet = members(...names(103));

    expect(decide({ fleet, stored: [decision(1, names(103))] }).kept[0]).toEqual(names(100));
  });
});

describe('a set whose selector cannot be read', () => {
  const sets = [clusterSet('fleet'), clusterSet('bad', { readable: false })];
  const bindings = [binding('fleet'), binding('bad')];

  it('brings in nobody new', () => {
    const decided = decide({ sets, bindings, fleet: [member('a'), member('b', {}, ['bad'])] });

    expect(chosen(decided)).toEqual(['a']);
    expect(decided.eligibility.unreadable).toEqual(['bad']);
  });

  it('holds selected clusters that are in no set any more', () => {
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
    { rule: 'deletion still drops', world: { fleet: [member('b', { deleting: true }, ['bad'])] }, cause: 'Deleting' },
    { rule: 'a missing object still drops', world: { fleet: [] }, cause: 'Gone' },
    { rule: 'predicates still drop', world: { spec: inEu, fleet: [member('b', {}, ['bad'])] }, cause: 'NotMatched' },
    {
      rule: 'the number still drops',
      world: { spec: { numberOfClusters: 0 }, fleet: [member('b', {}, ['bad'])] },
      cause: 'NotNeeded',
    },
    {
      rule: 'it holds nobody when it was not asked for',
      world: { spec: { ClusterSets: ['fleet'] }, fleet: [member('b', {}, ['bad'])] },
      cause: 'NotMember',
    },
  ])('$rule', ({ world, cause }) => {
    expect(decide({ sets, bindings, stored: [decision(1, ['b'])], ...world }).dropped).toEqual([
      { cluster: 'b', cause },
    ]);
  });

  it('lets other sets go on, within the number', () => {
    const world = { sets, bindings, fleet: [member('a'), member('b', {}, [])], stored: [decision(1, ['b'])] };

    expect(chosen(decide({ ...world, spec: { numberOfClusters: 2 } }))).toEqual(['a', 'b']);
    expect(chosen(decide({ ...world, spec: { numberOfClusters: 1 } }))).toEqual(['b']);
  });
});

describe('a misconfigured Placement', () => {
  const stored = [decision(1, ['a', 'b']), decision(2, ['c'])];

  it('keeps its last decision, whatever became of sets, predicates and bindings', () => {
    const decided = decide({ spec: BAD, stored, bindings: [], fleet: [member('a', {}, []), member('b'), member('c')] });

    expect(decided.problem?.field).toBe('spec.numberOfClusters');
    expect(decided.kept).toEqual([['a', 'b'], ['c']]);
    expect(decided).toMatchObject({ added: [], dropped: [], wanted: undefined });
  });

  it('still loses clusters that are deleted, and gains none', () => {
    const decided = decide({ spec: BAD, stored, fleet: [member('a', { deleting: true }), member('c'), member('d')] });

    expect(decided.dropped).toEqual([
      { cluster: 'a', cause: 'Deleting' },
      { cluster: 'b', cause: 'Gone' },
    ]);
    expect(chosen(decided)).toEqual(['c']);
  });
});

describe('its inputs', () => {
  it('are not changed', () => {
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

    expect(() => schedule(frozen)).not.toThrow();
  });
});

describe('a decision to drop a cluster because an object is missing', () => {
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
      { stored, fleet: [unbound], sets: [clusterSet('fleet', { readable: false })] },
      false,
    ],
  ])('%s', (_sentence, world, drops) => {
    const seen = snapshot(world);

    expect(dropsForAbsence(seen)).toBe(drops);
    const causes = schedule(seen).dropped.map(({ cause }) => cause);
    expect(causes.includes('Gone') || causes.includes('NotMember')).toBe(drops);
  });
});
