import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CLUSTER_SET_LABEL } from '../../../src/api/names.js';
import { sameMap } from '../../../src/domain/placement/spec/cluster.js';
import { MembershipIndex, type LabelledCluster } from '../../../src/operator/index/membershipindex.js';
import { readClusterSelector, selects, type ClusterSelector } from '../../../src/domain/clusters/selector.js';

const exclusive: ClusterSelector = { kind: 'exclusive' };
const everyone = readClusterSelector({ clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} } });
const eu = readClusterSelector({
  clusterSelector: { selectorType: 'LabelSelector', labelSelector: { matchLabels: { region: 'eu' } } },
});

function labelled(name: string, labels: Record<string, string> = {}, deleting = false): LabelledCluster {
  return { name, labels, deleting };
}

describe('MembershipIndex', () => {
  it('the membership index puts a cluster into the set that its label names, once there is one', () => {
    const membership = new MembershipIndex();
    membership.upsertCluster(labelled('a', { [CLUSTER_SET_LABEL]: 'fleet' }));
    expect(memberNames(membership, 'fleet')).toEqual([]);

    membership.upsertSet('fleet', exclusive);

    expect(memberNames(membership, 'fleet')).toEqual(['a']);
    expect(membership.setsOf('a')).toEqual(['fleet']);
  });

  it('the membership index does not put a cluster that carries the label into a set of that name which selects by other labels', () => {
    const membership = new MembershipIndex();
    membership.upsertSet('fleet', eu);
    membership.upsertCluster(labelled('a', { [CLUSTER_SET_LABEL]: 'fleet' }));
    membership.upsertCluster(labelled('b', { region: 'eu' }));

    expect(memberNames(membership, 'fleet')).toEqual(['b']);
  });

  it('the membership index moves a cluster with its labels, and returns the sets that it left and joined', () => {
    const membership = new MembershipIndex();
    membership.upsertSet('fleet', exclusive);
    membership.upsertSet('eu', eu);
    membership.upsertCluster(labelled('a', { [CLUSTER_SET_LABEL]: 'fleet' }));

    const change = membership.upsertCluster(labelled('a', { region: 'eu' }));

    expect(change).toEqual({ ordinal: 0, before: ['fleet'], after: ['eu'], affected: ['fleet', 'eu'] });
    expect(membership.members('fleet').size).toBe(0);
  });

  it('the membership index does not count a cluster that is being deleted, and returns its sets once', () => {
    const membership = new MembershipIndex();
    membership.upsertSet('fleet', exclusive);
    const labels = { [CLUSTER_SET_LABEL]: 'fleet' };
    for (const name of ['a', 'b']) membership.upsertCluster(labelled(name, labels));

    const affected = ['red', 'blue'].map(
      (colour) => membership.upsertCluster(labelled('a', { ...labels, colour }, true)).affected,
    );

    expect(affected).toEqual([['fleet'], []]);
    expect(membership.count('fleet')).toBe(1);
    expect(memberNames(membership, 'fleet')).toEqual(['a', 'b']);
    membership.removeCluster('a');
    membership.upsertCluster(labelled('c', labels));
    expect(membership.count('fleet')).toBe(2);
  });

  it('the membership index returns a set once that a cluster leaves when its deletion begins', () => {
    const membership = new MembershipIndex();
    membership.upsertSet('fleet', exclusive);
    membership.upsertCluster(labelled('a', { [CLUSTER_SET_LABEL]: 'fleet' }));

    expect(membership.upsertCluster(labelled('a', {}, true)).affected).toEqual(['fleet']);
  });

  it('the membership index returns the sets of a cluster that is gone', () => {
    const membership = new MembershipIndex();
    membership.upsertSet('fleet', exclusive);
    membership.upsertCluster(labelled('a', { [CLUSTER_SET_LABEL]: 'fleet' }));

    expect(membership.removeCluster('a')?.affected).toEqual(['fleet']);
  });

  it('the membership index returns no set for a change of labels that moves the cluster into or out of none', () => {
    const membership = new MembershipIndex();
    membership.upsertSet('fleet', exclusive);
    membership.upsertCluster(labelled('a', { [CLUSTER_SET_LABEL]: 'fleet', colour: 'red' }));

    const { affected } = membership.upsertCluster(labelled('a', { [CLUSTER_SET_LABEL]: 'fleet', colour: 'blue' }));

    expect(affected).toEqual([]);
  });

  it('the membership index has no cluster in a set whose selector cannot be read, and all again once it can', () => {
    const membership = new MembershipIndex();
    membership.upsertCluster(labelled('a'));
    membership.upsertSet('all', everyone);
    membership.upsertSet('all', readClusterSelector({ clusterSelector: { selectorType: 'Sorting' } }));
    expect(memberNames(membership, 'all')).toEqual([]);

    membership.upsertSet('all', everyone);

    expect(memberNames(membership, 'all')).toEqual(['a']);
  });

  it('the membership index gives the ordinal of a cluster that is gone to the next one', () => {
    const membership = new MembershipIndex();
    membership.upsertCluster(labelled('a'));
    membership.upsertCluster(labelled('b'));
    membership.removeCluster('a');

    expect(membership.upsertCluster(labelled('c')).ordinal).toBe(0);
    expect(membership.nameAt(0)).toBe('c');
    expect(membership.removeCluster('a')).toBeUndefined();
    expect(() => membership.nameAt(7)).toThrow('no cluster has the ordinal 7');
  });

  it('the membership index equals the selectors for every pair of set and cluster, whatever the order of the changes', () => {
    const names = ['a', 'b', 'c', 'd'];
    const sets = ['s1', 's2', 's3'];
    const someLabels = fc.record(
      { [CLUSTER_SET_LABEL]: fc.constantFrom(...sets), region: fc.constantFrom('eu', 'us') },
      { requiredKeys: [] },
    );
    const someSelector = fc.constantFrom<ClusterSelector>(exclusive, everyone, eu, { kind: 'none' });
    const someStep = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          cluster: fc.constantFrom(...names),
          labels: fc.option(someLabels, { nil: undefined, freq: 4 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          set: fc.constantFrom(...sets),
          selector: fc.option(someSelector, { nil: undefined, freq: 4 }),
        }),
      },
    );
    fc.assert(
      fc.property(fc.array(someStep, { maxLength: 30 }), (steps) => {
        const membership = new MembershipIndex();
        const clusters = new Map<string, Record<string, string>>();
        const selectors = new Map<string, ClusterSelector>();
        for (const step of steps) {
          if ('cluster' in step && step.labels === undefined) {
            clusters.delete(step.cluster);
            membership.removeCluster(step.cluster);
          } else if ('cluster' in step) {
            clusters.set(step.cluster, step.labels ?? {});
            membership.upsertCluster(labelled(step.cluster, step.labels));
          } else if (step.selector === undefined) {
            selectors.delete(step.set);
            membership.removeSet(step.set);
          } else {
            selectors.set(step.set, step.selector);
            membership.upsertSet(step.set, step.selector);
          }
        }
        const isMember = (name: string, set: string): boolean => {
          const [labels, selector] = [clusters.get(name), selectors.get(set)];
          return labels !== undefined && selector !== undefined && selects(set, selector, labels);
        };
        for (const set of sets)
          expect(memberNames(membership, set)).toEqual(names.filter((name) => isMember(name, set)));
        for (const name of names) expect(membership.setsOf(name)).toEqual(sets.filter((set) => isMember(name, set)));
      }),
      { numRuns: 300 },
    );
  });
});

describe('sameMap', () => {
  it.each<[string, Record<string, string>, Record<string, string>, boolean]>([
    ['with the same pairs in another order are the same', { a: '1', b: '2' }, { b: '2', a: '1' }, true],
    ['with another value are not', { a: '1' }, { a: '2' }, false],
    ['with another key are not', { a: '1' }, { b: '1' }, false],
    ['with a key more are not', { a: '1' }, { a: '1', b: '2' }, false],
    ['that differ in a key which every object inherits are not', { toString: '1' }, { valueOf: '1' }, false],
  ])('two maps %s', (_sentence, a, b, same) => {
    expect(sameMap(a, b)).toBe(same);
  });
});

/** The members of a set by name, sorted. */
function memberNames(membership: MembershipIndex, set: string): string[] {
  return [...membership.members(set).values()].map((ordinal) => membership.nameAt(ordinal)).sort();
}
