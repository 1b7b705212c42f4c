import { describe, expect, it } from '@jest/globals';
import { ManagedClusters, MultiKueueConfigs, Placements } from '../../../../src/api/resources.js';
import type { MultiKueueConfig } from '../../../../src/operator/controllers/followers/multikueue.js';
import { failure } from '../../../support/fakes/api.js';
import { Followers } from '../../../support/rigs/controllers/followers.js';
import { NAMESPACE } from '../../../support/rigs/controllers/placement.js';

const CONFIG = { name: 'gpus' };

const prefersPrice = {
  prioritizerPolicy: {
    configurations: [{ scoreCoordinate: { type: 'Label', label: { name: 'price', order: 'Ascending' } }, weight: 1 }],
  },
};

describe('a MultiKueueConfig that follows a Placement', () => {
  it('lists the decision as it is published, follows each change, and costs no write while nothing changes', async () => {
    const on = await new Followers().start();
    const { hub, notes } = on;
    hub.cluster('dear', { price: '9' });
    hub.cluster('cheap', { price: '1' });
    hub.cluster('middle', { price: '4' });
    hub.place('web', prefersPrice);
    await hub.untilIdle();
    on.follow(`${NAMESPACE}/web`);
    await hub.untilIdle();
    expect(on.listed()).toEqual(['cheap', 'middle', 'dear']);

    await hub.untilIdle(25 * 60_000);
    expect(on.writesOf(MultiKueueConfigs)).toHaveLength(1);

    hub.api.remove(ManagedClusters, { name: 'cheap' });
    await hub.untilIdle();
    expect(on.listed()).toEqual(['middle', 'dear']);
    expect(on.writesOf(MultiKueueConfigs)).toHaveLength(2);

    hub.cluster('cheap', { price: '1' });
    hub.cluster('middle', { price: '10' });
    await hub.untilIdle();
    expect(on.listed()).toEqual(['middle', 'dear', 'cheap']);
    expect(on.writesOf(MultiKueueConfigs)).toHaveLength(3);
    expect(notes).toEqual([]);
  });

  it('what others write into it is put right, also after a conflict', async () => {
    const on = await new Followers().start();
    const { hub, configs } = on;
    hub.clusters('a');
    hub.place('web');
    on.follow(`${NAMESPACE}/web`);
    await hub.untilIdle();
    on.follow(`${NAMESPACE}/web`, ['mine']);
    await hub.untilIdle();
    expect(on.listed()).toEqual(['a']);

    configs.pause();
    on.follow(`${NAMESPACE}/web`, ['theirs']);
    hub.clusters('b');
    await hub.untilIdle(10_000);
    expect(on.listed()?.toSorted()).toEqual(['a', 'b']);
  });

  it('keeps its clusters, and says why once, when the decision is empty or the Placement is gone', async () => {
    const on = await new Followers().start();
    const { hub, notes } = on;
    hub.clusters('a');
    hub.place('web');
    on.follow(`${NAMESPACE}/web`);
    await hub.untilIdle();
    hub.place('web', { numberOfClusters: 0 });
    await hub.untilIdle(25 * 60_000);
    expect(on.listed()).toEqual(['a']);

    hub.api.remove(Placements, { namespace: NAMESPACE, name: 'web' });
    await hub.untilIdle(25 * 60_000);
    expect(on.listed()).toEqual(['a']);
    expect(on.writesOf(MultiKueueConfigs)).toHaveLength(1);
    expect(notes).toEqual([
      `DecisionNotFollowed: the decision of Placement ${NAMESPACE}/web is empty, and a MultiKueueConfig cannot be: it keeps its clusters`,
      `DecisionNotFollowed: there is no Placement ${NAMESPACE}/web: the MultiKueueConfig keeps its clusters`,
    ]);
  });

  it('takes the first 20 of more clusters: at a first decision the best', async () => {
    const on = await new Followers().start();
    const { hub, notes } = on;
    for (let price = 1; price <= 23; price++) hub.cluster(`c${price}`, { price: String(price) });
    hub.place('web', prefersPrice);
    on.follow(`${NAMESPACE}/web`);
    await hub.untilIdle();

    expect(on.listed()).toEqual(Array.from({ length: 20 }, (_, at) => `c${at + 1}`));
    expect(notes).toEqual([
      `DecisionNotFollowed: the decision of Placement ${NAMESPACE}/web has 23 clusters, and a MultiKueueConfig takes 20: it lists the first`,
    ]);
  });

  it.each(['web', 'a/b/c', '/web', ''])('with the annotation "%s" it keeps its clusters', async (value) => {
    const on = await new Followers().start();
    const { hub, notes } = on;
    hub.clusters('a');
    hub.place('web');
    on.follow(value);
    await hub.untilIdle();

    expect(on.listed()).toEqual(['first']);
    expect(notes).toEqual([`DecisionNotFollowed: annotation "${value}": want NAMESPACE/NAME of a Placement`]);
  });

  it('is left alone without the annotation, and while what the decision is read from is not current', async () => {
    const on = await new Followers().start();
    const { hub } = on;
    hub.clusters('a');
    hub.place('web');
    hub.api.put<MultiKueueConfig>(MultiKueueConfigs, { metadata: CONFIG, spec: { clusters: ['mine'] } });
    await hub.untilIdle();
    expect(on.listed()).toEqual(['mine']);

    hub.caches.clusters.fail(failure('Transport', 'list', ManagedClusters, { name: '' }));
    on.follow(`${NAMESPACE}/web`);
    await hub.untilIdle(60_000);
    expect(on.listed()).toEqual(['first']);
    hub.caches.clusters.fail(undefined);
    await hub.untilIdle(60_000);
    expect(on.listed()).toEqual(['a']);
  });
});
