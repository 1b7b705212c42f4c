import { describe, expect, it } from '@jest/globals';
import type { Placement } from '../../src/api/generated/placement.js';
import { ManagedClusters, PlacementDecisions, Placements } from '../../src/api/resources.js';
import { ApiError } from '../../src/runtime/errors.js';
import { NAMESPACE, PlacementRig } from '../support/rigs/controllers/placement.js';

/**
 * People delete many ManagedClusters with one command: a selector that is too wide, a folder that a GitOps tool prunes. kubectl
 * deletes one after the other, some tens of milliseconds apart. What follows the decisions then uninstalls everywhere at once.
 *
 * Right: deletions count against a disruption budget like any other removal. Without a budget, when more than half and at
 * least three of the clusters of a decision are deleted within a minute, those that are still in the decision stay there for
 * fifteen minutes; deletions that follow each other within two seconds are judged together, so that all of one command stay. An
 * orderly removal, a drain and then the deletion, is not held by the deletion.
 */

const MINUTE = 60_000;
const key = { namespace: NAMESPACE, name: 'web' };

function fleet(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `c${String(index).padStart(2, '0')}`);
}

async function hubWith(count: number, spec: object = {}): Promise<PlacementRig> {
  const hub = new PlacementRig();
  hub.clusters(...fleet(count));
  hub.place('web', spec);
  await hub.start();
  expect(decided(hub)).toHaveLength(count);
  hub.events.length = 0;
  return hub;
}

function decided(hub: PlacementRig): string[] {
  return Object.values(hub.decision('web')).flat();
}

/** Deletes clusters as kubectl does, one after the other. */
async function deleteEach(hub: PlacementRig, names: readonly string[], apartMs = 60): Promise<void> {
  for (const name of names) {
    hub.api.remove(ManagedClusters, { name });
    await hub.clock.advance(apartMs);
  }
}

const held = (hub: PlacementRig): string | undefined => hub.condition('web', 'RemovalsHeld')?.message;

describe('many clusters deleted by one command', () => {
  it('with a budget of 10 %, 50 of 60 stay until somebody releases them', async () => {
    const hub = await hubWith(60, { disruptionBudget: { maxRemovals: '10%' } });

    await deleteEach(hub, fleet(50));
    await hub.untilIdle();
    await hub.untilIdle(60 * MINUTE);

    expect(decided(hub)).toHaveLength(60);
    expect(held(hub)).toMatch(
      /^maxRemovals 10% in 3600 s would be exceeded; held: c00, c01, .*, c49 \(was deleted\); /,
    );
  });

  it('without a budget, 50 of 60 stay for 15 minutes, with condition and event, and then leave', async () => {
    const hub = await hubWith(60);

    await deleteEach(hub, fleet(50));
    await hub.untilIdle();

    expect(decided(hub)).toHaveLength(60);
    expect(hub.condition('web', 'RemovalsHeld')).toMatchObject({ status: 'True', reason: 'ClustersDeleted' });
    expect(held(hub)).toMatch(
      /^50 clusters were deleted and stay for 15 minutes, since more than half of the decision was deleted within a minute: c00, .*, c49; .*kubectl mce release placement web -n team/,
    );
    expect(hub.events.map(({ type, reason }) => [type, reason])).toEqual([['Warning', 'RemovalsHeld']]);
    await hub.untilIdle(14 * MINUTE);
    expect(decided(hub)).toHaveLength(60);
    await hub.untilIdle(2 * MINUTE);
    expect(decided(hub).sort()).toEqual(fleet(60).slice(50));
    expect(held(hub)).toBeUndefined();
    expect(hub.events.at(-1)?.reason).toBe('RemovalsReleased');
  });

  it('they leave after 15 minutes also where the decision without them cannot be stored at once', async () => {
    const hub = await hubWith(6);
    await deleteEach(hub, fleet(5));
    await hub.untilIdle();
    let refusals = 3;
    hub.api.before = ({ verb, type, name }) => {
      if (verb === 'update' && type === PlacementDecisions && refusals-- > 0)
        throw new ApiError({ kind: 'Forbidden', message: 'forbidden', call: { verb, resource: type.plural, ...name } });
    };

    await hub.untilIdle(16 * MINUTE);

    expect(refusals).toBeLessThan(0);
    expect(decided(hub)).toEqual(['c05']);
  });

  it('clusters that come back under their names meanwhile are selected as before, without a write to the decision', async () => {
    const hub = await hubWith(60);
    await deleteEach(hub, fleet(50));
    await hub.untilIdle();
    const mark = hub.mark;

    hub.clusters(...fleet(50));
    await hub.untilIdle(30 * MINUTE);

    expect(new Set(hub.writesSince(mark))).toEqual(new Set(['updateStatus placements team/web']));
    expect(held(hub)).toBeUndefined();
    expect(decided(hub)).toHaveLength(60);
  });

  it('clusters that leave meanwhile for another cause do not make the hold longer', async () => {
    const hub = await hubWith(60);
    await deleteEach(hub, fleet(50));
    await hub.untilIdle();

    for (const name of ['c58', 'c59']) {
      await hub.untilIdle(5 * MINUTE);
      hub.cluster(name, {}, { set: 'other' });
      await hub.untilIdle();
    }
    expect(decided(hub)).toHaveLength(58);

    await hub.untilIdle(5 * MINUTE);
    expect(decided(hub)).toHaveLength(8);
  });

  it('another process that takes over goes on with the hold, and lets go only what was held for 15 minutes', async () => {
    const first = await hubWith(60);
    await deleteEach(first, fleet(40));
    await first.untilIdle();
    await first.loseLease();
    await first.clock.advance(14 * MINUTE);
    for (const name of fleet(55).slice(40)) first.api.remove(ManagedClusters, { name });
    await first.clock.advance(2 * MINUTE);

    const second = await new PlacementRig(first).start();

    expect(decided(second)).toHaveLength(60);
    await second.untilIdle(14 * MINUTE);
    expect(decided(second)).toHaveLength(60);
    await second.untilIdle(2 * MINUTE);
    expect(decided(second)).toHaveLength(5);
  });

  it('deletions further apart than two seconds leave until they are more than half within a minute; the rest stays', async () => {
    const hub = await hubWith(10);

    await deleteEach(hub, fleet(8), 3_000);
    await hub.untilIdle();

    expect(decided(hub)).toHaveLength(5);
    expect(held(hub)).toContain('3 clusters were deleted and stay for 15 minutes');
  });

  it('of few clusters, and of half of them, nothing is held', async () => {
    const two = await hubWith(2);
    await deleteEach(two, fleet(2));
    await two.untilIdle();
    expect(decided(two)).toEqual([]);

    const six = await hubWith(6);
    await deleteEach(six, fleet(3));
    await six.untilIdle();
    expect(decided(six)).toHaveLength(3);
  });

  it('a release lets them go at once', async () => {
    const hub = await hubWith(6);
    await deleteEach(hub, fleet(5));
    await hub.untilIdle();
    expect(decided(hub)).toHaveLength(6);

    const stored = hub.api.peek<Placement>(Placements, key);
    if (stored === undefined) throw new Error('no Placement');
    const annotations = { 'cluster.fleetmgmt.io/allow-removals': '2027-01-01T00:00:00Z/*' };
    hub.api.put<Placement>(Placements, { ...stored, metadata: { ...stored.metadata, annotations } });
    await hub.untilIdle();

    expect(decided(hub)).toEqual(['c05']);
  });

  it('a cluster that was drained before costs nothing when it is deleted', async () => {
    const hub = await hubWith(4, { disruptionBudget: { maxRemovals: 1 } });
    hub.cluster('c00', {}, { taints: [{ key: 'cluster.fleetmgmt.io/draining', effect: 'NoSelect' }] });
    await hub.untilIdle();
    expect(decided(hub).sort()).toEqual(['c01', 'c02', 'c03']);

    await deleteEach(hub, ['c00']);
    await hub.untilIdle();

    expect(held(hub)).toBeUndefined();
    expect(decided(hub).sort()).toEqual(['c01', 'c02', 'c03']);
  });

  it('the last decision of a Placement with an invalid spec is bounded in the same way', async () => {
    const hub = await hubWith(6);
    hub.place('web', { numberOfClusters: -1 });
    await hub.untilIdle();

    await deleteEach(hub, fleet(5));
    await hub.untilIdle();

    expect(decided(hub)).toHaveLength(6);
    expect(hub.condition('web', 'RemovalsHeld')?.reason).toBe('ClustersDeleted');
  });
});
