import { describe, expect, it } from '@jest/globals';
import { ocmInventory, type SourceObject } from '../../../src/domain/inventories/source.js';

const SINCE = '2026-11-22T10:00:00Z';
const OCM = 'cluster.open-cluster-management.io';

function cluster(over: { metadata?: object; spec?: object; status?: unknown } = {}): SourceObject {
  return {
    metadata: { name: 'edge-1', ...over.metadata },
    spec: { hubAcceptsClient: true, ...over.spec },
    status: over.status,
  };
}

describe('a ManagedCluster of Open Cluster Management as a cluster', () => {
  it('an accepted cluster gives its labels, claims, taints and availability', () => {
    const status = {
      clusterClaims: [{ name: 'id.k8s.io', value: 'id-1' }],
      conditions: [
        {
          type: 'ManagedClusterConditionAvailable',
          status: 'True',
          reason: 'ManagedClusterAvailable',
          message: 'is available',
          lastTransitionTime: SINCE,
        },
      ],
    };
    const labels = { [`${OCM}/clusterset`]: 'prod' };
    const taints = [{ key: 'gpu', value: 'a', effect: 'NoSelect', timeAdded: SINCE }];

    expect(ocmInventory.read(cluster({ metadata: { labels }, spec: { taints }, status }))).toEqual({
      name: 'edge-1',
      source: `managedclusters.${OCM}/edge-1`,
      labels,
      taints,
      claims: [{ name: 'id.k8s.io', value: 'id-1' }],
      availability: { status: 'True', reason: 'ManagedClusterAvailable', message: 'is available', since: SINCE },
    });
  });

  it.each([
    ['that its hub does not accept', { spec: { hubAcceptsClient: false } }],
    ['without a word on acceptance', { spec: { hubAcceptsClient: undefined } }],
    ['that is being deleted', { metadata: { deletionTimestamp: SINCE } }],
  ])('a cluster %s is none of the fleet', (_what, over) => {
    expect(ocmInventory.read(cluster(over))).toBeUndefined();
  });

  it('a cluster that has never reported is unknown since no time', () => {
    expect(ocmInventory.read(cluster())?.availability).toMatchObject({ status: 'Unknown', since: undefined });
  });

  it.each([
    ['is derived from the availability', { key: `${OCM}/unreachable`, effect: 'NoSelect' }],
    ['has a key of the hub', { key: 'cluster.fleetmgmt.io/cordoned', effect: 'NoSelect' }],
    ['has an unknown effect', { key: 'gpu', effect: 'NoExecute' }],
    ['has no key', { effect: 'NoSelect' }],
  ])('a taint that %s is left out', (_what, taint) => {
    const kept = { key: 'kept', effect: 'PreferNoSelect' };
    expect(ocmInventory.read(cluster({ spec: { taints: [taint, kept] } }))?.taints).toEqual([kept]);
  });

  it('a taint without a time, which Open Cluster Management may store as null, has none', () => {
    const taints = [{ key: 'gpu', effect: 'NoSelect', timeAdded: null }];
    expect(ocmInventory.read(cluster({ spec: { taints } }))?.taints).toEqual([{ key: 'gpu', effect: 'NoSelect' }]);
  });
});
