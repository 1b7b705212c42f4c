import { describe, expect, it } from '@jest/globals';

import { AGENTS_NAMESPACE, TAINTS } from '../../../../../src/api/names.js';
import { ManagedClusters } from '../../../../../src/api/resources.js';
import { Leases } from '../../../../../src/runtime/vocabulary/kinds.js';
import { failure } from '../../../../support/fakes/api.js';
import { HealthRig } from '../../../../support/rigs/controllers/health.js';

const MINUTE = 60_000;

function names(count: number, prefix = 'c'): readonly string[] {
  return Array.from({ length: count }, (_one, index) => `${prefix}${index}`);
}

/** Clusters that have joined and renew, under a leader. */
async function running(clusters: readonly string[], set?: string): Promise<HealthRig> {
  const rig = new HealthRig();
  rig.add(clusters, set);
  rig.observe();
  rig.lead();
  await rig.live(clusters, MINUTE);
  return rig;
}

describe('the health controller', () => {
  it('clusters that fall silent together are called Unknown at most twenty a second', async () => {
    const all = names(100);
    const rig = await running(all);
    const others = all.slice(40);
    const before = rig.api.writes.length;

    await rig.live(others, 3 * MINUTE - 11_000);
    const counts: number[] = [];
    for (let second = 0; second < 6; second++) {
      rig.renew(others);
      const from = rig.api.writes.length;
      await rig.clock.advance(1_000);
      counts.push(rig.api.writes.length - from);
    }
    await rig.live(others, MINUTE / 6);

    expect(Math.max(...counts)).toBeLessThanOrEqual(21);
    expect(rig.api.writes.slice(before).filter((write) => write.startsWith('applyStatus'))).toHaveLength(40);
    expect(all.filter((name) => rig.available(name)?.status === 'Unknown')).toEqual(all.slice(0, 40));
  });

  it('clusters that report again together are called Available without that limit', async () => {
    const all = names(100);
    const rig = await running(all);
    await rig.live(all.slice(40), 5 * MINUTE);
    const silent = all.filter((name) => rig.available(name)?.status === 'Unknown');

    rig.renew(all);
    await rig.clock.advance(1_100);

    expect(silent).toEqual(all.slice(0, 40));
    expect(all.filter((name) => rig.available(name)?.status !== 'True')).toEqual([]);
  });

  it('a taint that somebody drops is back within a second, with its time', async () => {
    const all = names(4);
    const rig = await running(all);
    await rig.live(all.slice(1), 5 * MINUTE);
    const before = rig.cluster('c0');
    expect(before?.spec.taints).toEqual([
      { key: TAINTS.unreachable, effect: 'NoSelect', timeAdded: expect.any(String) },
    ]);

    rig.edit('c0', { hubAcceptsClient: true });
    await rig.clock.advance(1_000);

    expect(rig.cluster('c0')?.spec.taints).toEqual(before?.spec.taints);
  });

  it('a silent fleet is not tainted, and the leader records that once, and once that it is back', async () => {
    const all = names(6);
    const rig = await running(all);

    await rig.live(all.slice(4), 20 * MINUTE);
    expect(all.flatMap((name) => rig.cluster(name)?.spec.taints ?? [])).toEqual([]);
    expect(rig.available('c0')?.message).toMatch(/; not tainted: most of the fleet is silent$/);
    await rig.live(all, 10 * MINUTE);

    const scopes = rig.reasons().filter((one) => one.startsWith('Fleet'));
    expect(scopes.toSorted()).toEqual([
      'FleetRecovered fleet',
      `FleetRecovered ${AGENTS_NAMESPACE}`,
      'FleetSilent fleet',
      `FleetSilent ${AGENTS_NAMESPACE}`,
    ]);
    expect(rig.available('c0')?.status).toBe('True');
  });

  it('a replica that does not lead records nothing and asks for no taint', async () => {
    const all = names(4);
    const rig = await running(all);
    await rig.loseLease();
    const writes = rig.api.writes.length;
    const events = rig.events.length;

    await rig.live(all.slice(1), 10 * MINUTE);
    expect([rig.api.writes.length, rig.events.length]).toEqual([writes, events]);

    rig.lead();
    await rig.live(all.slice(1), MINUTE / 6);
    expect(rig.cluster('c0')?.spec.taints?.map(({ key }) => key)).toEqual([TAINTS.unreachable]);
  });

  it('a write of a cluster that was made anew is tried again a second later', async () => {
    const rig = new HealthRig();
    rig.add(['c0']);
    let failures = 0;
    rig.api.before = ({ verb, type, name }) => {
      // The second write follows the event of the taint.
      if (verb === 'applyStatus' && failures++ < 2) throw failure('Conflict', verb, type, name);
    };
    rig.observe();
    rig.lead();
    await rig.clock.advance(100);
    expect(rig.cluster('c0')?.status).toBeUndefined();

    await rig.clock.advance(1_500);

    expect(rig.cluster('c0')?.status?.conditions?.map(({ type }) => type)).toContain('HubAcceptedManagedCluster');
  });

  it('a taint is told once, also where the status after it is refused', async () => {
    const all = names(4);
    const rig = await running(all);
    let refusals = 0;
    rig.api.before = ({ verb, type, name }) => {
      const isTainted = rig.cluster('c0')?.spec.taints !== undefined;
      if (verb === 'applyStatus' && isTainted && refusals++ === 0) throw failure('Conflict', verb, type, name);
    };

    await rig.live(all.slice(1), 10 * MINUTE);

    expect(refusals).toBeGreaterThan(1);
    expect(rig.reasons().filter((event) => event === 'ClusterTainted c0')).toHaveLength(1);
  });

  it('a write of a cluster that is gone is repeated once a second, until the cache shows that', async () => {
    const rig = new HealthRig();
    rig.add(['c0']);
    rig.api.before = ({ verb, type, name }) => {
      if (verb === 'applyStatus') throw failure('NotFound', verb, type, name);
    };
    rig.observe();
    rig.lead();
    await rig.clock.advance(1_000);
    const writes = rig.api.writes.length;
    await rig.clock.advance(10_000);
    expect(rig.api.writes.slice(writes)).toEqual(Array<string>(10).fill('applyStatus managedclusters c0'));

    rig.api.remove(ManagedClusters, { name: 'c0' });
    await rig.clock.advance(10_000);

    expect(rig.api.writes.slice(writes)).toHaveLength(10);
  });

  it('a Lease without a holder is no renewal, and the age of one that was deleted goes on', async () => {
    const all = names(4);
    const rig = await running(all);
    rig.api.put(Leases, { metadata: { namespace: AGENTS_NAMESPACE, name: 'new' } });
    rig.add(['new']);
    rig.api.remove(Leases, { namespace: AGENTS_NAMESPACE, name: 'c0' });

    await rig.live(all.slice(1), 3 * MINUTE);

    expect(rig.cluster('new')?.spec.taints?.map(({ effect }) => effect)).toEqual(['NoSelectIfNew']);
    expect(rig.available('c0')?.status).toBe('Unknown');
  });

  it('a cluster is judged by the duration that its agent has written into the Lease while that is longer', async () => {
    const all = names(4);
    const rig = await running(all);
    rig.renew(['c0'], { leaseDurationSeconds: 300 });
    const others = all.slice(1);

    await rig.live(others, 14 * MINUTE);
    expect(rig.available('c0')?.status).toBe('True');
    await rig.live(others, 2 * MINUTE);
    expect(rig.available('c0')?.status).toBe('Unknown');
  });

  it('a cluster that is gone, or has no agent any more, is not judged', async () => {
    const all = names(4);
    const rig = await running(all);
    rig.api.remove(ManagedClusters, { name: 'c0' });
    rig.edit('c1', {});
    await rig.live(all.slice(2), 10 * MINUTE);

    expect(rig.health.observer.counts().clusters).toEqual({
      available: 2,
      unavailable: 0,
      unknown: 0,
      'never-joined': 0,
    });
    expect(rig.cluster('c1')?.spec.taints).toBeUndefined();
  });

  it('while the watch of the Leases fails, nothing is judged', async () => {
    const all = names(4);
    const rig = await running(all);
    rig.leases.fail(new Error('cut off'));
    await rig.clock.advance(10 * MINUTE);
    expect(all.map((name) => rig.available(name)?.status)).toEqual(['True', 'True', 'True', 'True']);
    expect(rig.health.observer.counts().stale).toBe(true);

    rig.leases.fail(undefined);
    await rig.clock.advance(2 * MINUTE);
    expect(rig.available('c0')?.status).toBe('True');
  });
});
