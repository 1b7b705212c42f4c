import { describe, expect, it } from '@jest/globals';
import type { Placement } from '../../../../src/api/generated/placement.js';
import type { PlacementDecision } from '../../../../src/api/generated/placementdecision.js';
import { ALLOW_REMOVALS_ANNOTATION, CLUSTER_SET_LABEL, REMOVALS_ANNOTATION } from '../../../../src/api/names.js';
import { ManagedClusters, PlacementDecisions, Placements } from '../../../../src/api/resources.js';
import { failure } from '../../../support/fakes/api.js';
import { NAMESPACE, PlacementRig } from '../../../support/rigs/controllers/placement.js';

const first = { namespace: NAMESPACE, name: 'web-decision-1' };
const second = { namespace: NAMESPACE, name: 'web-decision-2' };
const gold = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };

function spec(maxRemovals: number | string, over: object = {}): object {
  return { predicates: [gold], disruptionBudget: { maxRemovals, windowSeconds: 60 }, ...over };
}

function tier(hub: PlacementRig, value: string, ...names: readonly string[]): void {
  for (const name of names) hub.cluster(name, { tier: value });
}

/** A hub with a to d selected by Placement `web`: a and b in its first decision object, c and d in the second. */
async function hubWith(maxRemovals: number | string, over: object = {}): Promise<PlacementRig> {
  const hub = new PlacementRig();
  tier(hub, 'gold', 'a', 'b', 'c', 'd');
  const placement = hub.place('web', spec(maxRemovals, over));
  hub.store(placement, 1, ['a', 'b']);
  hub.store(placement, 2, ['c', 'd']);
  await hub.start();
  hub.events.length = 0;
  return hub;
}

/** Makes a cluster leave uncounted. */
function reject(hub: PlacementRig, name: string): void {
  tier(hub, 'silver', name);
  annotate(hub, `2027-01-01T00:00:00Z/${name}`);
}

function record(hub: PlacementRig, name = first): string | undefined {
  return hub.api.peek<PlacementDecision>(PlacementDecisions, name)?.metadata.annotations?.[REMOVALS_ANNOTATION];
}

function annotate(hub: PlacementRig, release: string): void {
  const stored = hub.api.peek<Placement>(Placements, { namespace: NAMESPACE, name: 'web' });
  if (stored === undefined) throw new Error('no Placement web');
  const annotations = { [ALLOW_REMOVALS_ANNOTATION]: release };
  hub.api.put<Placement>(Placements, { ...stored, metadata: { ...stored.metadata, annotations } });
}

function reasons(hub: PlacementRig): string[] {
  return hub.events.map((one) => one.reason);
}

const held = (hub: PlacementRig): string | undefined =>
  hub.condition('web', 'RemovalsHeld')?.message.replace(/^.*; held: (.*); to let them go: .*$/, '$1');

describe('held removals', () => {
  it('removals beyond the budget cost one write, the status, and one Warning; nothing leaves', async () => {
    const hub = await hubWith(1);
    const mark = hub.mark;

    tier(hub, 'silver', 'a', 'c');
    await hub.untilIdle();

    expect(hub.writesSince(mark)).toEqual(['updateStatus placements team/web']);
    expect(hub.decision('web')).toEqual({ 'decision-1': ['a', 'b'], 'decision-2': ['c', 'd'] });
    expect(held(hub)).toBe('a, c (label tier=silver, wanted tier=gold)');
    expect(hub.condition('web', 'Ready')?.status).toBe('True');
    expect(hub.events.map(({ type, reason }) => [type, reason])).toEqual([['Warning', 'RemovalsHeld']]);
    expect(hub.events[0]?.note).toBe(hub.condition('web', 'RemovalsHeld')?.message);
    expect(hub.infos.at(-1)).toMatchObject({ held: 2, clusters: 4 });
  });

  it('while removals are held, nothing is written again', async () => {
    const hub = await hubWith(0);
    tier(hub, 'silver', 'a');
    await hub.untilIdle();
    const mark = hub.mark;

    await hub.untilIdle(3_600_000);

    expect(hub.writesSince(mark)).toEqual([]);
  });

  it('a hold is stored before the decision objects that the same change needs', async () => {
    const hub = await hubWith(0);
    const mark = hub.mark;

    tier(hub, 'silver', 'a', 'b');
    reject(hub, 'd');
    await hub.untilIdle();

    expect(hub.writesSince(mark)).toEqual([
      'updateStatus placements team/web',
      'update placementdecisions team/web-decision-2',
      'updateStatus placements team/web',
    ]);
    expect(hub.decision('web')).toEqual({ 'decision-1': ['a', 'b'], 'decision-2': ['c'] });
    expect(reasons(hub)).toEqual(['RemovalsHeld', 'DecisionChanged']);
  });

  it('no decision object is written while the hold cannot be stored', async () => {
    const hub = await hubWith(0);
    const mark = hub.mark;
    hub.api.before = ({ verb, name }) => {
      if (verb === 'updateStatus') throw failure('Forbidden', verb, Placements, name);
    };

    tier(hub, 'silver', 'a');
    reject(hub, 'd');
    await hub.untilIdle();

    expect(new Set(hub.writesSince(mark))).toEqual(new Set(['updateStatus placements team/web']));
    hub.api.before = () => {};
    await hub.untilIdle(120_000);
    expect(hub.decision('web')).toEqual({ 'decision-1': ['a', 'b'], 'decision-2': ['c'] });
    expect(held(hub)).toContain('a (');
  });

  it('a hold that ends while another begins is told as ended once, after the writes', async () => {
    const hub = await hubWith(0, { disruptionBudget: { maxRemovals: 0, maxAdditions: 0, windowSeconds: 60 } });
    tier(hub, 'gold', 'e');
    await hub.untilIdle();
    expect(hub.condition('web', 'AdditionsHeld')?.status).toBe('True');
    hub.events.length = 0;

    hub.place('web', spec(0, { disruptionBudget: { maxRemovals: 0, maxAdditions: 1, windowSeconds: 60 } }));
    tier(hub, 'silver', 'a');
    await hub.untilIdle();

    expect(reasons(hub)).toEqual(['RemovalsHeld', 'DecisionChanged', 'AdditionsReleased']);
    expect(hub.events.at(-1)?.note).toBe('no cluster is held back any more; added 1 cluster: e');
  });

  it('a hold whose clusters go by a write that is refused has ended, and no event says that they left', async () => {
    const hub = await hubWith(0);
    tier(hub, 'silver', 'a');
    await hub.untilIdle();
    hub.api.before = ({ verb, name }) => {
      if (verb === 'update') throw failure('Forbidden', verb, PlacementDecisions, name);
    };

    annotate(hub, '2027-01-01T00:00:00Z/*');
    await hub.untilIdle();

    const notes = hub.events.filter(({ reason }) => reason === 'RemovalsReleased').map(({ note }) => note);
    expect(notes).toEqual(['no cluster is held any more']);
    expect(hub.condition('web', 'RemovalsHeld')).toBeUndefined();
    expect(hub.decision('web')['decision-1']).toEqual(['a', 'b']);
  });

  it('a cluster that matches again is not held any more, and the last one ends the hold', async () => {
    const hub = await hubWith(1);
    tier(hub, 'silver', 'a', 'b');
    await hub.untilIdle();

    tier(hub, 'gold', 'a');
    await hub.untilIdle();
    expect(held(hub)).toBe('b (label tier=silver, wanted tier=gold)');
    expect(hub.decision('web')['decision-1']).toEqual(['a', 'b']);

    tier(hub, 'gold', 'b');
    await hub.untilIdle();
    expect(hub.condition('web', 'RemovalsHeld')).toBeUndefined();
    expect(hub.events.map(({ type, reason, note }) => [type, reason, note]).slice(1)).toEqual([
      ['Normal', 'RemovalsReleased', 'no cluster is held any more'],
    ]);
    expect(hub.infos.at(-1)).toMatchObject({ held: 0 });
  });

  it('a release lets clusters go, uncounted, and the event names them', async () => {
    const hub = await hubWith(1);
    tier(hub, 'silver', 'a', 'b', 'c');
    await hub.untilIdle();

    annotate(hub, '2026-02-01T00:00:00Z/a,c');
    await hub.untilIdle();
    expect(hub.decision('web')).toEqual({ 'decision-1': ['b'], 'decision-2': ['d'] });
    expect(held(hub)).toBe('b (label tier=silver, wanted tier=gold)');
    expect(record(hub)).toBeUndefined();

    annotate(hub, '2026-02-01T00:00:00Z/*');
    await hub.untilIdle();
    expect(hub.decision('web')).toEqual({ 'decision-1': [], 'decision-2': ['d'] });
    expect(hub.events.at(-1)).toMatchObject({
      type: 'Normal',
      reason: 'RemovalsReleased',
      note: 'no cluster is held any more; removed 1 cluster: b',
    });
  });

  it('a raised budget lets clusters go, counted', async () => {
    const hub = await hubWith(1);
    tier(hub, 'silver', 'a', 'b', 'c');
    await hub.untilIdle();

    hub.place('web', spec(3));
    await hub.untilIdle();

    expect(hub.decision('web')).toEqual({ 'decision-1': [], 'decision-2': ['d'] });
    expect([record(hub), record(hub, second)].map((text) => Object.values(JSON.parse(text ?? '{}') as object))).toEqual(
      [[2], [1]],
    );
    expect(hub.condition('web', 'RemovalsHeld')).toBeUndefined();
  });

  it('an edit of the spec that does not help goes on with the hold for the new generation, without another event', async () => {
    const hub = await hubWith(0);
    tier(hub, 'silver', 'a', 'b');
    await hub.untilIdle();

    hub.place('web', spec(1));
    await hub.untilIdle();

    expect(hub.condition('web', 'RemovalsHeld')?.observedGeneration).toBe(2);
    expect(reasons(hub)).toEqual(['RemovalsHeld']);
  });

  it('the message follows the causes of held clusters, of any change of their labels', async () => {
    const hub = await hubWith(0);
    tier(hub, 'silver', 'a');
    await hub.untilIdle();

    tier(hub, 'bronze', 'a');
    await hub.untilIdle();
    expect(held(hub)).toBe('a (label tier=bronze, wanted tier=gold)');

    hub.cluster('a', { tier: 'gold' }, { set: 'elsewhere' });
    await hub.untilIdle();
    expect(held(hub)).toBe(`a (label ${CLUSTER_SET_LABEL}=elsewhere names none of cluster sets fleet)`);
  });

  it('a held cluster that is deleted stays held, and so does one without a set', async () => {
    const hub = await hubWith(0);
    tier(hub, 'silver', 'a');
    hub.cluster('b', { tier: 'gold' }, { set: 'elsewhere' });
    await hub.untilIdle();

    hub.deleting('a');
    hub.api.remove(ManagedClusters, { name: 'b' });
    await hub.untilIdle();

    expect(hub.decision('web')['decision-1']).toEqual(['a', 'b']);
    expect(held(hub)).toBe('a (ManagedCluster is being deleted), b (was deleted)');
  });
});

describe('records of removals', () => {
  it('a removal is recorded in the write that takes the cluster out', async () => {
    const hub = await hubWith(1);
    const mark = hub.mark;

    tier(hub, 'silver', 'a');
    await hub.untilIdle();

    expect(hub.writesSince(mark)).toEqual([
      'update placementdecisions team/web-decision-1',
      'updateStatus placements team/web',
    ]);
    expect(record(hub)).toMatch(/^\{"2026-01-01T00:00:\d\dZ":1\}$/);
  });

  it('the next removal within the window is held, and one after it is made', async () => {
    const hub = await hubWith(1);
    tier(hub, 'silver', 'a');
    await hub.untilIdle();
    tier(hub, 'silver', 'b');
    await hub.untilIdle();
    expect(held(hub)).toContain('b (');
    tier(hub, 'gold', 'b');

    await hub.untilIdle(70_000);
    tier(hub, 'silver', 'b');
    await hub.untilIdle();

    expect(hub.condition('web', 'RemovalsHeld')).toBeUndefined();
    expect(hub.decision('web')['decision-1']).toEqual([]);
    expect(Object.values(JSON.parse(record(hub) ?? '') as object)).toEqual([1]);
  });

  it('an emptied object stays while its record counts, and is deleted when it has run out, without any other change', async () => {
    const hub = await hubWith(2);
    tier(hub, 'silver', 'c', 'd');
    await hub.untilIdle();
    expect(hub.decision('web')['decision-2']).toEqual([]);

    await hub.untilIdle(50_000);
    expect(hub.decision('web')['decision-2']).toEqual([]);

    await hub.untilIdle(15_000);
    expect(hub.decision('web')).toEqual({ 'decision-1': ['a', 'b'] });
    expect(hub.status('web').decisions?.map(({ name }) => name)).toEqual(['web-decision-1']);
  });

  it('an unreadable record holds every removal until it is taken away', async () => {
    const hub = await hubWith('100%');
    const stored = hub.api.peek<PlacementDecision>(PlacementDecisions, second);
    const edit = (annotations: Record<string, string>): void => {
      const now = hub.api.peek<PlacementDecision>(PlacementDecisions, second);
      if (now === undefined) throw new Error('no second object');
      hub.api.put<PlacementDecision>(PlacementDecisions, { ...now, metadata: { ...now.metadata, annotations } });
    };
    edit({ ...stored?.metadata.annotations, [REMOVALS_ANNOTATION]: 'three' });
    tier(hub, 'silver', 'a');
    reject(hub, 'd');
    await hub.untilIdle();

    expect(hub.decision('web')).toEqual({ 'decision-1': ['a', 'b'], 'decision-2': ['c'] });
    expect(hub.condition('web', 'RemovalsHeld')?.message).toContain(
      'of PlacementDecision web-decision-2 cannot be read',
    );
    expect(record(hub, second)).toBe('three');

    edit({});
    hub.place('web', spec('99%'));
    await hub.untilIdle();
    expect(hub.decision('web')['decision-1']).toEqual(['b']);
  });

  it('without a budget no record is written of clusters that are not deleted', async () => {
    const hub = await hubWith(1);
    tier(hub, 'silver', 'a');
    await hub.untilIdle();

    hub.place('web', { predicates: [gold] });
    await hub.untilIdle(120_000);
    tier(hub, 'silver', 'b', 'c', 'd');
    await hub.untilIdle();

    expect(hub.decision('web')).toEqual({ 'decision-1': [] });
    expect(record(hub)).toBeUndefined();
  });

  it('a new leader whose caches are behind reads what they lack, and removes nothing on their word', async () => {
    const hub = await hubWith(1);
    const standby = new PlacementRig(hub);
    for (const cache of Object.values(standby.caches)) cache.start();
    standby.caches.decisions.pause();
    tier(hub, 'silver', 'a');
    await hub.untilIdle();
    await hub.loseLease();
    tier(hub, 'gold', 'a');
    tier(hub, 'silver', 'c');

    standby.acquireLease();
    await standby.untilIdle();
    expect(hub.decision('web')).toEqual({ 'decision-1': ['b', 'a'], 'decision-2': ['c', 'd'] });
    expect(held(standby)).toContain('c (');
  });
});
