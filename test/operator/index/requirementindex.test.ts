import { describe, expect, it } from '@jest/globals';

import { compileSpec } from '../../../src/domain/placement/spec/predicates.js';
import type { ClusterView } from '../../../src/domain/placement/select/snapshot.js';
import { Bitset } from '../../../src/operator/index/bitset.js';
import { RequirementIndex } from '../../../src/operator/index/requirementindex.js';
import { cluster } from '../../support/builders/placement.js';

const IN_EU = compileSpec({
  predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { region: 'eu' } } } }],
});
const INSIDE = cluster('a', { labels: { region: 'eu' } });
const OUTSIDE = cluster('a', { labels: { region: 'us' } });

describe('a requirement that two Placements share', () => {
  function shared(): { index: RequirementIndex; clusters: Map<number, ClusterView> } {
    const clusters = new Map([[0, INSIDE]]);
    const index = new RequirementIndex(clusters);
    index.addPlacement('team/one', IN_EU);
    index.addPlacement('team/two', IN_EU);
    return { index, clusters };
  }

  it('a requirement that two Placements share reports both when a cluster no longer meets it', () => {
    const { index } = shared();

    expect([...index.updateCluster(0, INSIDE, OUTSIDE)].sort()).toEqual(['team/one', 'team/two']);
  });

  it('a requirement that two Placements share still reports one when the other is removed', () => {
    const { index } = shared();
    index.removePlacement('team/one', IN_EU);

    expect([...index.updateCluster(0, INSIDE, OUTSIDE)]).toEqual(['team/two']);
  });

  it('a requirement is forgotten with the last Placement that has it', () => {
    const { index, clusters } = shared();
    index.removePlacement('team/one', IN_EU);
    index.removePlacement('team/two', IN_EU);
    clusters.set(0, OUTSIDE);
    index.updateCluster(0, INSIDE, OUTSIDE);
    index.addPlacement('team/three', IN_EU);

    expect([...index.updateCluster(0, OUTSIDE, INSIDE)]).toEqual(['team/three']);
  });

  it('the clusters that match rules which no Placement has are found too', () => {
    const candidates = new Bitset();
    candidates.add(0);
    candidates.add(1);
    const index = new RequirementIndex(
      new Map([
        [0, INSIDE],
        [1, OUTSIDE],
      ]),
    );

    expect([0, 1].filter((ordinal) => index.matching(IN_EU, candidates).has(ordinal))).toEqual([0]);
  });

  it('a requirement that was asked for follows clusters that come and go', () => {
    const clusters = new Map<number, ClusterView>();
    const index = new RequirementIndex(clusters);
    index.addPlacement('team/one', IN_EU);
    const candidates = new Bitset();
    candidates.add(0);
    const matches = (): boolean => index.matching(IN_EU, candidates).has(0);
    const before = matches();

    clusters.set(0, INSIDE);
    index.updateCluster(0, undefined, INSIDE);
    const added = matches();
    clusters.delete(0);
    index.updateCluster(0, INSIDE, undefined);

    expect([before, added, matches()]).toEqual([false, true, false]);
  });
});

describe('a requirement whose key no cluster has', () => {
  const [US, EU] = [OUTSIDE, INSIDE];
  const BARE = cluster('a', { labels: {} });
  const operators = [
    { operator: 'In', values: ['eu'], bare: false, us: false, eu: true },
    { operator: 'NotIn', values: ['eu'], bare: true, us: true, eu: false },
    { operator: 'Exists', bare: false, us: true, eu: true },
    { operator: 'DoesNotExist', bare: true, us: false, eu: false },
  ];

  it.each(operators)(
    'a requirement with $operator is met as without the key, and as its cluster has it once one has',
    ({ operator, values, ...expected }) => {
      const expression = { key: 'region', operator, ...(values && { values }) };
      const rules = compileSpec({
        predicates: [{ requiredClusterSelector: { labelSelector: { matchExpressions: [expression] } } }],
      });
      const candidates = new Bitset();
      candidates.add(0);
      // Asked for the first time after each history: an earlier answer is kept and updated.
      const metAfter = (...history: readonly ClusterView[]): boolean => {
        const clusters = new Map<number, ClusterView>();
        const index = new RequirementIndex(clusters);
        let before: ClusterView | undefined;
        for (const after of history) {
          clusters.set(0, after);
          index.updateCluster(0, before, after);
          before = after;
        }
        return index.matching(rules, candidates).has(0);
      };

      expect([metAfter(BARE), metAfter(EU, US, BARE)]).toEqual([expected.bare, expected.bare]);
      expect([metAfter(US), metAfter(BARE, US)]).toEqual([expected.us, expected.us]);
      expect([metAfter(EU), metAfter(BARE, US, EU)]).toEqual([expected.eu, expected.eu]);
    },
  );
});
