import { describe, expect, it } from '@jest/globals';
import type { PlacementDecision } from '../../../../src/api/generated/placementdecision.js';
import { PlacementDecisions, Placements } from '../../../../src/api/resources.js';
import { CustomResourceDefinitions } from '../../../../src/runtime/vocabulary/kinds.js';
import { ApiError } from '../../../../src/runtime/errors.js';
import { failure } from '../../../support/fakes/api.js';
import { PlacementRig, NAMESPACE } from '../../../support/rigs/controllers/placement.js';

const first = { namespace: NAMESPACE, name: 'web-decision-1' };

function eventReasons(hub: PlacementRig): string[] {
  return hub.events.map((one) => one.reason);
}

/** Creates an object without an owner under the name of a decision object. */
function occupy(hub: PlacementRig): void {
  hub.api.put<PlacementDecision>(PlacementDecisions, { metadata: first, status: { decisions: [] } });
}

/** Refuses every decision object until the answer is called. */
function refuse(hub: PlacementRig): () => void {
  let refusing = true;
  hub.api.before = (call) => {
    if (refusing && call.verb === 'create') throw failure('Forbidden', 'create', PlacementDecisions, call.name);
  };
  return () => (refusing = false);
}

describe('reports of failed writes', () => {
  it('a decision that is blocked by a foreign object is reported once, with the object, and lists nothing', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    occupy(hub);
    hub.place('web');
    await hub.start();

    const ready = hub.condition('web', 'Ready')?.message ?? '';
    const satisfied = hub.condition('web', 'PlacementSatisfied')?.message ?? '';
    expect(ready).toContain('PlacementDecision team/web-decision-1');
    expect(satisfied).toBe(`not every cluster that matches is stored; ${ready}`);
    expect(hub.events).toEqual([
      expect.objectContaining({ type: 'Warning', reason: 'PlacementUnsatisfied', note: satisfied }),
    ]);

    hub.api.remove(PlacementDecisions, first);
    await hub.untilIdle(10_000);

    expect(hub.condition('web', 'PlacementSatisfied')).toMatchObject({
      status: 'True',
      message: 'every cluster that matches is selected',
    });
    expect(eventReasons(hub)).toEqual(['PlacementUnsatisfied', 'DecisionPublished']);
  });

  it('a decision that cannot be written is reported though the reason of PlacementSatisfied does not change', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    hub.place('web', { numberOfClusters: 3 });
    await hub.start();
    const before = eventReasons(hub).length;

    hub.api.remove(PlacementDecisions, first);
    occupy(hub);
    await hub.untilIdle(10_000);

    expect(eventReasons(hub).slice(before)).toEqual(['PlacementUnsatisfied']);
    expect(hub.events.at(-1)?.note).toContain('PlacementDecision team/web-decision-1');
  });

  it('a decision that cannot be written is reported though no cluster is wanted', async () => {
    const hub = new PlacementRig();
    occupy(hub);
    hub.place('web', { numberOfClusters: 0 });
    await hub.start();

    expect(eventReasons(hub)).toEqual(['PlacementUnsatisfied']);
    expect(hub.events[0]?.note).toContain('PlacementDecision team/web-decision-1');
  });

  it('a decision that is stored in part has an event with the stored clusters', async () => {
    const hub = new PlacementRig();
    hub.clusters(...Array.from({ length: 150 }, (_, index) => `c${index}`));
    occupy(hub);
    hub.place('web');
    await hub.start();

    expect(hub.events.map(({ reason, note }) => [reason, note.slice(0, 20)])).toEqual([
      ['DecisionPublished', 'selected 50 clusters'],
      ['PlacementUnsatisfied', 'not every cluster th'],
    ]);
  });

  it('a decision whose second object cannot be written counts as published, in log, latency and event, only when all of it is stored', async () => {
    const hub = new PlacementRig();
    hub.clusters(...Array.from({ length: 101 }, (_, index) => `c${index}`));
    let refusing = true;
    hub.api.before = ({ verb, name }) => {
      if (refusing && verb === 'create' && name.name === 'web-decision-2')
        throw failure('Forbidden', verb, PlacementDecisions, name);
    };
    hub.place('web');
    await hub.start();
    const published = (): number => hub.log.lines.filter((line) => line.message === 'decision published').length;

    expect(Object.keys(hub.decision('web'))).toEqual(['decision-1']);
    expect([published(), hub.latencies.length]).toEqual([0, 0]);
    expect(eventReasons(hub)).toEqual(['PlacementUnsatisfied']);

    refusing = false;
    await hub.untilIdle(70_000);

    expect(hub.decision('web')['decision-2']).toHaveLength(1);
    expect([published(), hub.latencies.length]).toEqual([1, 1]);
    expect(hub.events.at(-1)?.reason).toBe('DecisionPublished');
    expect(hub.events.at(-1)?.note).toMatch(/^selected 101 clusters: /);
  });

  it('a cluster that was selected and never stored is replaced by a new one with a higher rank', async () => {
    const hub = new PlacementRig();
    hub.clusters(...Array.from({ length: 101 }, (_, index) => `c${index}`));
    const second = { namespace: NAMESPACE, name: 'web-decision-2' };
    let refused: readonly unknown[] = [];
    hub.api.before = ({ verb, name, object }) => {
      if (verb !== 'create' || name.name !== second.name) return;
      refused = (object as PlacementDecision).status.decisions;
      throw failure('Forbidden', verb, PlacementDecisions, name);
    };
    hub.place('web', { numberOfClusters: 101 });
    await hub.start();
    for (let n = 0; n < 40; n++) hub.cluster(`new-${n}`);
    hub.api.before = () => {};
    await hub.untilIdle(70_000);

    expect(refused).toHaveLength(1);
    expect(hub.decision('web')['decision-2']).toEqual([expect.stringMatching('new-')]);
  });

  it('a decision in a namespace that is being deleted is retried later: one status, no error line, no event', async () => {
    const hub = await new PlacementRig().start();
    hub.clusters('a');
    await hub.untilIdle();
    const mark = hub.mark;
    let refusals = 0;
    let ending = true;
    hub.api.before = ({ verb, name }) => {
      if (!ending || verb !== 'create') return;
      refusals += 1;
      const { message, call } = failure('Forbidden', verb, PlacementDecisions, name);
      throw new ApiError({
        kind: 'Forbidden',
        message,
        call,
        causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace', message: 'x' }],
      });
    };

    hub.place('web');
    await hub.clock.advance(21_000);

    expect(refusals).toBe(5);
    expect(hub.log.lines.filter((line) => line.level === 'error')).toEqual([]);
    expect(hub.writesSince(mark).filter((write) => !write.startsWith('create'))).toEqual([
      'updateStatus placements team/web',
    ]);
    expect(hub.condition('web', 'Ready')).toMatchObject({ status: 'False', reason: 'PublishFailed' });
    expect(hub.events).toEqual([]);

    ending = false;
    await hub.untilIdle(6_000);

    expect(hub.status('web')).toMatchObject({ phase: 'Satisfied', numberOfSelectedClusters: 1 });
    expect(eventReasons(hub)).toEqual(['DecisionPublished']);
  });

  it.each([
    ['the same process', false],
    ['another process', true],
  ])(
    'a Placement whose objects are gone and cannot be created again is Unsatisfied, and %s records no first decision',
    async (_who, another) => {
      const hub = new PlacementRig();
      hub.clusters('a');
      hub.place('web');
      await hub.start();
      const allow = refuse(hub);

      hub.api.remove(PlacementDecisions, first);
      await hub.untilIdle(10_000);
      expect(hub.status('web')).toMatchObject({ phase: 'Unsatisfied', numberOfSelectedClusters: 0, decisions: [] });
      expect(hub.condition('web', 'Ready')?.reason).toBe('PublishFailed');

      if (another) await hub.loseLease();
      allow();
      const other = another ? await new PlacementRig(hub).start() : hub;
      await other.untilIdle(70_000);

      expect(other.status('web')).toMatchObject({ phase: 'Satisfied', numberOfSelectedClusters: 1 });
      expect([...eventReasons(hub), ...(another ? eventReasons(other) : [])]).toEqual([
        'DecisionPublished',
        'PlacementUnsatisfied',
        ...(another ? ['DecisionChanged'] : []),
      ]);
    },
  );
});

describe('a decision object that somebody deleted', () => {
  it('a decision object that somebody deleted is not made again for a Placement that is gone, which the cache still shows', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    hub.place('web');
    await hub.start();
    const { mark } = hub;
    hub.caches.placements.pause();
    hub.api.remove(Placements, { namespace: NAMESPACE, name: 'web' });
    hub.api.remove(PlacementDecisions, first);
    await hub.untilIdle(30_000);

    expect(hub.writesSince(mark)).toEqual([]);
  });
});

describe('definitions that cannot be read', () => {
  it('definitions that cannot be read are asked for once more a minute later', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    let isRefused = true;
    hub.api.before = ({ verb, type, name }) => {
      if (isRefused && verb === 'get' && type === CustomResourceDefinitions)
        throw failure('Forbidden', verb, type, name);
    };
    hub.place('web');
    await hub.start();
    const before = hub.status('web').basis;
    isRefused = false;
    await hub.untilIdle(61_000);

    expect([before?.definitions, hub.status('web').basis?.definitions]).toEqual([
      undefined,
      expect.objectContaining({ managedclusters: expect.any(String) }),
    ]);
  });
});
