import { describe, expect, it } from '@jest/globals';
import type { Placement } from '../../src/api/generated/placement.js';
import { ManagedClusters, Placements } from '../../src/api/resources.js';
import { NAMESPACE, PlacementRig } from '../support/rigs/controllers/placement.js';

/**
 * One edit widens a Placement from one cluster to the fleet: numberOfClusters is taken out, a predicate is emptied, a label is
 * set on every cluster. What follows the decision then installs everywhere at once.
 *
 * Right: with `disruptionBudget.maxAdditions`, a change that brings in more than that within the window brings in nothing until
 * somebody releases it or edits the spec. Filling up to an unchanged numberOfClusters does not count.
 */

const key = { namespace: NAMESPACE, name: 'web' };
const HOUR = 3_600_000;
const gold = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };

function fleet(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `c${String(index).padStart(2, '0')}`);
}

async function hubWith(spec: object): Promise<PlacementRig> {
  const hub = new PlacementRig();
  hub.clusters(...fleet(15));
  hub.place('web', spec);
  await hub.start();
  hub.events.length = 0;
  return hub;
}

function decided(hub: PlacementRig): string[] {
  return Object.values(hub.decision('web')).flat();
}

function annotate(hub: PlacementRig, text: string): void {
  const stored = hub.api.peek<Placement>(Placements, key);
  if (stored === undefined) throw new Error('no Placement');
  const annotations = { 'cluster.fleetmgmt.io/allow-additions': text };
  hub.api.put<Placement>(Placements, { ...stored, metadata: { ...stored.metadata, annotations } });
}

const budget = (maxAdditions: number | string, over: object = {}): object => ({
  disruptionBudget: { maxAdditions },
  ...over,
});

describe('a Placement that is widened by one edit', () => {
  it('nothing comes in beyond maxAdditions, however much time passes, and condition, event and metric say so', async () => {
    const hub = await hubWith(budget(2, { numberOfClusters: 1 }));
    const [first] = decided(hub);

    hub.place('web', budget(2));
    await hub.untilIdle();
    await hub.untilIdle(3 * HOUR);

    expect(decided(hub)).toEqual([first]);
    expect(hub.condition('web', 'AdditionsHeld')).toMatchObject({ status: 'True', reason: 'DisruptionBudgetExceeded' });
    expect(hub.condition('web', 'AdditionsHeld')?.message).toMatch(
      /^maxAdditions 2 in 3600 s would be exceeded; held: c.*; to let them in: kubectl mce release placement web -n team --additions \(annotation cluster.fleetmgmt.io\/allow-additions\), or raise spec.disruptionBudget.maxAdditions$/,
    );
    expect(hub.condition('web', 'PlacementSatisfied')).toMatchObject({ status: 'False' });
    expect(hub.events.map(({ type, reason }) => [type, reason])).toContainEqual(['Warning', 'AdditionsHeld']);
    expect(hub.infos.at(-1)).toMatchObject({ held: 14 });
  });

  it('a release lets them in, and so does a larger maxAdditions', async () => {
    const hub = await hubWith(budget(2, { numberOfClusters: 1 }));
    hub.place('web', budget(2, { numberOfClusters: 9 }));
    await hub.untilIdle();
    expect(decided(hub)).toHaveLength(1);

    annotate(hub, '2027-01-01T00:00:00Z/*');
    await hub.untilIdle();
    expect(decided(hub)).toHaveLength(9);
    expect(hub.condition('web', 'AdditionsHeld')).toBeUndefined();
    expect(hub.events.map(({ reason }) => reason)).toContain('AdditionsReleased');

    annotate(hub, '2025-01-01T00:00:00Z/*');
    hub.place('web', budget(6));
    await hub.untilIdle();
    expect(decided(hub)).toHaveLength(15);
  });

  it('what comes in is recorded and counts until the window is over', async () => {
    const hub = await hubWith(budget(3, { numberOfClusters: 1 }));

    hub.place('web', budget(3, { numberOfClusters: 3 }));
    await hub.untilIdle();
    hub.place('web', budget(3, { numberOfClusters: 5 }));
    await hub.untilIdle();

    expect(decided(hub)).toHaveLength(3);
    await hub.untilIdle(2 * HOUR);
    expect(decided(hub)).toHaveLength(3);
    hub.place('web', budget(3, { numberOfClusters: 6 }));
    await hub.untilIdle();
    expect(decided(hub)).toHaveLength(6);
  });

  it('filling up to an unchanged numberOfClusters does not count, while others are held, too', async () => {
    const hub = await hubWith(budget(0, { numberOfClusters: 3 }));
    hub.place('web', budget(0, { numberOfClusters: 10 }));
    await hub.untilIdle();
    const [gone = ''] = decided(hub);

    hub.api.remove(ManagedClusters, { name: gone });
    await hub.untilIdle();

    expect(decided(hub)).toHaveLength(3);
    expect(decided(hub)).not.toContain(gone);
    hub.place('web', budget(0, { numberOfClusters: 3 }));
    await hub.untilIdle();
    expect(hub.condition('web', 'AdditionsHeld')).toBeUndefined();
  });

  it('a label that is set on every cluster is held in the same way', async () => {
    const hub = await hubWith(budget('10%', { predicates: [gold] }));
    hub.cluster('c00', { tier: 'gold' });
    await hub.untilIdle();
    expect(decided(hub)).toEqual(['c00']);

    await hub.untilIdle(2 * HOUR);
    for (const name of fleet(15)) {
      hub.cluster(name, { tier: 'gold' });
      await hub.clock.advance(60);
    }
    await hub.untilIdle();

    expect(decided(hub)).toEqual(['c00']);
    expect(hub.condition('web', 'AdditionsHeld')?.status).toBe('True');
  });

  it('another process goes on with the hold', async () => {
    const first = await hubWith(budget(2, { numberOfClusters: 1 }));
    first.place('web', budget(2, { numberOfClusters: 9 }));
    await first.untilIdle();
    await first.loseLease();

    const second = await new PlacementRig(first).start();
    await second.untilIdle(3 * HOUR);

    expect(decided(second)).toHaveLength(1);
  });

  it('the first decision of a new Placement does not count', async () => {
    const hub = await hubWith(budget(0));

    expect(decided(hub)).toHaveLength(15);
  });
});
