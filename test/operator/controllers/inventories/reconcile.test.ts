import { describe, expect, it } from '@jest/globals';
import type { ManagedCluster } from '../../../../src/api/generated/managedcluster.js';
import { ClusterProfiles, ManagedClusters, OcmAddOnPlacementScores } from '../../../../src/api/resources.js';
import { CustomResourceDefinitions } from '../../../../src/runtime/vocabulary/kinds.js';
import { failure } from '../../../support/fakes/api.js';
import { InventoryRig } from '../../../support/rigs/controllers/inventories.js';

const SOURCE = 'cluster.fleetmgmt.io/source';
const MINUTE = 60_000;
const UNSERVED = failure('ResourceMissing', 'list', ClusterProfiles, { name: '' });

describe('ManagedClusters from other inventories', () => {
  it('each cluster of both inventories becomes a ManagedCluster that names its source, and nothing is written after that', async () => {
    const hub = new InventoryRig();
    hub.profile('edge-1', { region: 'eu' }, { properties: [{ name: 'zone', value: 'a' }] });
    hub.ocmCluster('edge-2', { region: 'us' });
    await hub.start();

    expect(hub.cluster('edge-1')).toMatchObject({
      metadata: {
        labels: { region: 'eu' },
        annotations: { [SOURCE]: 'clusterprofiles.multicluster.x-k8s.io/fleet/edge-1' },
      },
      status: { clusterClaims: [{ name: 'zone', value: 'a' }] },
    });
    expect(hub.cluster('edge-2')?.metadata.annotations?.[SOURCE]).toBe(
      'managedclusters.cluster.open-cluster-management.io/edge-2',
    );
    const { length } = hub.api.writes;
    await hub.converge(25 * MINUTE);
    expect(hub.api.writes).toHaveLength(length);
    expect(hub.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('scores of add-ons become claims, change with them, and go when they expire or are deleted', async () => {
    const hub = new InventoryRig();
    const claims = (): unknown => hub.cluster('edge-1')?.status?.clusterClaims;
    hub.ocmCluster('edge-1');
    hub.ocmScore('edge-1', 'usage', { cpu: 30 }, new Date(hub.clock.now() + MINUTE).toISOString());
    hub.ocmScore('edge-1', 'price', { hour: 7 });
    hub.ocmScore('edge-1', 'area', { rank: 1 });
    await hub.start();
    const area = { name: 'score/area/rank', value: '1' };
    const price = { name: 'score/price/hour', value: '7' };
    expect(claims()).toEqual([area, price, { name: 'score/usage/cpu', value: '30' }]);

    hub.ocmScore('edge-1', 'price', { hour: 8 });
    await hub.converge();
    expect(claims()).toContainEqual({ ...price, value: '8' });
    await hub.converge(MINUTE);
    expect(claims()).toEqual([area, { ...price, value: '8' }]);
    hub.api.remove(OcmAddOnPlacementScores, { namespace: 'edge-1', name: 'price' });
    await hub.converge();
    expect(claims()).toEqual([area]);
    const { length } = hub.api.writes;
    await hub.converge(25 * MINUTE);
    expect(hub.api.writes).toHaveLength(length);
  });

  it('while scores cannot be read, the claims that a cluster has of them stay', async () => {
    const hub = new InventoryRig();
    hub.ocmCluster('edge-1');
    hub.ocmScore('edge-1', 'price', { hour: 7 });
    await hub.start();
    hub.scores.fail(failure('ResourceMissing', 'list', OcmAddOnPlacementScores, { name: '' }));
    hub.ocmCluster('edge-1', { region: 'eu' });
    await hub.converge();

    expect(hub.cluster('edge-1')).toMatchObject({
      metadata: { labels: { region: 'eu' } },
      status: { clusterClaims: [{ name: 'score/price/hour', value: '7' }] },
    });
  });

  it('a change of the source is applied, and what somebody has changed is put right', async () => {
    const hub = new InventoryRig();
    hub.profile('edge-1', { region: 'eu' });
    await hub.start();
    hub.profile('edge-1', { region: 'us' });
    await hub.converge();
    expect(hub.cluster('edge-1')?.metadata.labels).toEqual({ region: 'us' });

    const stored = hub.cluster('edge-1');
    const labels = { region: 'asia', 'cluster.fleetmgmt.io/clusterset': 'prod' };
    hub.api.put<ManagedCluster>(ManagedClusters, {
      ...stored,
      metadata: { ...stored?.metadata, name: 'edge-1', labels },
      spec: {},
    });
    await hub.converge();
    expect(hub.cluster('edge-1')?.metadata.labels).toEqual({ ...labels, region: 'us' });
  });

  it('a ManagedCluster that people have made stays as it is, whatever an inventory says', async () => {
    const hub = new InventoryRig();
    hub.api.put<ManagedCluster>(ManagedClusters, { metadata: { name: 'edge-1' }, spec: {} });
    hub.profile('edge-1', { region: 'eu' });
    await hub.start();
    hub.removeProfile('edge-1');
    await hub.converge(10 * MINUTE);

    expect(hub.api.writes).toEqual([]);
    expect(hub.names()).toEqual(['edge-1']);
  });

  it('a ManagedCluster that is made after the cache was read is not touched', async () => {
    const hub = await new InventoryRig().start();
    hub.clusters.pause();
    hub.api.put<ManagedCluster>(ManagedClusters, { metadata: { name: 'edge-1' }, spec: {} });
    hub.profile('edge-1');
    await hub.converge();

    expect(hub.api.writes).toEqual([]);
  });

  it('nothing is written while the ManagedClusters of the hub cannot be read', async () => {
    const hub = await new InventoryRig().start();
    hub.clusters.fail(failure('Transport', 'list', ManagedClusters, { name: '' }));
    hub.profile('edge-1', { region: 'eu' });
    await hub.converge();
    expect(hub.api.writes).toEqual([]);

    hub.clusters.fail(undefined);
    await hub.converge(10_000);
    expect(hub.cluster('edge-1')?.metadata.labels).toEqual({ region: 'eu' });
  });

  it('a cluster whose agent the hub accepts is left alone from then on, and stays when its source goes', async () => {
    const hub = new InventoryRig();
    hub.profile('edge-1', { region: 'eu' });
    await hub.start();
    const stored = hub.cluster('edge-1');
    if (stored === undefined) throw new Error('no cluster edge-1');
    hub.api.put<ManagedCluster>(ManagedClusters, { ...stored, spec: { hubAcceptsClient: true } });
    const { length } = hub.api.writes;
    hub.profile('edge-1', { region: 'us' });
    await hub.converge();
    hub.removeProfile('edge-1');
    await hub.converge(10 * MINUTE);

    expect(hub.api.writes).toHaveLength(length);
    expect(hub.names()).toEqual(['edge-1']);
  });

  it('a cluster goes a minute after its source', async () => {
    const hub = new InventoryRig();
    hub.profile('edge-1');
    hub.profile('edge-2');
    await hub.start();
    hub.removeProfile('edge-1');
    await hub.converge(MINUTE - 10_000);
    expect(hub.names()).toEqual(['edge-1', 'edge-2']);

    await hub.converge(20_000);
    expect(hub.names()).toEqual(['edge-2']);
  });

  it('a source that comes back within the minute keeps its cluster', async () => {
    const hub = new InventoryRig();
    hub.profile('edge-1');
    await hub.start();
    hub.removeProfile('edge-1');
    await hub.converge(MINUTE / 2);
    hub.profile('edge-1');
    await hub.converge(5 * MINUTE);

    expect(hub.names()).toEqual(['edge-1']);
  });

  it('with most of an inventory gone no cluster is deleted, and events say why', async () => {
    const hub = new InventoryRig();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) hub.profile(name);
    await hub.start();
    for (const name of ['a', 'b', 'c']) {
      hub.removeProfile(name);
      await hub.converge(10_000);
    }
    await hub.converge(10 * MINUTE);

    expect(hub.names()).toEqual(names);
    expect(hub.events.map(({ reason, regarding }) => `${reason} ${regarding.metadata.name}`)).toEqual(
      expect.arrayContaining(['SourceMissing a', 'SourceMissing b', 'SourceMissing c']),
    );

    hub.profile('c');
    await hub.converge(10 * MINUTE);
    expect(hub.names()).toEqual(['c', 'd', 'e']);
  });

  it('with most of an inventory unavailable no further cluster is tainted, and with fewer each is', async () => {
    const hub = new InventoryRig();
    const condition = (status: string): object => ({
      conditions: [
        { type: 'ControlPlaneHealthy', status, reason: 'R', message: '', lastTransitionTime: '2026-11-22T10:00:00Z' },
      ],
    });
    const names = ['a', 'b', 'c', 'd', 'e'];
    const tainted = (): readonly string[] => names.filter((name) => (hub.cluster(name)?.spec.taints ?? []).length > 0);
    for (const name of names) hub.profile(name, {}, condition('True'));
    await hub.start();
    hub.profile('a', {}, condition('Unknown'));
    await hub.converge(MINUTE - 10_000);
    expect(tainted()).toEqual([]);
    await hub.converge(20_000);
    expect(tainted()).toEqual(['a']);

    for (const name of ['b', 'c', 'd']) hub.profile(name, {}, condition('Unknown'));
    await hub.converge(10 * MINUTE);
    expect(tainted()).toEqual(['a']);
    expect(hub.cluster('d')?.status?.conditions).toMatchObject([{ status: 'Unknown' }]);

    for (const name of ['b', 'c']) hub.profile(name, {}, condition('True'));
    await hub.converge(2 * MINUTE);
    expect(tainted()).toEqual(['a', 'd']);
  });

  it('while the definition of an inventory is missing no cluster is deleted', async () => {
    const hub = new InventoryRig();
    hub.profile('edge-1');
    await hub.start();
    hub.api.remove(CustomResourceDefinitions, { name: 'clusterprofiles.multicluster.x-k8s.io' });
    hub.removeProfile('edge-1');
    await hub.converge(10 * MINUTE);
    expect(hub.names()).toEqual(['edge-1']);

    hub.define(ClusterProfiles);
    await hub.converge(MINUTE);
    expect(hub.names()).toEqual([]);
  });

  it('an inventory whose API is not served is reported once and deletes nothing, and the other one continues', async () => {
    const hub = new InventoryRig();
    hub.profile('edge-1');
    await hub.start();
    hub.profiles.fail(UNSERVED);
    hub.profiles.fail(UNSERVED);
    hub.removeProfile('edge-1');
    hub.ocmCluster('edge-2');
    await hub.converge(10 * MINUTE);

    expect(hub.warnings()).toEqual(['API is not served; ignored until it is']);
    expect(hub.names()).toEqual(['edge-1', 'edge-2']);

    hub.profiles.fail(undefined);
    await hub.converge(2 * MINUTE);
    expect(hub.names()).toEqual(['edge-2']);
  });

  it('a cluster of two inventories stays with the first one, and goes over to the other when that loses it', async () => {
    const hub = new InventoryRig();
    hub.profile('edge-1', { from: 'profile' });
    hub.ocmCluster('edge-1', { from: 'ocm' });
    await hub.start();
    const uid = hub.cluster('edge-1')?.metadata.uid;
    expect(hub.cluster('edge-1')?.metadata.labels).toEqual({ from: 'profile' });

    hub.removeProfile('edge-1');
    await hub.converge();
    expect(hub.cluster('edge-1')?.metadata).toMatchObject({ uid, labels: { from: 'ocm' } });
  });
});
