import { describe, expect, it } from '@jest/globals';
import { placementTrees } from '../../src/answers/tree.js';
import { worldOf } from '../../src/answers/world/world.js';
import { rawBinding, rawCluster, rawDecision, rawPlacement, rawSet } from '../support/builders/world.js';

const notEdge = {
  selectorType: 'LabelSelector',
  labelSelector: { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['edge'] }] },
};

describe('placementTrees', () => {
  it('a cluster of several sets is in each of them, and one that does not exist in none', () => {
    const world = worldOf({
      placements: [rawPlacement({ numberOfClusters: 3 })],
      placementdecisions: [rawDecision(2, ['a', 'gone']), rawDecision(1, ['b', 'a'])],
      managedclusters: [
        rawCluster('a', { set: 'production' }),
        rawCluster('b', { set: 'production', labels: { tier: 'edge' } }),
        rawCluster('c', { set: 'production' }),
      ],
      managedclustersets: [rawSet('production'), rawSet('inland', notEdge), rawSet('unbound')],
      managedclustersetbindings: [rawBinding('production'), rawBinding('inland')],
    });

    expect(placementTrees(world)).toEqual([
      {
        namespace: 'shop',
        name: 'web',
        phase: 'Pending',
        selected: 3,
        wanted: 3,
        clusterSets: [
          { name: 'inland', clusters: ['a'] },
          { name: 'production', clusters: ['a', 'b'] },
        ],
        others: ['gone'],
      },
    ]);
  });
});
