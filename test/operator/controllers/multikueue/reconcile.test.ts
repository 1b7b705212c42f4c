import { describe, expect, it } from '@jest/globals';
import { FOLLOWS_PLACEMENT_ANNOTATION } from '../../../../src/api/names.js';
import { ManagedClusters, MultiKueueConfigs, Placements } from '../../../../src/api/resources.js';
import type { MultiKueueConfig } from '../../../../src/domain/placement/publish/multikueue.js';
import {
  createMultiKueueControllers,
  multiKueueCacheOptions,
} from '../../../../src/operator/controllers/multikueue/controller.js';
import { multiKueueRights } from '../../../../src/operator/controllers/multikueue/rights.js';
import { guardClient } from '../../../../src/runtime/client/guard.js';
import type { EventNote } from '../../../../src/runtime/events/event.js';
import { failure } from '../../../support/fakes/api.js';
import type { FakeCache } from '../../../support/fakes/cache.js';
import { NAMESPACE, PlacementRig } from '../../../support/rigs/controllers/placement.js';

const CONFIG = { name: 'gpus' };

interface Hub {
  readonly hub: PlacementRig;
  readonly configs: FakeCache<MultiKueueConfig>;
  readonly notes: readonly string[];
  /** Makes the config, with the annotation. */
  readonly follow: (value: string, clusters?: string[]) => void;
  readonly listed: () => readonly string[] | undefined;
  readonly writes: () => number;
}

/** A process with the placement controllers, and that of MultiKueueConfigs beside them. */
async function startHub(): Promise<Hub> {
  const hub = new PlacementRig();
  const configs = hub.api.cache(multiKueueCacheOptions);
  const notes: string[] = [];
  const record = ({ reason, note }: EventNote): number => notes.push(`${reason}: ${note}`);
  const kueue = createMultiKueueControllers({
    client: guardClient(hub.api, multiKueueRights, {
      leadership: { held: () => true, identity: 'test' },
      log: hub.log,
    }),
    caches: hub.caches,
    configs,
    recorder: { record, flush: () => Promise.resolve() },
    clock: hub.clock,
    random: () => 0,
    log: hub.log,
    settleWindowMs: 50,
  });
  await hub.start();
  kueue.source.start();
  kueue.onStartedLeading();
  for (const one of kueue.controllers) one.start();
  await hub.untilIdle();
  return {
    hub,
    configs,
    notes,
    follow: (value, clusters = ['first']) => {
      const annotations = { [FOLLOWS_PLACEMENT_ANNOTATION]: value };
      hub.api.put<MultiKueueConfig>(MultiKueueConfigs, { metadata: { ...CONFIG, annotations }, spec: { clusters } });
    },
    listed: () => hub.api.peek<MultiKueueConfig>(MultiKueueConfigs, CONFIG)?.spec?.clusters,
    writes: () => hub.api.calls.filter(({ verb, type }) => type === MultiKueueConfigs && verb !== 'get').length,
  };
}

const prefersPrice = {
  prioritizerPolicy: {
    configurations: [{ scoreCoordinate: { type: 'Label', label: { name: 'price', order: 'Ascending' } }, weight: 1 }],
  },
};

describe('a MultiKueueConfig that follows a Placement', () => {
  it('lists the decision in the order of scores, follows each change, and costs no write while nothing changes', async () => {
    const { hub, follow, listed, writes, notes } = await startHub();
    hub.cluster('dear', { price: '9' });
    hub.cluster('cheap', { price: '1' });
    hub.cluster('middle', { price: '4' });
    hub.place('web', prefersPrice);
    await hub.untilIdle();
    follow(`${NAMESPACE}/web`);
    await hub.untilIdle();
    expect(listed()).toEqual(['cheap', 'middle', 'dear']);

    await hub.untilIdle(25 * 60_000);
    expect(writes()).toBe(1);

    hub.api.remove(ManagedClusters, { name: 'cheap' });
    await hub.untilIdle();
    expect(listed()).toEqual(['middle', 'dear']);
    expect(writes()).toBe(2);
    expect(notes).toEqual([]);
  });

  it('what others write into it is put right, also after a conflict', async () => {
    const { hub, configs, follow, listed } = await startHub();
    hub.clusters('a');
    hub.place('web');
    follow(`${NAMESPACE}/web`);
    await hub.untilIdle();
    follow(`${NAMESPACE}/web`, ['mine']);
    await hub.untilIdle();
    expect(listed()).toEqual(['a']);

    configs.pause();
    follow(`${NAMESPACE}/web`, ['theirs']);
    hub.clusters('b');
    await hub.untilIdle(10_000);
    expect(listed()?.toSorted()).toEqual(['a', 'b']);
  });

  it('keeps its clusters, and says why once, when the decision is empty or the Placement is gone', async () => {
    const { hub, follow, listed, notes, writes } = await startHub();
    hub.clusters('a');
    hub.place('web');
    follow(`${NAMESPACE}/web`);
    await hub.untilIdle();
    hub.place('web', { numberOfClusters: 0 });
    await hub.untilIdle(25 * 60_000);
    expect(listed()).toEqual(['a']);

    hub.api.remove(Placements, { namespace: NAMESPACE, name: 'web' });
    await hub.untilIdle(25 * 60_000);
    expect(listed()).toEqual(['a']);
    expect(writes()).toBe(1);
    expect(notes).toEqual([
      `DecisionNotFollowed: the decision of Placement ${NAMESPACE}/web is empty, and a MultiKueueConfig cannot be: it keeps its clusters`,
      `DecisionNotFollowed: there is no Placement ${NAMESPACE}/web: the MultiKueueConfig keeps its clusters`,
    ]);
  });

  it('keeps their order while the spec is invalid, so that nobody knows another one', async () => {
    const { hub, follow, listed, writes } = await startHub();
    const prices: readonly (readonly [string, string])[] = [
      ['a', '3'],
      ['b', '1'],
      ['c', '2'],
      ['d', '4'],
    ];
    for (const [name, price] of prices) hub.cluster(name, { price });
    hub.place('web', prefersPrice);
    follow(`${NAMESPACE}/web`);
    await hub.untilIdle();
    expect(listed()).toEqual(['b', 'c', 'a', 'd']);

    hub.place('web', { ...prefersPrice, numberOfClusters: -1 });
    await hub.untilIdle(25 * 60_000);
    expect(listed()).toEqual(['b', 'c', 'a', 'd']);
    expect(writes()).toBe(1);
  });

  it('takes the best 20 of more clusters', async () => {
    const { hub, follow, listed, notes } = await startHub();
    for (let price = 1; price <= 23; price++) hub.cluster(`c${price}`, { price: String(price) });
    hub.place('web', prefersPrice);
    follow(`${NAMESPACE}/web`);
    await hub.untilIdle();

    expect(listed()).toEqual(Array.from({ length: 20 }, (_, at) => `c${at + 1}`));
    expect(notes).toEqual([
      `DecisionNotFollowed: the decision of Placement ${NAMESPACE}/web has 23 clusters, and a MultiKueueConfig takes 20: it lists the best`,
    ]);
  });

  it.each(['web', 'a/b/c', '/web', ''])('with the annotation "%s" it keeps its clusters', async (value) => {
    const { hub, follow, listed, notes } = await startHub();
    hub.clusters('a');
    hub.place('web');
    follow(value);
    await hub.untilIdle();

    expect(listed()).toEqual(['first']);
    expect(notes).toEqual([`DecisionNotFollowed: annotation "${value}": want NAMESPACE/NAME of a Placement`]);
  });

  it('is left alone without the annotation, and while what the decision is read from is not current', async () => {
    const { hub, follow, listed } = await startHub();
    hub.clusters('a');
    hub.place('web');
    hub.api.put<MultiKueueConfig>(MultiKueueConfigs, { metadata: CONFIG, spec: { clusters: ['mine'] } });
    await hub.untilIdle();
    expect(listed()).toEqual(['mine']);

    hub.caches.clusters.fail(failure('Transport', 'list', ManagedClusters, { name: '' }));
    follow(`${NAMESPACE}/web`);
    await hub.untilIdle(60_000);
    expect(listed()).toEqual(['first']);
    hub.caches.clusters.fail(undefined);
    await hub.untilIdle(60_000);
    expect(listed()).toEqual(['a']);
  });
});
