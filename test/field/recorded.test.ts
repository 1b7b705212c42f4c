import { describe, expect, it } from '@jest/globals';
import type { PlacementDecision } from '../../src/api/generated/placementdecision.js';
import { DECISION_GROUP_INDEX_LABEL, HISTORY_ANNOTATION, PLACEMENT_LABEL } from '../../src/api/names.js';
import { ManagedClusters, PlacementDecisions, Placements } from '../../src/api/resources.js';
import { decisionHistories, type DecisionHistory } from '../../src/answers/history.js';
import { worldOf } from '../../src/answers/world/world.js';
import { NAMESPACE, PlacementRig } from '../support/rigs/controllers/placement.js';
import { Killed, PlacementProcess } from '../support/rigs/controllers/placementprocess.js';

/**
 * `history` lost changes without counting them: several within a second, the removal of a piece's last cluster, everything once
 * somebody deleted the only decision object; and edits of decisions by hand left no trace. Right: what happened is a row, or is
 * counted; the first decision object keeps what others cannot; and what was repaired is a row with its cause.
 */

const gold = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };
const FIRST = { namespace: NAMESPACE, name: 'web-decision-1' };

async function hubOf(spec: object = {}, ...names: readonly string[]): Promise<PlacementRig> {
  const hub = new PlacementRig();
  for (const name of names.length === 0 ? ['a', 'b', 'c'] : names) hub.cluster(name, { tier: 'gold', own: name });
  hub.place('web', { predicates: [gold], ...spec });
  return hub.start();
}

/** Each cluster in a piece of its own, in the order of the names. */
function apart(...names: readonly string[]): object {
  const decisionGroups = names.map((groupName) => ({
    groupName,
    groupClusterSelector: { labelSelector: { matchLabels: { own: groupName } } },
  }));
  return { decisionStrategy: { groupStrategy: { decisionGroups } } };
}

function historyIn({ api }: PlacementRig): DecisionHistory {
  const world = worldOf({ placements: api.all(Placements), placementdecisions: api.all(PlacementDecisions) });
  const [found] = decisionHistories(world, 'web', () => true);
  if (found === undefined) throw new Error('no Placement');
  return found;
}

/** The oldest first: `+a b`, `-b`, `*a (another client …)`. */
function lines(hub: PlacementRig): readonly string[] {
  return [...historyIn(hub).changes]
    .reverse()
    .flatMap(({ added, removed, repaired }) => [
      ...repaired.map(({ cause, clusters, why }) => `*${clusters.join(' ')} (${cause}: ${why})`),
      ...removed.map(({ clusters }) => `-${clusters.join(' ')}`),
      ...(added.length === 0 ? [] : [`+${added.join(' ')}`]),
    ]);
}

function stored(hub: PlacementRig, name = FIRST.name): PlacementDecision {
  const found = hub.api.peek<PlacementDecision>(PlacementDecisions, { namespace: NAMESPACE, name });
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

function listing(hub: PlacementRig, ...names: readonly string[]): void {
  const object = stored(hub);
  const decisions = names.map((clusterName) => ({ clusterName, reason: '' as const }));
  hub.api.put<PlacementDecision>(PlacementDecisions, { ...object, status: { ...object.status, decisions } });
}

async function unchanged(hub: PlacementRig): Promise<void> {
  const mark = hub.mark;
  await hub.untilIdle(60_000);
  expect(hub.writesSince(mark)).toEqual([]);
}

describe('changes that come close together', () => {
  it('of one cluster within a second are a row each', async () => {
    const hub = await hubOf();
    for (const tier of ['silver', 'gold', 'silver', 'gold', 'silver']) {
      hub.cluster('b', { tier });
      await hub.clock.advance(100);
    }
    await hub.untilIdle();

    expect(lines(hub)).toEqual(['+a b c', '-b', '+b', '-b', '+b', '-b']);
    await unchanged(hub);
  });

  it('more than an object keeps are counted', async () => {
    const hub = await hubOf();
    for (let change = 0; change < 30; change++) {
      hub.cluster('b', { tier: change % 2 === 0 ? 'silver' : 'gold' });
      await hub.clock.advance(100);
    }
    await hub.untilIdle();

    const { changes, notKept } = historyIn(hub);
    expect([changes.length, notKept]).toEqual([20, 11]);
  });
});

describe('what a decision object knows that is deleted', () => {
  it('is kept by the first one, with the removal of its last cluster, before it is deleted', async () => {
    const hub = await hubOf(apart('a', 'b', 'c'));
    expect(Object.keys(hub.decision('web'))).toHaveLength(3);
    const mark = hub.mark;

    hub.cluster('c', { tier: 'silver', own: 'c' });
    await hub.untilIdle();

    expect(hub.writesSince(mark).slice(0, 2)).toEqual([
      'update placementdecisions team/web-decision-1',
      'delete placementdecisions team/web-decision-3',
    ]);
    expect(lines(hub)).toEqual(['+a b c', '-c']);
    await unchanged(hub);
  });

  it.each(['before', 'after'] as const)(
    'is told once, although each process ends %s each of its writes, which comes to an end',
    async (phase) => {
      const hub = await hubOf(apart('a', 'b', 'c'));
      await hub.loseLease();
      for (const name of ['b', 'c']) hub.cluster(name, { tier: 'silver', own: name });
      let ends = 0;
      for (const death of [
        ...Array.from({ length: 12 }, () => ({ write: phase === 'after' ? 1 : 2, phase })),
        undefined,
      ]) {
        const process = new PlacementProcess({ api: hub.api, clock: hub.clock, death });
        await process.run().catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
          ends += 1;
        });
        await hub.clock.advance(1_000);
      }

      expect(ends).toBeGreaterThan(2);
      expect(ends).toBeLessThan(12);
      expect(Object.keys(hub.decision('web'))).toEqual(['decision-1']);
      expect(lines(hub)).toEqual(['+a b c', '-b c']);
    },
  );

  it('is kept in the same way once an object that is empty goes by the clock', async () => {
    const hub = await hubOf(apart('a', 'b', 'c'));
    hub.api.remove(ManagedClusters, { name: 'c' });
    await hub.untilIdle();
    expect(hub.decision('web')['decision-3']).toEqual([]);
    await hub.untilIdle(3_600_000);

    expect(Object.keys(hub.decision('web'))).toEqual(['decision-1', 'decision-2']);
    expect(lines(hub)).toEqual(['+a b c', '-c']);
    await unchanged(hub);
  });

  it('is counted where the first one cannot keep it', async () => {
    const hub = await hubOf(apart('a', 'b', 'c'));
    for (let change = 0; change < 24; change++) {
      hub.cluster('c', { tier: change % 2 === 0 ? 'silver' : 'gold', own: 'c' });
      await hub.untilIdle(100);
    }

    const { changes, notKept } = historyIn(hub);
    expect(changes.length + notKept).toBeGreaterThanOrEqual(25);
    expect(changes.length).toBeLessThanOrEqual(40);
    await unchanged(hub);
  });

  it('comes back when somebody else has deleted the only one, with a row that says so', async () => {
    const hub = await hubOf();
    hub.cluster('b', { tier: 'silver' });
    await hub.untilIdle();

    hub.api.remove(PlacementDecisions, FIRST);
    await hub.untilIdle();

    expect(lines(hub)).toEqual(['+a b c', '-b', '*a c (Deleted: another client deleted web-decision-1)']);
    await unchanged(hub);
  });

  it('is said to be lost where no controller ran when it was deleted', async () => {
    const hub = await hubOf();
    await hub.loseLease();
    hub.api.remove(PlacementDecisions, FIRST);
    const next = await new PlacementRig(hub).start();

    expect(lines(next)).toEqual([
      '* (Deleted: another client deleted web-decision-1, and what it had recorded is lost)',
      '+a b c',
    ]);
    await unchanged(next);
  });
});

describe('an edit of a decision object by somebody else', () => {
  it('is a row with its cause once it is repaired: a cluster taken out, one put in, and both', async () => {
    const hub = await hubOf();
    listing(hub, 'a', 'c');
    await hub.untilIdle();
    listing(hub, 'a', 'b', 'c', 'z');
    await hub.untilIdle();
    listing(hub, 'z');
    await hub.untilIdle();

    expect(hub.decision('web')['decision-1']?.toSorted()).toEqual(['a', 'b', 'c']);
    expect(lines(hub)).toEqual([
      '+a b c',
      '*b (Edited: another client took them out of web-decision-1)',
      '*z (Edited: another client put them into web-decision-1)',
      '*a b c (Edited: another client took them out of web-decision-1)',
      '*z (Edited: another client put them into web-decision-1)',
    ]);
    await unchanged(hub);
  });

  it('of its label, its owner or its piece is a row without clusters', async () => {
    const hub = await hubOf(apart('a', 'b', 'c'));
    const edited = '* (Edited: another client edited web-decision-2)';
    for (const labels of [{ [PLACEMENT_LABEL]: 'other' }, { [DECISION_GROUP_INDEX_LABEL]: '7' }]) {
      const object = stored(hub, 'web-decision-2');
      const metadata = { ...object.metadata, labels: { ...object.metadata.labels, ...labels } };
      hub.api.put<PlacementDecision>(PlacementDecisions, { ...object, metadata });
      await hub.untilIdle();
    }

    expect(lines(hub)).toEqual(['+a b c', edited, edited]);
    await unchanged(hub);
  });

  it('that nothing repairs, such as an annotation of a tool, is no row, and costs no write', async () => {
    const hub = await hubOf();
    const object = stored(hub);
    const annotations = { ...object.metadata.annotations, 'example.com/note': 'x' };
    const mark = hub.mark;
    hub.api.put<PlacementDecision>(PlacementDecisions, { ...object, metadata: { ...object.metadata, annotations } });
    await hub.untilIdle();
    expect(hub.writesSince(mark)).toEqual([]);

    hub.cluster('b', { tier: 'silver' });
    await hub.untilIdle();
    expect(lines(hub)).toEqual(['+a b c', '-b']);
  });

  it('of its history is undone by the next write', async () => {
    const hub = await hubOf();
    const object = stored(hub);
    const annotations = { ...object.metadata.annotations, [HISTORY_ANNOTATION]: '{}' };
    hub.api.put<PlacementDecision>(PlacementDecisions, { ...object, metadata: { ...object.metadata, annotations } });
    await hub.untilIdle();
    hub.cluster('b', { tier: 'silver' });
    await hub.untilIdle();

    expect(lines(hub)).toEqual(['+a b c', '-b']);
  });

  it('while no controller ran is a row without names', async () => {
    const hub = await hubOf();
    await hub.loseLease();
    listing(hub, 'a', 'c');
    const next = await new PlacementRig(hub).start();

    expect(lines(next)).toEqual(['+a b c', '* (Edited: another client edited web-decision-1)', '+b']);
    await unchanged(next);
  });

  it('that makes an object of a name which is not used is a row, and the object is deleted', async () => {
    const hub = await hubOf();
    const object = stored(hub);
    const metadata = { ...object.metadata, name: 'web-more', uid: 'more', annotations: {} };
    const decisions = [{ clusterName: 'z', reason: '' as const }];
    hub.api.put<PlacementDecision>(PlacementDecisions, { ...object, metadata, status: { decisions } });
    await hub.untilIdle();

    expect(Object.keys(hub.decision('web'))).toEqual(['decision-1']);
    expect(lines(hub)).toEqual(['+a b c', '*z (Edited: another client put them into web-more)']);
    await unchanged(hub);
  });
});
