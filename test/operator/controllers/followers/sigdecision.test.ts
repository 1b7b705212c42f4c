import { describe, expect, it } from '@jest/globals';
import type { Placement } from '../../../../src/api/generated/placement.js';
import { ManagedClusters, Placements, SigPlacementDecisions } from '../../../../src/api/resources.js';
import type { SigDecision } from '../../../../src/domain/placement/publish/sigdecision.js';
import { failure } from '../../../support/fakes/api.js';
import { Followers } from '../../../support/rigs/controllers/followers.js';
import { NAMESPACE } from '../../../support/rigs/controllers/placement.js';

const UNSERVED = failure('ResourceMissing', 'list', SigPlacementDecisions, { name: '' });

describe('decisions for SIG Multicluster', () => {
  it('a decision is published, follows each change of it, and costs no write while nothing changes', async () => {
    const on = await new Followers().start();
    const { hub } = on;
    hub.clusters('a', 'b');
    hub.place('web');
    await hub.untilIdle();
    expect(on.sigDecisions()['web-decision-1']?.toSorted()).toEqual(['a', 'b']);

    await hub.untilIdle(25 * 60_000);
    expect(on.writesOf(SigPlacementDecisions)).toEqual(['create web-decision-1']);

    hub.api.remove(ManagedClusters, { name: 'a' });
    await hub.untilIdle();
    expect(on.sigDecisions()).toEqual({ 'web-decision-1': ['b'] });
    expect(on.writesOf(SigPlacementDecisions)).toEqual(['create web-decision-1', 'update web-decision-1']);
  });

  it('what others change or delete is put right', async () => {
    const on = await new Followers().start();
    const { hub } = on;
    hub.clusters('a');
    hub.place('web');
    await hub.untilIdle();
    const name = { namespace: NAMESPACE, name: 'web-decision-1' };
    const stored = hub.api.peek<SigDecision>(SigPlacementDecisions, name);
    if (stored === undefined) throw new Error('nothing was published');
    hub.api.put<SigDecision>(SigPlacementDecisions, { ...stored, decisions: [] });
    await hub.untilIdle();
    expect(on.sigDecisions()).toEqual({ 'web-decision-1': ['a'] });

    hub.api.remove(SigPlacementDecisions, name);
    await hub.untilIdle();
    expect(on.sigDecisions()).toEqual({ 'web-decision-1': ['a'] });
  });

  it('while the API is not served decisions are unchanged, which is reported once, and all is published once it is', async () => {
    const on = await new Followers().start();
    const { hub, published } = on;
    published.fail(UNSERVED);
    published.fail(UNSERVED);
    hub.clusters('a');
    hub.place('web');
    await hub.untilIdle(60_000);
    expect(hub.decision('web')).toEqual({ 'decision-1': ['a'] });
    expect(on.sigDecisions()).toEqual({});
    expect(hub.log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'API is not served; ignored until it is',
    ]);

    published.fail(undefined);
    await hub.untilIdle();
    expect(on.sigDecisions()).toEqual({ 'web-decision-1': ['a'] });
  });

  it('nothing is written for a Placement that is being deleted: what there is goes with it', async () => {
    const on = await new Followers().start();
    const { hub } = on;
    hub.clusters('a');
    const placement = hub.place('web');
    await hub.untilIdle();
    const metadata = { ...placement.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x/y'] };
    const stored = hub.api.peek<Placement>(Placements, { namespace: NAMESPACE, name: 'web' });
    hub.api.put<Placement>(Placements, { ...(stored ?? placement), metadata });
    const { length } = on.writesOf(SigPlacementDecisions);
    hub.api.remove(SigPlacementDecisions, { namespace: NAMESPACE, name: 'web-decision-1' });
    await hub.untilIdle();

    expect(on.writesOf(SigPlacementDecisions)).toHaveLength(length);
  });

  it('after a conflict the stored object is read, and the decision is published', async () => {
    const on = await new Followers().start();
    const { hub, published } = on;
    hub.clusters('a');
    hub.place('web');
    await hub.untilIdle();
    published.pause();
    const stored = hub.api.peek<SigDecision>(SigPlacementDecisions, { namespace: NAMESPACE, name: 'web-decision-1' });
    if (stored === undefined) throw new Error('nothing was published');
    hub.api.put<SigDecision>(SigPlacementDecisions, { ...stored, decisions: [] });
    hub.clusters('b');
    await hub.untilIdle(10_000);

    expect(on.sigDecisions()['web-decision-1']?.toSorted()).toEqual(['a', 'b']);
  });

  it('with a decision object its published one is deleted', async () => {
    const on = await new Followers().start();
    const { hub } = on;
    hub.clusters(...Array.from({ length: 101 }, (_, index) => `c${index}`));
    hub.place('web');
    await hub.untilIdle();
    const last = on.sigDecisions()['web-decision-2'] ?? [];
    expect(last).toHaveLength(1);

    for (const name of last) hub.api.remove(ManagedClusters, { name });
    // The emptied object keeps the record of the deletion for a minute.
    await hub.untilIdle(70_000);

    expect(Object.keys(on.sigDecisions())).toEqual(['web-decision-1']);
    expect(on.writesOf(SigPlacementDecisions).at(-1)).toBe('delete web-decision-2');
  });

  it('an object of somebody else with the name of a decision is left alone, and a warning names it', async () => {
    const on = await new Followers().start();
    const { hub } = on;
    const metadata = { namespace: NAMESPACE, name: 'web-decision-1' };
    hub.api.put<SigDecision>(SigPlacementDecisions, { metadata, decisions: [] });
    hub.clusters('a');
    hub.place('web');
    await hub.untilIdle();

    expect(on.sigDecisions()).toEqual({ 'web-decision-1': [] });
    expect(on.writesOf(SigPlacementDecisions)).toEqual([]);
    expect(hub.log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { objects: ['web-decision-1'] } },
    ]);
  });

  it('nothing is published while the caches of the decision are not current', async () => {
    const on = await new Followers().start();
    const { hub } = on;
    hub.clusters('a');
    hub.place('web');
    await hub.untilIdle();
    const { length } = on.writesOf(SigPlacementDecisions);
    hub.caches.clusters.fail(failure('Transport', 'list', ManagedClusters, { name: '' }));
    hub.api.remove(SigPlacementDecisions, { namespace: NAMESPACE, name: 'web-decision-1' });
    await hub.untilIdle(60_000);
    expect(on.writesOf(SigPlacementDecisions)).toHaveLength(length);

    hub.caches.clusters.fail(undefined);
    await hub.untilIdle(60_000);
    expect(on.sigDecisions()).toEqual({ 'web-decision-1': ['a'] });
  });
});
