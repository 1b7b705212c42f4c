import { describe, expect, it } from '@jest/globals';

import { compileSpec } from '../../src/domain/placement/predicates.js';
import type { ClusterView } from '../../src/domain/placement/snapshot.js';
import { Bitset } from '../../src/index/bitset.js';
import { RequirementIndex } from '../../src/index/requirementindex.js';
import { cluster } from '../support/builders/placement.js';

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
