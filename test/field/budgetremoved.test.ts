import { describe, expect, it } from '@jest/globals';
import { PlacementRig } from '../support/rigs/controllers/placement.js';

/**
 * A Placement is replaced by a manifest that lacks the budget (kubectl replace, a template of before), and the same change, or
 * the next one, takes many clusters out.
 *
 * Right: the budget that is taken out rules the pass in which it is removed, also in a process that was not there before; what
 * it holds stays until somebody releases it.
 */

const gold = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };
const silver = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'silver' } } } };
const names = ['a', 'b', 'c', 'd'];

async function hubWith(budget: object, over: object = {}): Promise<PlacementRig> {
  const hub = new PlacementRig();
  for (const name of names) hub.cluster(name, { tier: 'gold' });
  hub.cluster('s', { tier: 'silver' });
  hub.place('web', { predicates: [gold], disruptionBudget: budget, ...over });
  await hub.start();
  return hub;
}

function decided(hub: PlacementRig): string[] {
  return Object.values(hub.decision('web')).flat().sort();
}

describe('a budget that is removed', () => {
  it('holds what the same edit would remove, in this process and in the next', async () => {
    const first = await hubWith({ maxRemovals: 1 }, { numberOfClusters: 4 });
    await first.loseLease();
    first.place('web', { predicates: [silver], numberOfClusters: 4 });

    const second = await new PlacementRig(first).start();
    await second.untilIdle(3_600_000);
    expect(decided(second)).toEqual(names);
    expect(second.condition('web', 'RemovalsHeld')?.message).toMatch(
      /^maxRemovals 1 in 3600 s, which spec.disruptionBudget had before, would be exceeded; held: a, b, c, d /,
    );
    await second.loseLease();

    const third = await new PlacementRig(first).start();
    third.cluster('t', { tier: 'silver' });
    await third.untilIdle();
    expect(decided(third)).toEqual(names);
  });

  it('is forgotten when the edit removes nothing that it would hold', async () => {
    const hub = await hubWith({ maxRemovals: 1 });

    hub.place('web', { predicates: [gold] });
    await hub.untilIdle();
    for (const name of names.slice(0, 3)) hub.cluster(name, { tier: 'silver' });
    await hub.untilIdle();

    expect(decided(hub)).toEqual(['d']);
  });

  it('holds what the same edit would add', async () => {
    const hub = await hubWith({ maxAdditions: 1 }, { numberOfClusters: 1 });

    hub.place('web', { predicates: [gold] });
    await hub.untilIdle(3_600_000);

    expect(decided(hub)).toHaveLength(1);
    expect(hub.condition('web', 'AdditionsHeld')?.status).toBe('True');
  });

  it('rules while the spec is invalid', async () => {
    const hub = await hubWith({ maxRemovals: 0 });
    hub.place('web', { predicates: [gold], disruptionBudget: { maxRemovals: '300%' } });
    await hub.untilIdle();
    expect(hub.condition('web', 'PlacementMisconfigured')?.status).toBe('True');

    hub.place('web', { predicates: [silver] });
    await hub.untilIdle(3_600_000);

    expect(decided(hub)).toEqual([...names, 's']);
  });
});
