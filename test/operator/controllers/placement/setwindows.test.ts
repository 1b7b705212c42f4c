import { describe, expect, it } from '@jest/globals';
import { CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import { ManagedClusterSetBindings, ManagedClusterSets } from '../../../../src/api/resources.js';
import { PlacementRig, NAMESPACE } from '../../../support/rigs/controllers/placement.js';

const gold = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };

function selected(hub: PlacementRig): readonly string[] {
  return Object.values(hub.decision('web')).flat().sort();
}

/** A hub whose Placement `web` has selected a and b of set `fleet`. */
async function hubOf(spec: object = {}): Promise<PlacementRig> {
  const hub = new PlacementRig();
  for (const name of ['a', 'b']) hub.cluster(name, { tier: 'gold' });
  hub.cluster('c', { tier: 'silver' });
  hub.place('web', { predicates: [gold], ...spec });
  return hub.start();
}

/** A window that opens in an hour, by the clock of the rig, for an hour. */
function inAnHour(hub: PlacementRig): object {
  const start = new Date(Math.ceil(hub.clock.now() / 60_000) * 60_000 + 3_600_000).toISOString().slice(11, 16);
  return { changeWindows: [{ start: `* ${start}`, duration: '1h', timeZone: 'UTC' }] };
}

const waiting = (hub: PlacementRig): string | undefined => hub.condition('web', 'ChangesWaiting')?.message;

describe('a set', () => {
  it('with a window keeps a cluster in and another out until it opens, with one write, and then changes both by the clock', async () => {
    const hub = await hubOf();
    hub.set('fleet', inAnHour(hub));
    await hub.untilIdle();
    const mark = hub.mark;

    hub.cluster('b', { tier: 'silver' });
    hub.cluster('c', { tier: 'gold' });
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['a', 'b']);
    expect(hub.writesSince(mark)).toEqual(['updateStatus placements team/web']);
    expect(waiting(hub)).toMatch(
      /^waits for the change window of ManagedClusterSet fleet that opens at .*; these wait to leave: b \(label tier=silver, wanted tier=gold\); these wait to come in: c$/,
    );
    const before = hub.mark;
    await hub.untilIdle(50 * 60_000);
    expect(hub.writesSince(before)).toEqual([]);

    await hub.untilIdle(15 * 60_000);
    expect(selected(hub)).toEqual(['a', 'c']);
    expect(waiting(hub)).toBeUndefined();
  });

  it('that is paused and costs nothing at rest wakes those that wait for it when its pause ends, bound or not', async () => {
    const hub = await hubOf();
    const everything = { clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} } };
    const mark = hub.mark;
    hub.set('global', { ...everything, paused: true });
    await hub.untilIdle();
    expect(hub.writesSince(mark)).toEqual([]);

    hub.cluster('c', { tier: 'gold' });
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['a', 'b']);
    expect(hub.condition('web', 'ChangesWaiting')?.reason).toBe('ClusterSetPaused');

    hub.set('global', everything);
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['a', 'b', 'c']);
  });

  it('that is deleted keeps nobody out any more', async () => {
    const hub = await hubOf();
    hub.set('quiet', {
      clusterSelector: { selectorType: 'LabelSelector', labelSelector: { matchLabels: { quiet: 'yes' } } },
      paused: true,
    });
    hub.cluster('c', { tier: 'gold', quiet: 'yes' });
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['a', 'b']);

    hub.api.remove(ManagedClusterSets, { name: 'quiet' });
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['a', 'b', 'c']);
  });

  it('out of which a cluster is moved by its label lets that come in which waited', async () => {
    const hub = await hubOf();
    hub.set('other', { paused: true });
    hub.bind('other');
    hub.cluster('c', { tier: 'gold' }, { set: 'other' });
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['a', 'b']);

    hub.cluster('c', { tier: 'gold', [CLUSTER_SET_LABEL]: 'fleet' });
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['a', 'b', 'c']);
  });

  it('that is paused loses no cluster by a binding that is deleted, also after a restart, and the rest goes on', async () => {
    const hub = await hubOf();
    hub.set('fleet', { paused: true });
    await hub.untilIdle();
    hub.api.remove(ManagedClusterSetBindings, { name: 'fleet', namespace: NAMESPACE });
    await hub.untilIdle(60_000);
    expect(selected(hub)).toEqual(['a', 'b']);

    await hub.loseLease();
    const next = await new PlacementRig(hub).start();
    await next.untilIdle(60_000);
    expect(selected(next)).toEqual(['a', 'b']);
    next.set('fleet', {});
    await next.untilIdle(60_000);
    expect(selected(next)).toEqual([]);
  });
});
