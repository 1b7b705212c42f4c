import { describe, expect, it } from '@jest/globals';
import { eligibleSets } from '../../../../src/domain/placement/select/eligible.js';
import { compileSpec } from '../../../../src/domain/placement/spec/predicates.js';
import type { SetView } from '../../../../src/domain/placement/select/snapshot.js';
import { binding, clusterSet, UNREADABLE } from '../../../support/builders/placement.js';

function sets(...list: readonly SetView[]): ReadonlyMap<string, SetView> {
  return new Map(list.map((one) => [one.name, one]));
}

describe('eligibleSets', () => {
  const all = sets(clusterSet('a'), clusterSet('b'), clusterSet('c'));
  const bound = [binding('c'), binding('a')];

  it.each([
    { rule: 'all bound ones when none is named', requested: [], eligible: ['a', 'c'] },
    { rule: 'the intersection with those named', requested: ['b', 'c'], eligible: ['c'] },
    { rule: 'none when none of those named is bound', requested: ['b', 'z'], eligible: [] },
    { rule: 'by exact name', requested: ['A', 'a ', 'c'], eligible: ['c'] },
  ])('the sets that a Placement may select from are $rule', ({ requested, eligible }) => {
    const found = eligibleSets(compileSpec({ ClusterSets: requested }), bound, all);

    expect(found).toEqual({ bound: ['a', 'c'], eligible, unreadable: [], ignored: [], sets: all });
  });

  it.each([
    {
      why: 'OtherName',
      it: 'whose name is not its set',
      one: binding('mine', { clusterSet: 'a' }),
      among: all,
      set: 'a',
    },
    { why: 'NoSuchSet', it: 'whose set does not exist', one: binding('z'), among: all, set: 'z' },
    {
      why: 'SetDeleting',
      it: 'whose set is being deleted',
      one: binding('a'),
      among: sets(clusterSet('a', { deleting: true })),
      set: 'a',
    },
    {
      why: 'BindingDeleting',
      it: 'that is being deleted',
      one: binding('a', { deleting: true }),
      among: all,
      set: 'a',
    },
  ])('the sets that a Placement may select from do not come from a binding $it', ({ why, one, among, set }) => {
    const found = eligibleSets(compileSpec({}), [one], among);

    expect(found).toEqual({
      bound: [],
      eligible: [],
      unreadable: [],
      sets: among,
      ignored: [{ binding: one.name, clusterSet: set, why }],
    });
  });

  it('the unreadable ones among the sets that a Placement may select from are listed', () => {
    const some = sets(
      clusterSet('a', { selector: UNREADABLE }),
      clusterSet('b', { selector: UNREADABLE }),
      clusterSet('c'),
    );
    const found = eligibleSets(compileSpec({ ClusterSets: ['c', 'a'] }), [...bound, binding('b')], some);

    expect(found.unreadable).toEqual(['a']);
  });

  it('the sets that a Placement may select from are the same whatever the order of the bindings', () => {
    const bindings = [
      binding('b'),
      binding('x', { clusterSet: 'a' }),
      binding('z'),
      binding('a'),
      binding('y', { clusterSet: 'a' }),
    ];

    expect(eligibleSets(compileSpec({}), [...bindings].reverse(), all)).toEqual(
      eligibleSets(compileSpec({}), bindings, all),
    );
    expect(eligibleSets(compileSpec({}), bindings, all).ignored.map((one) => one.binding)).toEqual(['x', 'y', 'z']);
  });
});
