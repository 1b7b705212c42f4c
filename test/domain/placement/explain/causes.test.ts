import { describe, expect, it } from '@jest/globals';
import { CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import { worldOf, type World } from '../../../../src/answers/world/world.js';
import { causeText } from '../../../../src/domain/placement/explain/causes.js';
import { explain } from '../../../../src/domain/placement/explain/explain.js';
import {
  explainInput,
  predicate,
  rawBinding,
  rawCluster,
  rawDecision,
  rawPlacement,
  rawSet,
} from '../../../support/builders/world.js';

const OBJECTS: Partial<World['objects']> = {
  managedclustersets: [rawSet('edge'), rawSet('ending', undefined, true), rawSet('free'), rawSet('production')],
  managedclustersetbindings: [
    rawBinding('edge'),
    rawBinding('ending'),
    rawBinding('free', { deleting: true }),
    rawBinding('nowhere'),
    rawBinding('other', { clusterSet: 'edge' }),
    rawBinding('production'),
  ],
};

function causeOf(cluster: Parameters<typeof rawCluster>[1], spec: unknown = {}): string | undefined {
  const world = worldOf({
    ...OBJECTS,
    placements: [rawPlacement(spec)],
    placementdecisions: [rawDecision(1, ['a'])],
    managedclusters: cluster === undefined ? [] : [rawCluster('a', cluster)],
  });
  const explained = explain(explainInput(world));
  const [one] = explained.clusters;
  return one && causeText(one, explained);
}

const wantsGold = { predicates: [predicate({ tier: 'gold' })] };
const some = { ClusterSets: ['edge', 'nowhere'] };

describe('causeText', () => {
  it.each([
    { of: 'that was deleted', cluster: undefined, text: 'was deleted' },
    { of: 'that is being deleted', cluster: { set: 'edge', deleting: true }, text: 'ManagedCluster is being deleted' },
    {
      of: 'of no set',
      cluster: {},
      spec: some,
      text: `no label ${CLUSTER_SET_LABEL}, in none of cluster sets edge; nothing comes from nowhere (there is no ManagedClusterSet nowhere)`,
    },
    { of: 'of a set that does not exist', cluster: { set: 'nowhere' }, text: 'there is no ManagedClusterSet nowhere' },
    { of: 'of a set being deleted', cluster: { set: 'ending' }, text: 'ManagedClusterSet ending is being deleted' },
    { of: 'of a set with a binding being deleted', cluster: { set: 'free' }, text: 'its binding is being deleted' },
    {
      of: 'of a set without a binding, which may exist or not',
      cluster: { set: 'secret' },
      text: `label ${CLUSTER_SET_LABEL}=secret, no ManagedClusterSetBinding secret in namespace shop`,
    },
    {
      of: 'of a bound set that is not asked for',
      cluster: { set: 'production' },
      spec: some,
      text: `label ${CLUSTER_SET_LABEL}=production, spec.ClusterSets does not name production; nothing comes from nowhere (there is no ManagedClusterSet nowhere)`,
    },
    {
      of: 'of no set where none is eligible',
      cluster: {},
      spec: { ClusterSets: ['x'] },
      text: 'nothing comes from x (no ManagedClusterSetBinding x in namespace shop)',
    },
    {
      of: 'with another value',
      cluster: { set: 'edge', labels: { tier: 'silver' } },
      spec: wantsGold,
      text: 'label tier=silver, wanted tier=gold',
    },
    { of: 'without the key', cluster: { set: 'edge' }, spec: wantsGold, text: 'no label tier, wanted tier=gold' },
    {
      of: 'with several unmet requirements',
      cluster: { set: 'edge', claims: { platform: 'bare metal' } },
      spec: {
        predicates: [
          predicate({ tier: 'gold' }, [], [{ key: 'platform', operator: 'In', values: ['aws', 'Google Cloud'] }]),
        ],
      },
      text: 'no label tier, wanted tier=gold (and 1 more)',
    },
    { of: 'that is selected', cluster: { set: 'edge' }, text: undefined },
  ])('the cause of a cluster $of is: $text', ({ cluster, spec, text }) => {
    expect(causeOf(cluster, spec)).toBe(text);
  });
});
