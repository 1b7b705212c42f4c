import { describe, expect, it } from '@jest/globals';

import type { ManagedClusterSet } from '../../../../src/api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../../../src/api/generated/managedclustersetbinding.js';
import type { Placement } from '../../../../src/api/generated/placement.js';
import { ManagedClusterSetBindings, ManagedClusterSets, Placements } from '../../../../src/api/resources.js';
import { failure } from '../../../support/fakes/api.js';
import { NAMESPACE, PlacementRig } from '../../../support/rigs/controllers/placement.js';

const ENDING = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/hold'] };
const IN_TEAM = 'ManagedClusterSet fleet is in use by Placements of namespaces team';
const UNUSED = 'no Placement selects from ManagedClusterSet fleet';
const BINDING_UNUSED = 'no Placement of the namespace selects from ManagedClusterSet fleet';

/** The messages of InUse of set `fleet` and of its binding; `True` or `False` stands in front. */
function inUse(hub: PlacementRig, namespace = NAMESPACE): readonly (string | undefined)[] {
  const set = hub.api.peek<ManagedClusterSet>(ManagedClusterSets, { name: 'fleet' });
  const binding = hub.api.peek<ManagedClusterSetBinding>(ManagedClusterSetBindings, { namespace, name: 'fleet' });
  return [set, binding].map((object) => {
    const found = object?.status?.conditions?.find(({ type }) => type === 'InUse');
    return found === undefined ? undefined : `${found.status} ${found.message}`;
  });
}

/** The writes of sets and bindings since `mark`. */
function writesSince(hub: PlacementRig, mark: number): readonly string[] {
  return hub.api.writes.slice(mark).filter((write) => write.includes('managedclusterset'));
}

function placeIn(hub: PlacementRig, namespace: string, name: string): void {
  hub.api.put<Placement>(Placements, { metadata: { namespace, name }, spec: {}, status: { observedGeneration: -1 } });
}

describe('condition InUse', () => {
  it('condition InUse of a set and of its binding follows the Placements that may select from them', async () => {
    const hub = await new PlacementRig().start();
    expect(inUse(hub)).toEqual([`False ${UNUSED}`, `False ${BINDING_UNUSED}`]);

    hub.place('web');
    hub.place('api', { ClusterSets: ['fleet'] });
    hub.place('other', { ClusterSets: ['nothing'] });
    await hub.untilIdle();
    expect(inUse(hub)).toEqual([`True ${IN_TEAM}`, 'True Placements api, web select from ManagedClusterSet fleet']);

    hub.place('api', { ClusterSets: ['nothing'] });
    await hub.untilIdle();
    expect(inUse(hub)).toEqual([`True ${IN_TEAM}`, 'True Placements web select from ManagedClusterSet fleet']);

    hub.api.remove(Placements, { namespace: NAMESPACE, name: 'web' });
    await hub.untilIdle();
    expect(inUse(hub)).toEqual([`False ${UNUSED}`, `False ${BINDING_UNUSED}`]);
  });

  it('condition InUse of a set is True for a misconfigured Placement, whose last decision stays', async () => {
    const hub = await new PlacementRig().start();

    hub.place('web', { numberOfClusters: 'many' });
    await hub.untilIdle();

    expect(inUse(hub)[0]).toBe(`True ${IN_TEAM}`);
  });

  it('condition InUse of a set with an unreadable selector is True, since its selected clusters stay', async () => {
    const hub = await new PlacementRig().start();

    hub.place('web');
    hub.set('fleet', { clusterSelector: { selectorType: 'Sorting' } });
    await hub.untilIdle();

    expect(inUse(hub)[0]).toBe(`True ${IN_TEAM}`);
  });

  it('condition InUse is False while the binding or the set is being deleted, and for a binding of another name', async () => {
    const hub = new PlacementRig();
    hub.place('web');
    await hub.start();
    const stored = hub.api.peek<ManagedClusterSetBinding>(ManagedClusterSetBindings, {
      namespace: NAMESPACE,
      name: 'fleet',
    });
    hub.api.put(ManagedClusterSetBindings, { ...stored, metadata: { namespace: NAMESPACE, name: 'fleet', ...ENDING } });
    hub.bind('mine', 'fleet');
    await hub.untilIdle();

    const mine = hub.api.peek<ManagedClusterSetBinding>(ManagedClusterSetBindings, {
      namespace: NAMESPACE,
      name: 'mine',
    });
    expect(inUse(hub)).toEqual([`False ${UNUSED}`, `False ${BINDING_UNUSED}`]);
    expect(mine?.status?.conditions).toMatchObject([{ type: 'Bound' }, { type: 'InUse', status: 'False' }]);

    hub.api.remove(ManagedClusterSetBindings, { namespace: NAMESPACE, name: 'fleet' });
    hub.bind('fleet');
    await hub.untilIdle();
    expect(inUse(hub)[0]).toBe(`True ${IN_TEAM}`);
    const set = hub.api.peek<ManagedClusterSet>(ManagedClusterSets, { name: 'fleet' });
    hub.api.put(ManagedClusterSets, { ...set, metadata: { name: 'fleet', ...ENDING } });
    await hub.untilIdle();
    expect(inUse(hub)).toEqual([`False ${UNUSED}`, `False ${BINDING_UNUSED}`]);
  });

  it('condition InUse is written once for each change: what changes neither a namespace nor a name in it costs no write', async () => {
    const hub = new PlacementRig();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) hub.place(name);
    await hub.start();
    expect(inUse(hub)[1]).toBe('True Placements a, b, c, d, e and others select from ManagedClusterSet fleet');
    const mark = hub.mark;

    for (let n = 0; n < 200; n++) hub.place(`g${n}`, { ClusterSets: ['fleet'], numberOfClusters: n });
    for (let n = 0; n < 200; n++) hub.place('a', { numberOfClusters: n });
    hub.api.remove(Placements, { namespace: NAMESPACE, name: 'f' });
    await hub.untilIdle(10_000);
    expect(writesSince(hub, mark)).toEqual([]);

    hub.api.remove(Placements, { namespace: NAMESPACE, name: 'a' });
    await hub.untilIdle();
    expect(writesSince(hub, mark)).toEqual(['updateStatus managedclustersetbindings team/fleet']);
  });

  it('condition InUse of a set names the namespaces, and only their bindings change', async () => {
    const hub = new PlacementRig();
    hub.bind('fleet', 'fleet', 'shop');
    hub.place('web');
    await hub.start();
    const mark = hub.mark;

    placeIn(hub, 'shop', 'till');
    await hub.untilIdle();

    expect(inUse(hub, 'shop')).toEqual([
      'True ManagedClusterSet fleet is in use by Placements of namespaces shop, team',
      'True Placements till select from ManagedClusterSet fleet',
    ]);
    expect(writesSince(hub, mark)).toEqual([
      'updateStatus managedclustersets fleet',
      'updateStatus managedclustersetbindings shop/fleet',
    ]);
  });

  it('condition InUse is not written while the cache of Placements is not current', async () => {
    const hub = new PlacementRig();
    hub.place('web');
    await hub.start();
    const mark = hub.mark;
    hub.caches.placements.fail(new Error('404'));

    hub.api.remove(Placements, { namespace: NAMESPACE, name: 'web' });
    await hub.untilIdle(20_000);
    expect(writesSince(hub, mark)).toEqual([]);

    hub.caches.placements.fail(undefined);
    await hub.untilIdle(20_000);
    expect(inUse(hub)[0]).toBe(`False ${UNUSED}`);
  });

  it('condition InUse is written by the next process when the one before ended without the write', async () => {
    const hub = await new PlacementRig().start();
    hub.api.before = (call) => {
      if (call.verb === 'updateStatus' && call.type !== Placements)
        throw failure('Transport', call.verb, call.type, call.name);
    };
    hub.place('web');
    await hub.untilIdle();
    expect(inUse(hub)[0]).toBe(`False ${UNUSED}`);
    await hub.loseLease();
    hub.api.before = () => {};

    const next = await new PlacementRig(hub).start();
    expect(inUse(next)).toEqual([`True ${IN_TEAM}`, 'True Placements web select from ManagedClusterSet fleet']);
    await next.loseLease();
    const mark = hub.mark;

    await new PlacementRig(hub).start();
    expect(writesSince(hub, mark)).toEqual([]);
  });
});
