import { describe, expect, it } from '@jest/globals';
import { clusterProfileInventory, type SourceObject } from '../../../src/domain/inventories/source.js';

const SINCE = '2026-11-22T10:00:00Z';

function profile(over: { metadata?: object; status?: unknown } = {}): SourceObject {
  const metadata = { namespace: 'fleet', name: 'edge-1', ...over.metadata };
  return { metadata, spec: { clusterManager: { name: 'manager' } }, status: over.status };
}

describe('a ClusterProfile as a cluster', () => {
  it('a ClusterProfile gives its labels, its properties as claims, and the health of its control plane', () => {
    const labels = { region: 'eu', 'x-k8s.io/cluster-manager': 'manager' };
    const status = {
      version: { kubernetes: 'v1.36.0' },
      properties: [
        { name: 'zone', value: 'b' },
        { name: 'cluster.clusterset.k8s.io', value: 'id-1', lastObservedTime: SINCE },
      ],
      conditions: [
        { type: 'Joined', status: 'True', reason: 'Joined', message: '', lastTransitionTime: SINCE },
        {
          type: 'ControlPlaneHealthy',
          status: 'False',
          reason: 'Down',
          message: 'no answer',
          lastTransitionTime: SINCE,
        },
      ],
    };

    expect(clusterProfileInventory.read(profile({ metadata: { labels }, status }))).toEqual({
      name: 'edge-1',
      source: 'clusterprofiles.multicluster.x-k8s.io/fleet/edge-1',
      labels,
      taints: [],
      claims: [
        { name: 'cluster.clusterset.k8s.io', value: 'id-1' },
        { name: 'zone', value: 'b' },
      ],
      availability: { status: 'False', reason: 'Down', message: 'no answer', since: SINCE },
    });
  });

  it('a ClusterProfile without a status says nothing of claims and health', () => {
    expect(clusterProfileInventory.read(profile())).toMatchObject({ claims: [], availability: undefined });
  });

  it('a ClusterProfile cannot set what the hub alone decides, such as the exclusive set', () => {
    const labels = { 'cluster.fleetmgmt.io/clusterset': 'prod', tier: 'gold' };

    expect(clusterProfileInventory.read(profile({ metadata: { labels } }))?.labels).toEqual({ tier: 'gold' });
  });

  it('a ClusterProfile that is being deleted is no cluster', () => {
    expect(clusterProfileInventory.read(profile({ metadata: { deletionTimestamp: SINCE } }))).toBeUndefined();
  });

  it.each([
    ['a list', 'x'],
    ['objects', [1, null, 'x']],
    ['names and values', [{ name: 1, value: 'a' }, { name: 'a' }, { name: '', value: 'a' }]],
    [
      'values that fit',
      [
        { name: 'a', value: 'x'.repeat(1025) },
        { name: 'x'.repeat(254), value: 'a' },
      ],
    ],
  ])('properties that are not %s are left out', (_what, properties) => {
    expect(clusterProfileInventory.read(profile({ status: { properties } }))?.claims).toEqual([]);
  });

  it('of properties with one name the first counts', () => {
    const properties = [
      { name: 'a', value: '1' },
      { name: 'a', value: '2' },
    ];
    expect(clusterProfileInventory.read(profile({ status: { properties } }))?.claims).toEqual([
      { name: 'a', value: '1' },
    ]);
  });

  it('a condition with a status of another form says nothing', () => {
    const conditions = [{ type: 'ControlPlaneHealthy', status: 'true' }];
    expect(clusterProfileInventory.read(profile({ status: { conditions } }))?.availability).toBeUndefined();
  });
});
