import { describe, expect, it } from '@jest/globals';
import type { Placement } from '../../../../src/api/generated/placement.js';
import type { PlacementDecision } from '../../../../src/api/generated/placementdecision.js';
import { PLACEMENT_LABEL } from '../../../../src/api/names.js';
import { ManagedClusters, PlacementDecisions, Placements } from '../../../../src/api/resources.js';
import { failure } from '../../../support/fakes/api.js';
import { PlacementRig, NAMESPACE } from '../../../support/rigs/controllers/placement.js';

const first = { namespace: NAMESPACE, name: 'web-decision-1' };

function numbered(count: number, prefix = 'c'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(3, '0')}`);
}

describe('publishing of a new Placement', () => {
  it('a new Placement costs two writes and one event: the complete decision, then the status', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b', 'c');
    await hub.start();
    const mark = hub.mark;

    hub.place('web', { numberOfClusters: 2 });
    await hub.untilIdle();

    expect(hub.writesSince(mark)).toEqual([
      'create placementdecisions team/web-decision-1',
      'updateStatus placements team/web',
    ]);
    expect(hub.events.map((one) => one.reason)).toEqual(['DecisionPublished']);
    expect(hub.decision('web')['decision-1']).toHaveLength(2);
    expect(hub.status('web')).toMatchObject({ phase: 'Satisfied', observedGeneration: 1, numberOfSelectedClusters: 2 });
    expect(hub.infos.at(-1)).toEqual({ namespace: NAMESPACE, name: 'web', phase: 'Satisfied', clusters: 2, held: 0 });
    expect(hub.latencies).toHaveLength(1);
  });

  it('a new Placement that selects no cluster has one empty decision and one event with the reason', async () => {
    const hub = await new PlacementRig().start();
    const mark = hub.mark;

    hub.place('web');
    await hub.untilIdle();

    expect(hub.writesSince(mark)).toHaveLength(2);
    expect(hub.decision('web')).toEqual({ 'decision-1': [] });
    expect(hub.events.map((one) => [one.type, one.reason])).toEqual([['Warning', 'PlacementUnsatisfied']]);
    expect(hub.condition('web', 'PlacementSatisfied')?.reason).toBe('AllManagedClusterSetsEmpty');
  });

  it('a new Placement is not reconciled again because of its own writes', async () => {
    const hub = new PlacementRig();
    hub.clusters(...numbered(250));
    await hub.start();
    hub.place('web');
    await hub.untilIdle();
    const passes = hub.infos.length;

    await hub.untilIdle(20_000);

    expect(hub.infos).toHaveLength(passes);
    expect(passes).toBe(1);
  });

  it('the status of a new Placement lists the names and revisions of all its objects', async () => {
    const hub = new PlacementRig();
    hub.clusters(...numbered(250));
    await hub.start();
    hub.place('web');
    await hub.untilIdle();

    const objects = hub.api.all<PlacementDecision>(PlacementDecisions);
    expect(objects.map((one) => one.status.decisions.length)).toEqual([100, 100, 50]);
    expect(hub.status('web').decisions).toEqual(
      objects.map(({ metadata }) => ({
        name: metadata.name,
        revision: metadata.annotations?.['cluster.fleetmgmt.io/decision-revision'],
      })),
    );
  });
});

describe('publishing of decision objects', () => {
  it('a decision object is created with its clusters', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    await hub.start();
    const seen: number[] = [];
    hub.api.before = (call) => {
      if (call.type === PlacementDecisions && call.object !== undefined)
        seen.push((call.object as PlacementDecision).status.decisions.length);
    };

    hub.place('web');
    await hub.untilIdle();

    expect(seen).toEqual([1]);
  });

  it('a deleted decision object is created again with the same clusters, even if others rank higher by now', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b');
    await hub.start();
    hub.place('web', { numberOfClusters: 2 });
    await hub.untilIdle();
    hub.clusters(...numbered(50, 'new'));
    await hub.untilIdle();
    const before = hub.decision('web');

    hub.api.remove(PlacementDecisions, first);
    await hub.untilIdle();

    expect(hub.decision('web')).toEqual(before);
    expect(hub.events.map((one) => one.reason)).toEqual(['DecisionPublished']);
  });

  it('a decision object that another client edited is restored, and keeps the labels and annotations of others', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b');
    await hub.start();
    hub.place('web');
    await hub.untilIdle();
    const before = hub.decision('web');
    const stored = hub.api.peek<PlacementDecision>(PlacementDecisions, first);
    const labels = { ...stored?.metadata.labels, theirs: 'stays' };
    const edited = {
      ...stored,
      metadata: { ...stored?.metadata, name: first.name, labels },
      status: { decisions: [] },
    };

    hub.api.put<PlacementDecision>(PlacementDecisions, edited);
    await hub.untilIdle();

    expect(hub.decision('web')).toEqual(before);
    expect(hub.api.peek<PlacementDecision>(PlacementDecisions, first)?.metadata.labels).toEqual({
      [PLACEMENT_LABEL]: 'web',
      theirs: 'stays',
    });
  });

  it('a decision object of another owner is not changed: Ready is PublishFailed, and the status lists only what is stored', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    const foreign = {
      metadata: {
        ...first,
        labels: { [PLACEMENT_LABEL]: 'web' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x', controller: true }],
      },
      status: { decisions: [] },
    };
    hub.api.put<PlacementDecision>(PlacementDecisions, foreign);
    hub.place('web');
    await hub.start();

    expect(hub.writesSince(0)).toEqual(['updateStatus placements team/web']);
    expect(hub.condition('web', 'Ready')).toMatchObject({
      status: 'False',
      reason: 'PublishFailed',
      message: expect.stringContaining('web-decision-1'),
    });
    expect(hub.condition('web', 'PlacementSatisfied')).toMatchObject({
      status: 'False',
      reason: 'NotAllDecisionsScheduled',
    });
    expect(hub.status('web')).toMatchObject({ numberOfSelectedClusters: 0, decisions: [] });

    hub.api.remove(PlacementDecisions, first);
    await hub.untilIdle();

    expect(hub.decision('web')).toEqual({ 'decision-1': ['a'] });
    expect(hub.condition('web', 'Ready')?.status).toBe('True');
  });

  it('a decision object without an owner that has our label is adopted with its clusters', async () => {
    const hub = new PlacementRig();
    hub.clusters(...numbered(20));
    const placement = hub.place('web', { numberOfClusters: 1 });
    hub.store(placement, 1, ['c007'], { ownerReferences: [] });
    await hub.start();

    const adopted = hub.api.peek<PlacementDecision>(PlacementDecisions, first);
    expect(adopted?.metadata.ownerReferences).toMatchObject([
      { kind: 'Placement', name: 'web', uid: placement.metadata.uid, controller: true },
    ]);
    expect(hub.decision('web')).toEqual({ 'decision-1': ['c007'] });
  });

  it('a decision object of a deleted Placement of the same name is deleted with preconditions and created again', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    const placement = hub.place('web');
    hub.store({ ...placement, metadata: { ...placement.metadata, uid: 'uid-of-the-one-before' } }, 1, [
      'gone',
      'long-gone',
    ]);
    await hub.start();

    expect(hub.writesSince(0)).toEqual([
      'delete placementdecisions team/web-decision-1',
      'create placementdecisions team/web-decision-1',
      'updateStatus placements team/web',
    ]);
    expect(hub.decision('web')).toEqual({ 'decision-1': ['a'] });
  });

  it('a decision object of a newer Placement than the cached one is not deleted', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    hub.place('web');
    await hub.start();
    hub.caches.placements.pause();
    hub.api.remove(Placements, { namespace: NAMESPACE, name: 'web' });
    const replacement = hub.place('web', {}, { uid: 'uid-of-the-replacement' });
    const before = hub.mark;

    hub.api.remove(PlacementDecisions, first);
    hub.store(replacement, 1, ['a']);
    await hub.clock.advance(500);

    expect(hub.writesSince(before)).toEqual([]);
  });

  it('a decision object is not written again for a Placement that is being deleted', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    hub.place('web', {}, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] });
    await hub.start();

    hub.clusters('b');
    await hub.untilIdle();

    expect(hub.writesSince(0)).toEqual([]);
  });
});

describe('publishing with failed writes', () => {
  it.each(['Forbidden', 'Invalid', 'Unavailable'] as const)(
    'a write that fails as %s is reported and retried, and the status does not list it',
    async (kind) => {
      const hub = new PlacementRig();
      hub.clusters('a');
      await hub.start();
      let refuse = true;
      hub.api.before = (call) => {
        if (refuse && call.verb === 'create') throw failure(kind, 'create', PlacementDecisions, first);
      };

      hub.place('web');
      await hub.clock.advance(100);

      expect(hub.log.lines.some((line) => line.message === 'reconcile failed')).toBe(true);
      expect(hub.condition('web', 'Ready')).toMatchObject({
        status: 'False',
        reason: 'PublishFailed',
        message: expect.stringContaining(kind),
      });
      expect(hub.status('web')).toMatchObject({ numberOfSelectedClusters: 0, decisions: [] });
      expect(hub.events).toEqual([expect.objectContaining({ reason: 'PlacementUnsatisfied' })]);

      refuse = false;
      await hub.untilIdle(60_000);

      expect(hub.decision('web')).toEqual({ 'decision-1': ['a'] });
      expect(hub.status('web')).toMatchObject({ phase: 'Satisfied', numberOfSelectedClusters: 1 });
    },
  );

  it('a write that was stored without an answer is confirmed before the next decision', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    await hub.start();
    hub.caches.decisions.pause();
    let lose = true;
    const { create } = hub.api;
    hub.api.create = async (type, object, options) => {
      const stored = await create.call(hub.api, type, object, options);
      if (lose && type === PlacementDecisions) {
        lose = false;
        throw failure('Transport', 'create', PlacementDecisions, first);
      }
      return stored as typeof object;
    };

    hub.place('web');
    await hub.untilIdle();

    expect(hub.writesSince(0)).toEqual([
      'create placementdecisions team/web-decision-1',
      'updateStatus placements team/web',
    ]);
    expect(hub.status('web')).toMatchObject({ phase: 'Satisfied', numberOfSelectedClusters: 1 });
  });

  it('a failed write of the second of three objects leaves the first reported and the third unwritten, and all are written in the end', async () => {
    const hub = new PlacementRig();
    hub.clusters(...numbered(250));
    await hub.start();
    let refuse = true;
    hub.api.before = (call) => {
      if (refuse && call.verb === 'create' && call.name.name === 'web-decision-2')
        throw failure('Forbidden', 'create', PlacementDecisions, call.name);
    };

    hub.place('web');
    await hub.clock.advance(100);

    expect(hub.status('web')).toMatchObject({ numberOfSelectedClusters: 100, decisions: [{ name: 'web-decision-1' }] });
    expect(Object.keys(hub.decision('web'))).toEqual(['decision-1']);

    refuse = false;
    await hub.untilIdle(60_000);

    expect(hub.status('web').numberOfSelectedClusters).toBe(250);
  });

  it('a failed write of the status is retried, and the decision is not written twice', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    await hub.start();
    let refusals = 3;
    hub.api.before = (call) => {
      if (call.verb === 'updateStatus' && refusals-- > 0)
        throw failure('Unavailable', 'updateStatus', Placements, call.name);
    };

    hub.place('web');
    await hub.untilIdle();

    expect(hub.writesSince(0).filter((write) => write.startsWith('create'))).toHaveLength(1);
    expect(hub.status('web').phase).toBe('Satisfied');
    expect(hub.events.map((one) => one.reason)).toEqual(['DecisionPublished']);
  });

  it('a status write with a conflict is retried with the Placement as stored, and not lost', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    await hub.start();
    hub.caches.placements.pause();
    hub.place('web');
    hub.caches.placements.deliver(1);
    const stored = hub.api.peek<Placement>(Placements, { namespace: NAMESPACE, name: 'web' });
    if (stored === undefined) throw new Error('no placement');
    hub.api.put<Placement>(Placements, { ...stored, metadata: { ...stored.metadata, labels: { theirs: 'x' } } });

    await hub.untilIdle();

    expect(hub.status('web').phase).toBe('Satisfied');
    expect(hub.writesSince(0)).toEqual([
      'create placementdecisions team/web-decision-1',
      'updateStatus placements team/web',
      'updateStatus placements team/web',
    ]);
    expect(hub.log.lines.filter((line) => line.level === 'error')).toEqual([]);
  });

  it('a status write of a Placement that is gone ends the reconcile without an error', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    await hub.start();
    hub.api.before = (call) => {
      if (call.verb === 'updateStatus' && call.type === Placements)
        throw failure('NotFound', 'updateStatus', Placements, call.name);
    };

    hub.place('web');
    await hub.untilIdle();

    expect(hub.writesSince(0)).toEqual([
      'create placementdecisions team/web-decision-1',
      'updateStatus placements team/web',
    ]);
    expect(hub.log.lines.filter((line) => line.level === 'error')).toEqual([]);
  });
});

describe('publishing with a cache that is behind', () => {
  it('while the cache does not show own writes, another reconcile neither repeats nor reverts them', async () => {
    const hub = new PlacementRig();
    hub.clusters(...numbered(150));
    hub.place('web', { numberOfClusters: 150 });
    await hub.start();
    hub.caches.decisions.pause();
    hub.caches.placements.pause();
    hub.api.remove(ManagedClusters, { name: 'c010' });
    await hub.untilIdle();
    const mark = hub.mark;
    const decision = hub.decision('web');

    hub.cluster('unrelated', {}, { set: 'fleet' });
    hub.api.remove(ManagedClusters, { name: 'unrelated' });
    await hub.untilIdle();

    expect(Object.values(decision).flat()).toHaveLength(149);
    expect(Object.values(hub.decision('web')).flat()).toHaveLength(149);
    hub.caches.decisions.deliver();
    hub.caches.placements.deliver();
    await hub.untilIdle();
    expect(hub.writesSince(mark).filter((write) => write.includes('decision')).length).toBeLessThanOrEqual(2);
  });

  it('while the cache does not show the write of another client, a reconcile costs one conflict and one read', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b');
    hub.place('web', { numberOfClusters: 2 });
    await hub.start();
    hub.caches.decisions.pause();
    const stored = hub.api.peek<PlacementDecision>(PlacementDecisions, first);
    const annotations = { ...stored?.metadata.annotations, theirs: 'x' };
    hub.api.put<PlacementDecision>(PlacementDecisions, {
      metadata: { ...stored?.metadata, ...first, annotations },
      status: stored?.status ?? { decisions: [] },
    });
    const mark = hub.mark;

    hub.deleting('a');
    await hub.untilIdle();

    expect(hub.decision('web')).toEqual({ 'decision-1': ['b'] });
    expect(hub.writesSince(mark)).toEqual([
      'update placementdecisions team/web-decision-1',
      'update placementdecisions team/web-decision-1',
      'updateStatus placements team/web',
    ]);
    expect(hub.api.peek<PlacementDecision>(PlacementDecisions, first)?.metadata.annotations).toHaveProperty(
      'theirs',
      'x',
    );
  });
});
