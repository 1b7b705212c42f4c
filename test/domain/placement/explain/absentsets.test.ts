import { describe, expect, it } from '@jest/globals';
import { worldOf, type World } from '../../../../src/answers/world/world.js';
import { explain } from '../../../../src/domain/placement/explain/explain.js';
import { absentSets, absentText } from '../../../../src/domain/placement/explain/membership.js';
import { explainInput, rawBinding, rawPlacement, rawSet } from '../../../support/builders/world.js';

const OBJECTS: Partial<World['objects']> = {
  managedclustersets: [rawSet('edge'), rawSet('ending', undefined, true), rawSet('free')],
  managedclustersetbindings: [
    rawBinding('edge'),
    rawBinding('ending'),
    rawBinding('free', { deleting: true }),
    rawBinding('nowhere'),
    rawBinding('other', { clusterSet: 'edge' }),
  ],
};

describe('absentSets', () => {
  const world = worldOf({ ...OBJECTS, placements: [rawPlacement({})] });
  const { decision } = explain(explainInput(world));
  const texts = (requested: readonly string[]): readonly string[] =>
    decision === undefined ? [] : absentSets(requested, decision.eligibility).map((one) => absentText(one, 'shop'));

  it('without ClusterSets the absent sets are those of every binding that brings in no cluster', () => {
    expect(texts([])).toEqual([
      'ManagedClusterSet ending is being deleted',
      'its binding is being deleted',
      'there is no ManagedClusterSet nowhere',
      'the name of binding other is not its spec.clusterSet',
    ]);
  });

  it('with ClusterSets the absent sets are those of them that bring in no cluster', () => {
    expect(texts(['edge', 'nowhere', 'unbound'])).toEqual([
      'there is no ManagedClusterSet nowhere',
      'no ManagedClusterSetBinding unbound in namespace shop',
    ]);
  });
});
