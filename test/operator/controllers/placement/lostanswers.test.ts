import { describe, expect, it } from '@jest/globals';
import type { PlacementDecision } from '../../../../src/api/generated/placementdecision.js';
import { PlacementDecisions } from '../../../../src/api/resources.js';
import { failure, type FakeCall } from '../../../support/fakes/api.js';
import { NAMESPACE, PlacementRig } from '../../../support/rigs/controllers/placement.js';

const FIRST = { namespace: NAMESPACE, name: 'web-decision-1' };

/** Does this with the first call of the verb to a decision object, in place of the API server. */
function once(hub: PlacementRig, verb: FakeCall['verb'], act: (call: FakeCall) => void): void {
  let done = false;
  hub.api.before = (call) => {
    if (done || call.verb !== verb || call.type !== PlacementDecisions) return;
    done = true;
    act(call);
  };
}

const writesOf = (hub: PlacementRig): readonly string[] => hub.api.writes.filter((one) => one.includes('decisions '));

describe('a write of a decision whose answer is lost', () => {
  it('is repeated when it was not stored', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    once(hub, 'create', ({ name }) => {
      throw failure('Transport', 'create', PlacementDecisions, name);
    });
    hub.place('web');
    await hub.start();
    await hub.untilIdle(10_000);

    expect(hub.decision('web')).toEqual({ 'decision-1': ['a'] });
    expect(writesOf(hub)).toHaveLength(2);
  });

  it('leaves those selected that were, when an object that somebody deleted is not made again at once', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b');
    hub.place('web', { numberOfClusters: 2 });
    await hub.start();
    hub.clusters('c', 'd', 'e', 'f', 'g', 'h');
    await hub.untilIdle();
    once(hub, 'create', ({ name }) => {
      throw failure('Transport', 'create', PlacementDecisions, name);
    });
    hub.api.remove(PlacementDecisions, FIRST);
    await hub.untilIdle(10_000);

    expect(hub.decision('web')['decision-1']?.toSorted()).toEqual(['a', 'b']);
  });

  it('is not repeated when it was stored, though the cache does not show it', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    once(hub, 'create', ({ name, object }) => {
      hub.caches.decisions.pause();
      hub.api.put(PlacementDecisions, object as PlacementDecision);
      throw failure('Transport', 'create', PlacementDecisions, name);
    });
    hub.place('web');
    await hub.start();
    await hub.untilIdle(10_000);

    expect(hub.status('web')).toMatchObject({ phase: 'Satisfied', numberOfSelectedClusters: 1 });
    expect(writesOf(hub)).toHaveLength(1);
  });

  it('counts as stored when its repetition by the client conflicts with it', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    hub.place('web');
    await hub.start();
    const before = writesOf(hub).length;
    once(hub, 'update', ({ name, object }) => {
      hub.api.put(PlacementDecisions, object as PlacementDecision);
      throw failure('Conflict', 'update', PlacementDecisions, name);
    });
    hub.clusters('b');
    await hub.untilIdle(10_000);

    expect(hub.decision('web')).toEqual({ 'decision-1': ['a', 'b'] });
    expect(writesOf(hub)).toHaveLength(before + 1);
    expect(hub.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is repeated when the conflict is with another client', async () => {
    const hub = new PlacementRig();
    hub.clusters('a');
    hub.place('web');
    await hub.start();
    const before = writesOf(hub).length;
    once(hub, 'update', ({ name }) => {
      const stored = hub.api.peek<PlacementDecision>(PlacementDecisions, FIRST);
      if (stored === undefined) throw new Error('there is no decision object');
      const metadata = { ...stored.metadata, labels: { ...stored.metadata.labels, edited: 'true' } };
      hub.api.put(PlacementDecisions, { ...stored, metadata });
      throw failure('Conflict', 'update', PlacementDecisions, name);
    });
    hub.clusters('b');
    await hub.untilIdle(10_000);

    expect(hub.decision('web')).toEqual({ 'decision-1': ['a', 'b'] });
    expect(writesOf(hub)).toHaveLength(before + 2);
  });
});
