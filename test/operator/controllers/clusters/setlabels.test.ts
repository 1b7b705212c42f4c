import { describe, expect, it } from '@jest/globals';
import type { ManagedCluster } from '../../../../src/api/generated/managedcluster.js';
import { ManagedClusters, ManagedClusterSets } from '../../../../src/api/resources.js';
import { failure } from '../../../support/fakes/api.js';
import { PlacementRig } from '../../../support/rigs/controllers/placement.js';

const AVAILABLE = { type: 'ManagedClusterAvailable', status: 'True' } as const;
const WRITE = /^updateStatus managedclusters /;

function clusterOf(hub: PlacementRig, name: string): ManagedCluster | undefined {
  return hub.api.peek<ManagedCluster>(ManagedClusters, { name });
}

function messageOf(hub: PlacementRig, name: string): string | undefined {
  return clusterOf(hub, name)?.status?.conditions?.find(({ type }) => type === 'ClusterSetMissing')?.message;
}

function writes(hub: PlacementRig): readonly string[] {
  return hub.api.writes.filter((write) => WRITE.test(write));
}

/** Writes the status of a cluster as its agent does, with nothing of others in it. */
function report(hub: PlacementRig, name: string): void {
  const stored = clusterOf(hub, name);
  const status = { clusterClaims: [{ name: 'platform', value: 'aws' }], conditions: [AVAILABLE] };
  hub.api.put<ManagedCluster>(ManagedClusters, { metadata: { ...stored?.metadata, name }, spec: {}, status });
}

describe('the condition ClusterSetMissing of a ManagedCluster', () => {
  it('a label that names no set is reported, and no longer once it is corrected', async () => {
    const hub = await new PlacementRig().start();
    hub.cluster('a', {}, { set: 'flete' });
    report(hub, 'a');
    await hub.untilIdle(10_000);

    expect(messageOf(hub, 'a')).toBe(
      'label cluster.fleetmgmt.io/clusterset=flete: there is no ManagedClusterSet flete',
    );
    expect(clusterOf(hub, 'a')?.status).toMatchObject({
      clusterClaims: [{ value: 'aws' }],
      conditions: [AVAILABLE, {}],
    });

    const { metadata, status } = clusterOf(hub, 'a') ?? { metadata: { name: 'a' } };
    const labels = { 'cluster.fleetmgmt.io/clusterset': 'fleet' };
    hub.api.put<ManagedCluster>(ManagedClusters, {
      metadata: { ...metadata, labels },
      spec: {},
      ...(status && { status }),
    });
    await hub.untilIdle(10_000);

    expect(clusterOf(hub, 'a')?.status?.conditions).toEqual([AVAILABLE]);
    expect(writes(hub)).toHaveLength(2);
  });

  it('a cluster without other conditions has none again, as before, once its set is created', async () => {
    const hub = await new PlacementRig().start();
    hub.cluster('a', {}, { set: 'late' });
    await hub.untilIdle(10_000);
    expect(messageOf(hub, 'a')).toContain('late');

    hub.set('late');
    await hub.untilIdle(10_000);

    expect(Object.keys(clusterOf(hub, 'a')?.status ?? {})).toEqual(['clusterClaims']);
  });

  it('a cluster without a status has none again, once its set is created', async () => {
    const hub = await new PlacementRig().start();
    const labels = { 'cluster.fleetmgmt.io/clusterset': 'late' };
    hub.api.put<ManagedCluster>(ManagedClusters, { metadata: { name: 'a', labels }, spec: {} });
    await hub.untilIdle(10_000);
    expect(messageOf(hub, 'a')).toContain('late');

    hub.set('late');
    await hub.untilIdle(10_000);

    expect(clusterOf(hub, 'a')?.status).toBeUndefined();
  });

  it('nothing is written for a set that is created a moment after its clusters', async () => {
    const hub = await new PlacementRig().start();
    hub.cluster('a', {}, { set: 'late' });
    await hub.clock.advance(2_000);
    hub.set('late');
    await hub.untilIdle(20_000);

    expect(writes(hub)).toEqual([]);
  });

  it('the deletion of a set is reported once at each of its clusters, and a restart writes nothing', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b', 'c');
    await hub.start();
    hub.api.remove(ManagedClusterSets, { name: 'fleet' });
    await hub.untilIdle(10_000);
    const reported = ['a', 'b', 'c'].map((name) => messageOf(hub, name) !== undefined);
    await hub.loseLease();
    const restarted = await new PlacementRig(hub).start();
    await restarted.untilIdle(20_000);

    expect(reported).toEqual([true, true, true]);
    expect(writes(hub)).toHaveLength(3);
  });

  it('it is written again after an agent replaced the whole status, and a heartbeat that keeps it writes nothing', async () => {
    const hub = await new PlacementRig().start();
    hub.cluster('a', {}, { set: 'flete' });
    await hub.untilIdle(10_000);
    report(hub, 'a');
    await hub.untilIdle(10_000);
    const again = messageOf(hub, 'a');
    const before = writes(hub).length;
    const stored = clusterOf(hub, 'a');
    if (stored !== undefined)
      hub.api.put<ManagedCluster>(ManagedClusters, {
        ...stored,
        status: { ...stored.status, version: { kubernetes: 'v1.36.3' } },
      });
    await hub.untilIdle(20_000);

    expect(again).toContain('flete');
    expect(before).toBe(2);
    expect(writes(hub)).toHaveLength(2);
  });

  it('a write that meets a change of the cluster is tried again', async () => {
    const hub = await new PlacementRig().start();
    let refused = 0;
    hub.api.before = (call) => {
      if (call.verb !== 'updateStatus' || call.type !== ManagedClusters || refused > 0) return;
      refused += 1;
      throw failure('Conflict', 'updateStatus', ManagedClusters, call.name);
    };
    hub.cluster('a', {}, { set: 'flete' });
    await hub.untilIdle(60_000);

    expect(refused).toBe(1);
    expect(messageOf(hub, 'a')).toContain('flete');
  });

  it('a cluster without the label, and one that is being deleted, get no condition', async () => {
    const hub = await new PlacementRig().start();
    hub.api.put<ManagedCluster>(ManagedClusters, { metadata: { name: 'free' }, spec: {} });
    hub.cluster('a', {}, { set: 'flete' });
    hub.deleting('a');
    await hub.untilIdle(20_000);

    expect(writes(hub)).toEqual([]);
  });
});
