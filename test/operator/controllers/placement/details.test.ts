import { describe, expect, it } from '@jest/globals';
import type { PlacementDecision } from '../../../../src/api/generated/placementdecision.js';
import { PlacementDecisions } from '../../../../src/api/resources.js';
import { PlacementRig } from '../../../support/rigs/controllers/placement.js';

const DETAILS = { decisionDetails: { labels: ['region'], claims: ['load'] } };
const WRITE = 'update placementdecisions team/web-decision-1';

/** The items of the decision, without what does not change. */
function items(hub: PlacementRig): readonly object[] {
  return hub.api
    .all<PlacementDecision>(PlacementDecisions)
    .flatMap(({ status }) => status.decisions.map(({ clusterName, reason: _, ...details }) => [clusterName, details]));
}

async function hubWith(spec: object): Promise<PlacementRig> {
  const hub = new PlacementRig();
  hub.cluster('a', { region: 'eu' }, { claims: { load: '1' } });
  await hub.start();
  hub.place('web', { ...DETAILS, ...spec });
  await hub.untilIdle();
  return hub;
}

describe('a Placement with details', () => {
  it('another value is one write of the object, without an event, an entry of the history and a new status', async () => {
    const hub = await hubWith({ disruptionBudget: { maxRemovals: 0 }, rebalance: { scoreMargin: 1 } });
    const [before] = hub.api.all<PlacementDecision>(PlacementDecisions);
    const since = before?.status.decisions[0]?.since;
    const [mark, events, passes] = [hub.mark, hub.events.length, hub.infos.length];

    hub.cluster('a', { region: 'eu', colour: 'red' }, { claims: { load: '1', other: '2' } });
    await hub.untilIdle(20_000);
    expect([hub.writesSince(mark), hub.infos.length]).toEqual([[], passes]);

    hub.cluster('a', { region: 'us' }, { claims: { load: '1' } });
    await hub.untilIdle(20_000);
    expect(hub.writesSince(mark)).toEqual([WRITE]);
    expect(items(hub)).toEqual([['a', { since, 'label/region': 'us', 'claim/load': '1' }]]);
    const [after] = hub.api.all<PlacementDecision>(PlacementDecisions);
    expect(after?.metadata.annotations).toEqual(before?.metadata.annotations);
    expect(hub.events).toHaveLength(events);
  });

  it('a claim that never rests costs one write in five seconds', async () => {
    const hub = await hubWith({});
    const mark = hub.mark;
    for (let at = 1; at <= 100; at++) {
      hub.cluster('a', { region: 'eu' }, { claims: { load: String(at + 1) } });
      await hub.clock.advance(100);
    }
    await hub.untilIdle(20_000);

    expect(hub.writesSince(mark).length).toBeLessThanOrEqual(3);
    expect(items(hub)).toEqual([['a', { 'label/region': 'eu', 'claim/load': '101' }]]);
  });

  it('what others write into an item is put right', async () => {
    const hub = await hubWith({});
    const [stored] = hub.api.all<PlacementDecision>(PlacementDecisions);
    if (stored === undefined) throw new Error('there is no decision');
    const item = { clusterName: 'a', reason: '', 'label/region': 'mars', 'claim/load': '1', name: 'x' };
    hub.api.put(PlacementDecisions, { ...stored, status: { ...stored.status, decisions: [item] } });
    await hub.untilIdle();

    expect(items(hub)).toEqual([['a', { 'label/region': 'eu', 'claim/load': '1' }]]);
  });
});
