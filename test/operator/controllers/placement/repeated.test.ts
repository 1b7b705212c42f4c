import { describe, expect, it } from '@jest/globals';
import { PlacementDecisions, Placements } from '../../../../src/api/resources.js';
import type { FakeCall } from '../../../support/fakes/api.js';
import { PlacementRig, NAMESPACE } from '../../../support/rigs/controllers/placement.js';

const first = { namespace: NAMESPACE, name: 'web-decision-1' };

function updatesDecision({ verb, type, object }: FakeCall): boolean {
  return verb === 'update' && type === PlacementDecisions && object !== undefined;
}

/** A hub that has selected two of the given clusters; the better ranked one of those left is what a newcomer competes with. */
async function selected(...names: readonly string[]): Promise<PlacementRig> {
  const hub = new PlacementRig();
  hub.clusters(...names);
  await hub.start();
  hub.place('web', { numberOfClusters: 2 });
  await hub.untilIdle();
  return hub;
}

describe('repeated writes', () => {
  // The client repeats a PUT whose answer did not come; the first was stored, so the second names an old version.
  it('a repeated write of what is stored already counts as stored: its clusters are not replaced by a new one with a higher rank', async () => {
    const hub = await selected('a', 'b', 'c');
    const [gone = '', stays = ''] = hub.decision('web')['decision-1'] ?? [];
    hub.api.before = (call) => {
      if (!updatesDecision(call) || call.object === undefined) return;
      hub.api.before = () => {};
      hub.caches.decisions.pause();
      hub.api.put(PlacementDecisions, call.object);
      for (let n = 0; n < 40; n++) hub.cluster(`new-${n}`);
    };

    hub.deleting(gone);
    await hub.untilIdle();

    const [third = ''] = ['a', 'b', 'c'].filter((name) => name !== gone && name !== stays);
    expect(hub.decision('web')['decision-1']?.toSorted()).toEqual([stays, third].toSorted());
    expect(hub.status('web')).toMatchObject({ numberOfSelectedClusters: 2, phase: 'Satisfied' });
  });

  it('after a repeated write of what is stored already, the writes after it are carried out, and the status lists them', async () => {
    const hub = new PlacementRig();
    hub.clusters(...Array.from({ length: 150 }, (_, n) => `c${n}`));
    await hub.start();
    hub.place('web');
    await hub.untilIdle();
    const mark = hub.mark;
    hub.api.before = (call) => {
      if (!updatesDecision(call) || call.object === undefined) return;
      hub.api.before = () => {};
      hub.api.put(PlacementDecisions, call.object);
    };

    const decision = hub.decision('web');
    for (const name of [decision['decision-1']?.[0], decision['decision-2']?.[0]]) hub.deleting(name ?? '');
    await hub.untilIdle();

    expect(hub.writesSince(mark)).toEqual([
      'update placementdecisions team/web-decision-1',
      'update placementdecisions team/web-decision-2',
      'updateStatus placements team/web',
    ]);
    expect(hub.status('web').decisions?.map(({ revision }) => revision)).toEqual(
      hub.api
        .all(PlacementDecisions)
        .map(({ metadata }) => metadata.annotations?.['cluster.fleetmgmt.io/decision-revision']),
    );
  });

  it('a repeated write does not count as stored when another client has written other content', async () => {
    const hub = await selected('a', 'b', 'c');
    const [gone = '', stays = ''] = hub.decision('web')['decision-1'] ?? [];
    hub.api.before = (call) => {
      if (!updatesDecision(call)) return;
      hub.api.before = () => {};
      const stored = hub.api.peek(PlacementDecisions, first);
      if (stored !== undefined)
        hub.api.put(PlacementDecisions, { ...stored, status: { decisions: [] } } as typeof stored);
    };

    hub.deleting(gone);
    await hub.untilIdle();

    expect(hub.decision('web')['decision-1']).toContain(stays);
    expect(hub.decision('web')['decision-1']).toHaveLength(2);
  });
});

describe('deletions before the answer', () => {
  /** A hub on which the next change of the decision object is followed by its deletion, both seen before the writer's answer. */
  async function snatched(): Promise<{ readonly hub: PlacementRig; readonly arm: () => void }> {
    const hub = new PlacementRig();
    hub.clusters('a', 'b');
    let armed = false;
    hub.caches.decisions.onChange(({ after }) => {
      if (!armed || after === undefined) return;
      armed = false;
      hub.api.remove(PlacementDecisions, first);
    });
    await hub.start();
    return { hub, arm: () => (armed = true) };
  }

  it('a new decision object that is deleted before the answer to its creation is created again', async () => {
    const { hub, arm } = await snatched();
    arm();

    hub.place('web', { numberOfClusters: 0 });
    await hub.untilIdle();

    expect(hub.decision('web')).toEqual({ 'decision-1': [] });
  });

  it('a decision object that is deleted before the answer to its update is created again', async () => {
    const { hub, arm } = await snatched();
    hub.place('web');
    await hub.untilIdle();
    arm();

    hub.deleting('a');
    await hub.untilIdle();

    expect(hub.decision('web')).toEqual({ 'decision-1': ['b'] });
  });

  it('a decision object that replaced one of a deleted Placement, and is deleted before the answer to its creation, is created again', async () => {
    const { hub, arm } = await snatched();
    const old = hub.place('web', {}, { uid: 'of-the-old-one' });
    hub.store(old, 1, ['a', 'b']);
    hub.api.remove(Placements, { namespace: NAMESPACE, name: 'web' });
    await hub.untilIdle();
    arm();

    hub.place('web', { numberOfClusters: 0 });
    await hub.untilIdle();

    expect(hub.decision('web')).toEqual({ 'decision-1': [] });
    expect(hub.api.peek(PlacementDecisions, first)?.metadata.ownerReferences?.[0]?.uid).not.toBe('of-the-old-one');
  });
});
