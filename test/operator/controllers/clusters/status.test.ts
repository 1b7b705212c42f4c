import { describe, expect, it } from '@jest/globals';
import type { ManagedClusterSet } from '../../../../src/api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../../../src/api/generated/managedclustersetbinding.js';
import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets } from '../../../../src/api/resources.js';
import { failure } from '../../../support/fakes/api.js';
import { PlacementRig, NAMESPACE } from '../../../support/rigs/controllers/placement.js';

const ENDING = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/hold'] };

function setOf(hub: PlacementRig, name = 'fleet'): ManagedClusterSet['status'] {
  return hub.api.peek<ManagedClusterSet>(ManagedClusterSets, { name })?.status;
}

function boundOf(hub: PlacementRig, name = 'fleet'): string | undefined {
  const found = hub.api.peek<ManagedClusterSetBinding>(ManagedClusterSetBindings, { namespace: NAMESPACE, name });
  return found?.status?.conditions?.find((one) => one.type === 'Bound')?.reason;
}

describe('reconcile of ManagedClusterSets', () => {
  it('the status of a ManagedClusterSet follows its members', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b');
    await hub.start();
    expect(setOf(hub)).toMatchObject({
      numberOfClusters: 2,
      conditions: [{ type: 'ClusterSetEmpty', status: 'False' }, { type: 'InUse' }],
    });

    hub.cluster('a', {}, { set: 'elsewhere' });
    hub.api.remove(ManagedClusters, { name: 'b' });
    await hub.untilIdle();

    expect(setOf(hub)).toMatchObject({
      numberOfClusters: 0,
      conditions: [{ status: 'True', reason: 'NoClusterSelected' }, { type: 'InUse' }],
    });
  });

  it('the status of a ManagedClusterSet does not count members that are being deleted', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b');
    await hub.start();

    hub.deleting('a');
    await hub.untilIdle();
    expect(setOf(hub)).toMatchObject({
      numberOfClusters: 1,
      conditions: [{ status: 'False', reason: 'ClustersSelected' }, { type: 'InUse' }],
    });

    hub.deleting('b');
    await hub.untilIdle();
    expect(setOf(hub)).toMatchObject({
      numberOfClusters: 0,
      conditions: [{ status: 'True', reason: 'NoClusterSelected' }, { type: 'InUse' }],
    });
  });

  it('the status of a ManagedClusterSet is updated while the set is being deleted', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    await hub.start();
    const stored = hub.api.peek<ManagedClusterSet>(ManagedClusterSets, { name: 'fleet' });
    hub.api.put(ManagedClusterSets, { ...stored, metadata: { name: 'fleet', ...ENDING } });
    await hub.untilIdle();

    hub.clusters('b');
    await hub.untilIdle();

    expect(setOf(hub)?.numberOfClusters).toBe(2);
  });

  it('the status of a ManagedClusterSet is written at most once a second, however often its members change', async () => {
    const hub = await new PlacementRig().start();
    const mark = hub.mark;

    for (let n = 0; n < 50; n++) {
      hub.cluster(`c${n}`);
      await hub.clock.advance(100);
    }
    await hub.untilIdle();

    const writes = hub.api.writes.slice(mark);
    expect(writes.length).toBeGreaterThan(1);
    expect(writes.length).toBeLessThanOrEqual(7);
    expect(setOf(hub)?.numberOfClusters).toBe(50);
  });

  it('the status of a ManagedClusterSet is not delayed by a write of an earlier leadership term', async () => {
    const hub = await new PlacementRig().start();
    hub.clusters('a');
    await hub.clock.advance(200);
    const before = setOf(hub)?.numberOfClusters;

    await hub.loseLease();
    hub.clusters('b');
    hub.acquireLease();
    await hub.clock.advance(200);

    expect(before).toBe(1);
    expect(setOf(hub)?.numberOfClusters).toBe(2);
  });

  it('the status of a ManagedClusterSet is not written when members change in fields that do not count', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b');
    await hub.start();
    const calls = hub.api.calls.length;

    hub.cluster('a', { colour: 'red' }, { claims: { heartbeat: '1' } });
    await hub.untilIdle();

    expect(hub.api.calls).toHaveLength(calls);
  });

  it('the status of a ManagedClusterSet reports an unreadable selector with the field and the rule', async () => {
    const hub = await new PlacementRig().start();

    hub.set('fleet', { clusterSelector: { selectorType: 'Sorting' } });
    await hub.untilIdle();

    expect(setOf(hub)).toMatchObject({
      conditions: [
        {
          status: 'Unknown',
          reason: 'SelectorUnreadable',
          message: expect.stringContaining('spec.clusterSelector.selectorType'),
        },
        { type: 'InUse' },
      ],
    });
  });

  it('the status of a ManagedClusterSet is restored when another client edits it', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    await hub.start();
    const before = setOf(hub);

    hub.api.put<ManagedClusterSet>(ManagedClusterSets, {
      metadata: { name: 'fleet' },
      spec: {},
      status: { numberOfClusters: 9 },
    });
    await hub.untilIdle();

    expect(setOf(hub)?.numberOfClusters).toBe(before?.numberOfClusters);
  });

  it('the status of a ManagedClusterSet is not written while the cache of clusters is not current', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    await hub.start();
    const mark = hub.mark;
    hub.caches.clusters.fail(new Error('404'));

    hub.api.remove(ManagedClusters, { name: 'a' });
    await hub.untilIdle();
    expect(hub.mark).toBe(mark);

    hub.caches.clusters.fail(undefined);
    await hub.untilIdle(10_000);
    expect(setOf(hub)?.numberOfClusters).toBe(0);
  });

  it('a status write that was refused or had a conflict is retried without a read', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    const kinds = ['Unavailable', 'Conflict', 'Conflict'] as const;
    let refusals = 0;
    let reads = 0;
    hub.api.before = (call) => {
      if (call.verb === 'get' && call.type === ManagedClusterSets) reads += 1;
      const kind = call.verb === 'updateStatus' && call.type === ManagedClusterSets ? kinds[refusals++] : undefined;
      if (kind !== undefined) throw failure(kind, 'updateStatus', ManagedClusterSets, call.name);
    };

    await hub.start();
    await hub.untilIdle(100_000);

    expect(refusals).toBe(4);
    expect(reads).toBe(0);
    expect(setOf(hub)?.numberOfClusters).toBe(1);
  });

  it('a status write that the API server refuses as invalid is an error, and is retried with backoff', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    let writes = 0;
    hub.api.before = (call) => {
      if (call.verb !== 'updateStatus' || call.type !== ManagedClusterSets) return;
      writes += 1;
      if (writes < 4) throw failure('Invalid', 'updateStatus', ManagedClusterSets, call.name);
    };

    await hub.start();
    await hub.untilIdle(60_000);

    expect(writes).toBe(4);
    expect(setOf(hub)?.numberOfClusters).toBe(1);
    expect(hub.log.lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual(
      Array.from({ length: 3 }, () => 'reconcile failed'),
    );
  });

  it('the status of a ManagedClusterSet is written once while the cache does not show the write', async () => {
    const hub = new PlacementRig();
    await hub.start();
    hub.caches.sets.pause();
    hub.clusters('a');
    await hub.untilIdle();
    const mark = hub.mark;

    hub.cluster('a', { colour: 'red' });
    hub.cluster('b', {}, { set: 'elsewhere' });
    await hub.untilIdle();

    expect(hub.mark).toBe(mark);
  });
});

describe('reconcile of ManagedClusterSetBindings', () => {
  it('the status of a ManagedClusterSetBinding follows its set', async () => {
    const hub = await new PlacementRig().start();
    expect(boundOf(hub)).toBe('ClusterSetBound');

    hub.api.remove(ManagedClusterSets, { name: 'fleet' });
    await hub.untilIdle();
    expect(boundOf(hub)).toBe('ClusterSetNotFound');

    hub.set('fleet');
    await hub.untilIdle();
    expect(boundOf(hub)).toBe('ClusterSetBound');
  });

  it('the status of a ManagedClusterSetBinding reports its deletion while a finalizer delays it', async () => {
    const hub = await new PlacementRig().start();
    const stored = hub.api.peek<ManagedClusterSetBinding>(ManagedClusterSetBindings, {
      namespace: NAMESPACE,
      name: 'fleet',
    });
    const metadata = { namespace: NAMESPACE, name: 'fleet', ...ENDING };

    hub.api.put(ManagedClusterSetBindings, { ...stored, metadata });
    await hub.untilIdle();

    expect(boundOf(hub)).toBe('BindingDeleting');
  });

  it('the status of a ManagedClusterSetBinding with another name than its set reports that it is ignored', async () => {
    const hub = new PlacementRig();
    hub.bind('mine', 'fleet');
    await hub.start();

    expect(boundOf(hub, 'mine')).toBe('NameDiffers');
  });

  it('the status of a ManagedClusterSetBinding is not written when the set changes in fields that do not count', async () => {
    const hub = await new PlacementRig().start();
    const mark = hub.mark;

    hub.set('fleet', { clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} } });
    await hub.untilIdle();

    expect(hub.api.writes.slice(mark).filter((write) => write.includes('bindings'))).toEqual([]);
  });
});
