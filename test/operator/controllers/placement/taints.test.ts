import { describe, expect, it } from '@jest/globals';
import type { ClusterTaint } from '../../../../src/api/generated/managedcluster.js';
import { TAINTS } from '../../../../src/api/names.js';
import { failure } from '../../../support/fakes/api.js';
import { PlacementRig } from '../../../support/rigs/controllers/placement.js';

const maintenance: ClusterTaint = { key: 'maintenance', effect: 'NoSelect' };

function selected(hub: PlacementRig, placement: string): string[] {
  return Object.values(hub.decision(placement)).flat().sort();
}

function reconciled(hub: PlacementRig): readonly string[] {
  const all = hub.infos.map(({ name }) => name).sort();
  hub.infos.length = 0;
  return all;
}

/** A hub at rest with clusters a, b and c, and these Placements. */
async function converged(placements: Readonly<Record<string, unknown>>): Promise<PlacementRig> {
  const hub = new PlacementRig();
  hub.clusters('a', 'b', 'c');
  for (const [name, spec] of Object.entries(placements)) hub.place(name, spec);
  await hub.start();
  reconciled(hub);
  return hub;
}

/** The first of the clusters that the Placement does not select. */
function otherThan(hub: PlacementRig, placement: string): string {
  return ['a', 'b', 'c'].find((name) => !selected(hub, placement).includes(name)) ?? '';
}

function taint(hub: PlacementRig, cluster: string, ...taints: readonly ClusterTaint[]): void {
  hub.cluster(cluster, {}, { taints: [...taints] });
}

const timed = (tolerationSeconds: number): object => ({
  tolerations: [{ key: 'maintenance', operator: 'Exists', tolerationSeconds }],
});
const now = (hub: PlacementRig): string => new Date(hub.clock.now()).toISOString();

describe('which Placements a taint reconciles', () => {
  it('a taint reconciles the Placements that hold the cluster and do not tolerate it, and replaces it there', async () => {
    const forEver = { tolerations: [{ operator: 'Exists' }] };
    const hub = await converged({ one: { numberOfClusters: 1 }, all: {}, tolerant: forEver });
    const [held = ''] = selected(hub, 'one');

    taint(hub, held, maintenance);
    await hub.untilIdle();

    expect(new Set(reconciled(hub))).toEqual(new Set(['all', 'one']));
    expect(selected(hub, 'one')).not.toContain(held);
    expect(selected(hub, 'tolerant')).toEqual(['a', 'b', 'c']);
  });

  it('a taint reconciles a Placement that holds the cluster and was edited since, without another decision', async () => {
    const hub = await converged({ one: { numberOfClusters: 1 } });
    const [held = ''] = selected(hub, 'one');
    hub.place('one', { numberOfClusters: 1, tolerations: [{ key: 'other', operator: 'Exists' }] });
    await hub.untilIdle();
    expect(selected(hub, 'one')).toEqual([held]);

    taint(hub, held, maintenance);
    await hub.untilIdle();

    expect(selected(hub, 'one')).not.toContain(held);
  });

  it('a taint on a cluster that nobody holds reconciles nobody', async () => {
    const hub = await converged({ one: { numberOfClusters: 1 } });
    const calls = hub.api.calls.length;

    taint(hub, otherThan(hub, 'one'), maintenance);
    await hub.untilIdle(20_000);

    expect([reconciled(hub), hub.api.calls.length]).toEqual([[], calls]);
  });

  it('a taint that goes reconciles the Placements with room, and no others', async () => {
    const hub = await converged({ one: { numberOfClusters: 1 }, three: { numberOfClusters: 3 }, all: {} });
    const other = otherThan(hub, 'one');
    taint(hub, other, maintenance);
    await hub.untilIdle();
    expect(hub.condition('three', 'PlacementSatisfied')?.message).toBe(
      '1 of 3 wanted clusters is missing; matching clusters are tainted: maintenance',
    );
    reconciled(hub);

    taint(hub, other);
    await hub.untilIdle();

    expect(new Set(reconciled(hub))).toEqual(new Set(['all', 'three']));
    expect(selected(hub, 'three')).toEqual(['a', 'b', 'c']);
  });

  it('a taint reconciles its holders after a decision that could not be stored', async () => {
    const hub = await converged({ one: { numberOfClusters: 1 } });
    const [held = ''] = selected(hub, 'one');
    hub.api.before = (call) => {
      if (call.verb === 'update') throw failure('Unavailable', 'update', call.type, call.name);
    };
    taint(hub, held, maintenance);
    await hub.untilIdle();
    expect(selected(hub, 'one')).toEqual([held]);
    hub.api.before = () => {};
    taint(hub, held);
    await hub.untilIdle(400_000);
    expect(selected(hub, 'one')).toEqual([held]);

    taint(hub, held, maintenance);
    await hub.untilIdle();

    expect(selected(hub, 'one')).not.toContain(held);
  });

  it('a taint reconciles its holders after another process has taken over', async () => {
    const first = await converged({ one: { numberOfClusters: 1 } });
    await first.loseLease();
    const hub = await new PlacementRig(first).start();
    const [held = ''] = selected(hub, 'one');

    taint(hub, held, maintenance);
    await hub.untilIdle();

    expect(selected(hub, 'one')).not.toContain(held);
  });
});

describe('what a taint does after a time', () => {
  it('a cluster leaves when the toleration of its taint ends, without any other change', async () => {
    const hub = await converged({ web: timed(60) });
    taint(hub, 'a', { ...maintenance, timeAdded: now(hub) });
    await hub.untilIdle();
    expect(selected(hub, 'web')).toEqual(['a', 'b', 'c']);

    await hub.untilIdle(55_000);
    const before = selected(hub, 'web');
    await hub.untilIdle(5_000);

    expect([before, selected(hub, 'web')]).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ]);
    expect(hub.events.at(-1)?.note).toMatch(
      /^removed 1 cluster: a \(taint maintenance:NoSelect since .*, tolerated until /,
    );
  });

  it('an unreachable cluster is replaced after 300 seconds, and stays and is named where nothing can replace it', async () => {
    const hub = await converged({ two: { numberOfClusters: 2 }, three: { numberOfClusters: 3 } });
    const [held = ''] = selected(hub, 'two');
    taint(hub, held, { key: TAINTS.unreachable, effect: 'NoSelect', timeAdded: now(hub) });
    await hub.untilIdle(290_000);
    expect(selected(hub, 'two')).toContain(held);

    await hub.untilIdle(15_000);

    expect(selected(hub, 'two')).not.toContain(held);
    expect(selected(hub, 'three')).toEqual(['a', 'b', 'c']);
    expect(hub.condition('three', 'PlacementSatisfied')).toMatchObject({
      status: 'False',
      message: `1 of 3 wanted clusters is to be replaced: every cluster that matches is selected; ${held} is unreachable and no other cluster can take its place`,
    });
  });

  it('a Placement that waits for a replacement takes a cluster that comes, and forgets what it has reported', async () => {
    const hub = await converged({ three: { numberOfClusters: 3 } });
    taint(hub, 'a', { key: TAINTS.unreachable, effect: 'NoSelect', timeAdded: '2020-01-01T00:00:00Z' });
    await hub.untilIdle();
    expect(selected(hub, 'three')).toEqual(['a', 'b', 'c']);

    hub.cluster('d');
    await hub.untilIdle();

    expect(selected(hub, 'three')).toEqual(['b', 'c', 'd']);
    expect(hub.condition('three', 'PlacementSatisfied')?.message).toBe('all 3 wanted clusters are selected');
  });
});
