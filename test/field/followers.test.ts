import { describe, expect, it } from '@jest/globals';
import { ManagedClusters } from '../../src/api/resources.js';
import { Followers } from '../support/rigs/controllers/followers.js';
import { NAMESPACE } from '../support/rigs/controllers/placement.js';

/**
 * The Placement that a MultiKueueConfig follows became invalid, and one of its clusters was deleted. The decision lost it, and the
 * config went on to list it, without an event: jobs were sent to a cluster that is gone.
 *
 * Right: who follows a decision follows what is published, whatever the rules say.
 */

const prefersPrice = {
  prioritizerPolicy: {
    configurations: [{ scoreCoordinate: { type: 'Label', label: { name: 'price', order: 'Ascending' } }, weight: 1 }],
  },
};
const invalid = { ...prefersPrice, numberOfClusters: -1 };

async function followed(prices: Record<string, string>): Promise<Followers> {
  const on = await new Followers().start();
  for (const [name, price] of Object.entries(prices)) on.hub.cluster(name, { price });
  on.hub.place('web', prefersPrice);
  on.follow(`${NAMESPACE}/web`);
  await on.hub.untilIdle();
  return on;
}

function decided({ hub }: Followers): string[] {
  return Object.values(hub.decision('web')).flat().sort();
}

describe('who follows the decision of a Placement with an invalid spec', () => {
  it('loses a cluster that is deleted, and keeps the order of the others', async () => {
    const on = await followed({ a: '3', b: '1', c: '2', d: '4' });
    on.hub.place('web', invalid);
    await on.hub.untilIdle();
    on.hub.api.remove(ManagedClusters, { name: 'c' });
    await on.hub.untilIdle(25 * 60_000);

    expect(decided(on)).toEqual(['a', 'b', 'd']);
    expect(on.listed()).toEqual(['b', 'a', 'd']);
    expect(on.sigDecisions()['web-decision-1']?.toSorted()).toEqual(['a', 'b', 'd']);
    expect(on.notes).toEqual([]);
  });

  it('keeps its clusters and says why when the decision has become empty', async () => {
    const on = await followed({ a: '1' });
    on.hub.place('web', invalid);
    await on.hub.untilIdle();
    on.hub.api.remove(ManagedClusters, { name: 'a' });
    await on.hub.untilIdle(25 * 60_000);

    expect(decided(on)).toEqual([]);
    expect(on.listed()).toEqual(['a']);
    expect(on.sigDecisions()).toEqual({ 'web-decision-1': [] });
    expect(on.notes.at(-1)).toMatch(/^DecisionNotFollowed: the decision of Placement team\/web is empty/);
  });
});

describe('who follows a decision with clusters that are deleted and held', () => {
  it('lists them where they stood', async () => {
    const on = await followed({ a: '1', b: '2', c: '3', d: '4', e: '5' });
    for (const name of ['a', 'b', 'c', 'e']) on.hub.api.remove(ManagedClusters, { name });
    await on.hub.untilIdle(60_000);

    expect(decided(on)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(on.listed()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});

describe('who follows a Placement that has no decision', () => {
  it.each([
    ['is invalid', invalid],
    ['is paused', { paused: true }],
  ])('keeps its clusters and says why when it %s from the start', async (_title, spec) => {
    const on = await new Followers().start();
    on.hub.clusters('a');
    on.hub.place('web', spec);
    on.follow(`${NAMESPACE}/web`);
    await on.hub.untilIdle(25 * 60_000);

    expect(on.listed()).toEqual(['first']);
    expect(on.sigDecisions()).toEqual({});
    expect(on.notes).toEqual([
      `DecisionNotFollowed: Placement ${NAMESPACE}/web has no decision yet: the MultiKueueConfig keeps its clusters`,
    ]);
  });
});
