import { describe, expect, it } from '@jest/globals';
import type { PlacementDecision } from '../../../../src/api/generated/placementdecision.js';
import { PLACEMENT_LABEL } from '../../../../src/api/names.js';
import { PlacementDecisions, Placements } from '../../../../src/api/resources.js';
import { failure } from '../../../support/fakes/api.js';
import { PlacementRig, NAMESPACE } from '../../../support/rigs/controllers/placement.js';

/** Faults of the well-known controller for the same job, as far as they are faults of a controller. */
describe('regressions of an earlier controller for the same task', () => {
  it('a negative number of clusters stops neither its Placement nor another one', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    hub.place('bad', { numberOfClusters: -1 });
    hub.place('good');
    await hub.start();

    expect(hub.status('bad').phase).toBe('Misconfigured');
    expect(hub.decision('good')).toEqual({ 'decision-1': ['a'] });
  });

  it('a refused write of a decision is neither ignored nor reported as stored: the reconcile fails and is retried', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    hub.place('web');
    await hub.start();
    let refusals = 0;
    hub.api.before = (call) => {
      if (call.verb === 'update' && refusals++ < 4) throw failure('Forbidden', 'update', PlacementDecisions, call.name);
    };

    hub.clusters('b');
    await hub.clock.advance(60);
    expect(refusals).toBeGreaterThan(0);
    expect(hub.status('web').numberOfSelectedClusters).toBe(1);
    expect(hub.condition('web', 'Ready')?.reason).toBe('PublishFailed');

    await hub.untilIdle();
    expect(hub.status('web')).toMatchObject({ numberOfSelectedClusters: 2, phase: 'Satisfied' });
  });

  it('an object with our label and another owner is not deleted', async () => {
    const hub = new PlacementRig();
    const labels = { [PLACEMENT_LABEL]: 'web' };
    hub.api.put<PlacementDecision>(PlacementDecisions, {
      metadata: { namespace: NAMESPACE, name: 'web-of-mine', labels },
      status: { decisions: [] },
    });
    hub.place('web');
    await hub.start();
    hub.clusters('a');
    await hub.untilIdle();

    expect(hub.api.peek(PlacementDecisions, { namespace: NAMESPACE, name: 'web-of-mine' })).toBeDefined();
    expect(hub.writesSince(0).filter((write) => write.includes('web-of-mine'))).toEqual([]);
  });

  it('a decision object is created with its clusters by one call', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b');
    await hub.start();
    const sizes: number[] = [];
    hub.api.before = ({ type, object }) => {
      if (type === PlacementDecisions && object !== undefined)
        sizes.push((object as PlacementDecision).status.decisions.length);
    };

    hub.place('web');
    await hub.untilIdle();

    expect(sizes).toEqual([2]);
  });

  it('an unreadable cluster set stops no Placement, not even one that uses it', async () => {
    const hub = new PlacementRig();
    hub.set('odd', { clusterSelector: { selectorType: 'Sorting' } });
    hub.bind('odd');
    hub.clusters('a');
    hub.place('web');
    hub.place('other', { ClusterSets: ['fleet'] });
    await hub.start();
    hub.clusters('b');
    await hub.untilIdle();

    for (const name of ['web', 'other']) expect(Object.values(hub.decision(name)).flat().sort()).toEqual(['a', 'b']);
  });

  it('an error that only a user can correct is reported once and not retried', async () => {
    const hub = new PlacementRig();
    hub.place('web', { numberOfClusters: 1.5 });
    await hub.start();
    const calls = hub.api.calls.length;

    await hub.untilIdle(300_000);

    expect(hub.condition('web', 'Stalled')?.status).toBe('True');
    expect(hub.api.calls).toHaveLength(calls);
    expect(hub.log.lines.filter((line) => line.level === 'error')).toEqual([]);
  });

  it('heartbeats of clusters cause no reconcile', async () => {
    const hub = new PlacementRig();
    for (let n = 0; n < 100; n++) hub.cluster(`c${n}`);
    for (let n = 0; n < 20; n++) hub.place(`p${n}`, { numberOfClusters: 3 });
    await hub.start();
    const [calls, passes] = [hub.api.calls.length, hub.infos.length];

    for (let n = 0; n < 100; n++) hub.cluster(`c${n}`, {}, { claims: { heartbeat: String(n) } });
    await hub.untilIdle();

    expect([hub.api.calls.length, hub.infos.length]).toEqual([calls, passes]);
  });

  it('a change that affects one Placement changes no decision of another', async () => {
    const hub = new PlacementRig();
    for (let n = 0; n < 30; n++) hub.cluster(`c${n}`);
    for (let n = 0; n < 20; n++) hub.place(`p${n}`, { numberOfClusters: 2 });
    hub.place('gold', {
      predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } }],
    });
    await hub.start();
    const before = hub.api.all(PlacementDecisions).map((one) => one.metadata.resourceVersion);
    const statuses = hub.api.all(Placements).map((one) => one.metadata.resourceVersion);

    hub.cluster('c3', { tier: 'gold' });
    await hub.untilIdle();

    const moved = hub.api
      .all(PlacementDecisions)
      .filter((one, index) => one.metadata.resourceVersion !== before[index]);
    const reported = hub.api.all(Placements).filter((one, index) => one.metadata.resourceVersion !== statuses[index]);
    expect(moved.map((one) => one.metadata.name)).toEqual(['gold-decision-1']);
    expect(reported.map((one) => one.metadata.name)).toEqual(['gold']);
  });
});
