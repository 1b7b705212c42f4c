import { describe, expect, it } from '@jest/globals';
import type { ManagedCluster } from '../../../src/api/generated/managedcluster.js';
import {
  profileChange as changeOf,
  type ClusterProfile,
  type ProfileChange,
} from '../../../src/domain/inventories/clusterprofile.js';
import { clusterProfileInventory } from '../../../src/domain/inventories/source.js';

const NAME = { namespace: 'inventory', name: 'edge-1' };
const SINCE = '2026-11-22T10:00:00Z';
const SOURCE = 'cluster.fleetmgmt.io/source';
const CA = 'LS0tLS1CRUdJTi0=';

const condition = (type: string, status = 'True', reason = 'Because', over: object = {}): object => ({
  type,
  status,
  reason,
  message: 'as seen',
  lastTransitionTime: SINCE,
  ...over,
});

function cluster(over: { labels?: Record<string, string>; source?: string; status?: object } = {}): ManagedCluster {
  const annotations = over.source === undefined ? undefined : { [SOURCE]: over.source };
  const metadata = { name: 'edge-1', ...(over.labels && { labels: over.labels }), ...(annotations && { annotations }) };
  return { metadata, spec: {}, ...(over.status && { status: over.status }) };
}

function profileChange(cluster?: ManagedCluster, stored?: ClusterProfile): ProfileChange {
  return changeOf({ name: NAME, cluster, stored });
}

/** The profile as it is stored when what becomes of it was done. */
function published(of: ManagedCluster): ClusterProfile {
  const change = profileChange(of);
  if (change.kind !== 'create' || change.changed.object === undefined) throw new Error(change.kind);
  const { object, status } = change.changed;
  return { ...object, ...(status && { status }) };
}

const FULL = cluster({
  labels: { tier: 'gold', 'cluster.fleetmgmt.io/clusterset': 'prod', 'x-k8s.io/cluster-manager': 'another' },
  status: {
    version: { kubernetes: 'v1.36.3' },
    clusterClaims: [
      { name: 'platform', value: 'aws' },
      { name: 'empty', value: '' },
    ],
    conditions: [
      condition('ManagedClusterConditionAvailable', 'Unknown', 'ManagedClusterLeaseUpdateStopped'),
      condition('ManagedClusterJoined', 'True', 'ManagedClusterJoined'),
      condition('HubAcceptedManagedCluster'),
      condition('ControlPlaneHealthy'),
    ],
    managedClusterClientConfigs: [{ url: 'http://plain' }, { url: 'https://edge-1:6443', caBundle: CA }],
    allocatable: { cpu: '4' },
  },
});

describe('the ClusterProfile of a ManagedCluster', () => {
  it('has what the hub knows: labels, version, claims, health as the hub judges it, and where its API is served', () => {
    const { metadata, spec, status } = published(FULL);

    expect(metadata).toEqual({
      ...NAME,
      labels: {
        tier: 'gold',
        'cluster.fleetmgmt.io/clusterset': 'prod',
        'x-k8s.io/cluster-manager': 'multicluster-engine',
      },
      annotations: {
        [SOURCE]: 'managedclusters.cluster.fleetmgmt.io/edge-1',
        'cluster.fleetmgmt.io/source-revision': expect.stringMatching(/^[0-9a-f]{16}$/),
      },
    });
    expect(spec).toEqual({ clusterManager: { name: 'multicluster-engine' } });
    expect(status).toEqual({
      version: { kubernetes: 'v1.36.3' },
      properties: [{ name: 'platform', value: 'aws' }],
      conditions: [
        condition('ControlPlaneHealthy', 'Unknown', 'ManagedClusterLeaseUpdateStopped'),
        condition('Joined', 'True', 'ManagedClusterJoined'),
      ],
      accessProviders: [
        {
          name: 'multicluster-engine',
          cluster: {
            server: 'https://edge-1:6443',
            'certificate-authority-data': CA,
            extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { clusterName: 'edge-1' } }],
          },
        },
      ],
    });
  });

  it('is created with what never changes of it, and so never has fields that a later apply could not take away', () => {
    expect(profileChange(FULL)).toMatchObject({
      kind: 'create',
      base: {
        metadata: { ...NAME, labels: { 'x-k8s.io/cluster-manager': 'multicluster-engine' } },
        spec: { clusterManager: { name: 'multicluster-engine' } },
      },
    });
    const change = profileChange(FULL);
    expect(change.kind === 'create' && Object.keys(change.base.metadata.labels ?? {})).toEqual([
      'x-k8s.io/cluster-manager',
    ]);
  });

  it('of a cluster that nobody reports for says nothing', () => {
    expect(published(cluster()).status).toEqual({});
  });

  it.each([
    ['a condition without a time is left out', { lastTransitionTime: undefined }, undefined],
    ['a reason that the schema refuses is replaced', { reason: 'not one word' }, 'Reported'],
    ['a missing reason is replaced', { reason: undefined }, 'Reported'],
  ])('%s', (_title, over, reason) => {
    const conditions = [condition('ManagedClusterConditionAvailable', 'True', 'Because', over)];

    expect(published(cluster({ status: { conditions } })).status?.conditions?.[0]?.reason).toBe(reason);
  });

  it('names no address without TLS: readers send credentials to it', () => {
    const status = { managedClusterClientConfigs: [{ url: 'http://edge-1' }] };

    expect(published(cluster({ status })).status).toEqual({});
  });
});

describe('what becomes of a stored ClusterProfile', () => {
  it('one that says what the hub knows is not written, whatever others have added to it', () => {
    const stored = published(FULL);
    const { status = {} } = stored;
    const added: ClusterProfile = {
      ...stored,
      metadata: { ...stored.metadata, labels: { ...stored.metadata.labels, theirs: 'x' }, resourceVersion: '7' },
      status: {
        ...status,
        properties: [{ name: 'theirs', value: 'x' }, ...(status.properties ?? [])],
        accessProviders: [
          { name: 'secretreader', cluster: { server: 'https://x', extensions: [] } },
          ...(status.accessProviders ?? []),
        ],
      },
    };

    expect(profileChange(FULL, stored)).toEqual({ kind: 'none' });
    expect(profileChange(FULL, added)).toEqual({ kind: 'none' });
  });

  it('what others have changed is applied again, and that part alone', () => {
    const stored = published(FULL);
    const relabelled = { ...stored, metadata: { ...stored.metadata, labels: { tier: 'gold' } } };
    const blank = { ...stored, status: {} };

    expect(profileChange(FULL, relabelled)).toMatchObject({
      kind: 'apply',
      changed: { object: { metadata: { labels: { tier: 'gold' } } }, status: undefined },
    });
    expect(profileChange(FULL, blank)).toMatchObject({
      kind: 'apply',
      changed: { object: undefined, status: stored.status },
    });
  });

  it('a value that has changed needs no write but that of the status', () => {
    const conditions = [condition('ManagedClusterConditionAvailable', 'True'), condition('ManagedClusterJoined')];
    const recovered = { ...FULL, status: { ...FULL.status, conditions } };

    expect(profileChange(recovered as ManagedCluster, published(FULL))).toMatchObject({
      kind: 'apply',
      changed: { object: undefined, status: { conditions: [{ type: 'ControlPlaneHealthy', status: 'True' }, {}] } },
    });
  });

  it('a certificate that an address has no more goes', () => {
    const status = (caBundle?: string): object => ({
      managedClusterClientConfigs: [{ url: 'https://edge-1', ...(caBundle !== undefined && { caBundle }) }],
    });
    const change = profileChange(cluster({ status: status() }), published(cluster({ status: status(CA) })));

    expect(change).toMatchObject({ kind: 'apply', changed: { object: {}, status: {} } });
  });

  it('what the hub does not know any more goes with an apply of both parts', () => {
    const change = profileChange(cluster(), published(FULL));

    expect(change).toMatchObject({ kind: 'apply', changed: { status: {} } });
    expect(change.kind === 'apply' && change.changed.object?.metadata.labels).toEqual({
      'x-k8s.io/cluster-manager': 'multicluster-engine',
    });
  });

  const base = published(cluster());
  const others: readonly (readonly [string, ClusterProfile])[] = [
    ['another manager', { ...base, spec: { clusterManager: { name: 'manager' } } }],
    ['people, by the name of the product', { ...base, metadata: { ...NAME } }],
    [
      'a copy of another profile',
      { ...base, metadata: { ...NAME, annotations: { [SOURCE]: 'managedclusters.cluster.fleetmgmt.io/edge-2' } } },
    ],
  ];

  it.each(others)(
    'one that was made by %s is left alone, with its cluster and without, and can be read',
    (_by, stored) => {
      expect(profileChange(FULL, stored)).toEqual({ kind: 'foreign' });
      expect(profileChange(undefined, stored)).toEqual({ kind: 'none' });
      expect(clusterProfileInventory.read(stored)?.name).toBe('edge-1');
    },
  );

  it('one of ours goes with its cluster, and is no cluster of another inventory', () => {
    expect(profileChange(undefined, base)).toEqual({ kind: 'remove', stored: base });
    expect(profileChange()).toEqual({ kind: 'none' });
    expect(clusterProfileInventory.read(base)).toBeUndefined();
  });

  it('a cluster that was made from a ClusterProfile has that one, and gets no second', () => {
    const sourced = cluster({ source: 'clusterprofiles.multicluster.x-k8s.io/fleet/edge-1' });

    expect(profileChange(sourced)).toEqual({ kind: 'none' });
    expect(profileChange(sourced, base)).toEqual({ kind: 'remove', stored: base });
    const ocm = cluster({ source: 'managedclusters.cluster.open-cluster-management.io/edge-1' });
    expect(profileChange(ocm)).toMatchObject({ kind: 'create' });
  });

  it('one that is being deleted is not written: its end brings the cluster back', () => {
    const deleting = { ...base, metadata: { ...base.metadata, deletionTimestamp: SINCE } };

    expect(profileChange(FULL, deleting)).toEqual({ kind: 'none' });
  });
});
