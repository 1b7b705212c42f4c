import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Placement } from '../../../../src/api/generated/placement.js';
import type { PlacementDecision } from '../../../../src/api/generated/placementdecision.js';
import { HISTORY_ANNOTATION } from '../../../../src/api/names.js';
import { ManagedClusters, PlacementDecisions, Placements } from '../../../../src/api/resources.js';
import { mergedHistory, readHistory, type History } from '../../../../src/domain/placement/stored/history.js';
import { NAMESPACE, PlacementRig } from '../../../support/rigs/controllers/placement.js';
import { type Death, Killed, PlacementProcess } from '../../../support/rigs/controllers/placementprocess.js';
import { runs } from '../../../support/runs.js';

const gold = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };

function historyIn(hub: PlacementRig): History {
  const objects = hub.api.all<PlacementDecision>(PlacementDecisions);
  return mergedHistory(objects.map(({ metadata }) => readHistory(metadata.annotations?.[HISTORY_ANNOTATION])));
}

/** `ManagedCluster/b: -b (NotMatched: label tier=silver, wanted tier=gold), +c`. */
function lines(hub: PlacementRig): readonly string[] {
  return historyIn(hub).entries.map(({ trigger, added, removed }) => {
    const left = removed.map(({ cause, why, clusters }) => `-${clusters.join(' ')} (${cause}: ${why})`);
    return `${trigger}: ${[...left, ...(added.length === 0 ? [] : [`+${added.join(' ')}`])].join(', ')}`;
  });
}

function selected(hub: PlacementRig): readonly string[] {
  return Object.values(hub.decision('web')).flat().sort();
}

async function hubOf(spec: object = {}): Promise<PlacementRig> {
  const hub = new PlacementRig();
  for (const name of ['a', 'b', 'c']) hub.cluster(name, { tier: 'gold' });
  hub.place('web', { predicates: [gold], ...spec });
  return hub.start();
}

describe('the history of a decision', () => {
  it('says what came and left, why, and which change was the first, and costs no write', async () => {
    const hub = await hubOf();
    const mark = hub.mark;

    hub.cluster('b', { tier: 'silver' });
    await hub.untilIdle();
    hub.cluster('d', { tier: 'gold' });
    await hub.untilIdle();
    hub.place('web', { predicates: [gold], numberOfClusters: 0 });
    await hub.untilIdle();

    expect(lines(hub)).toEqual([
      'Placement/web: +a b c',
      'ManagedCluster/b: -b (NotMatched: label tier=silver, wanted tier=gold)',
      'ManagedCluster/d: +d',
      'Placement/web: -a c d (NotNeeded: spec.numberOfClusters is 0)',
    ]);
    const update = ['update placementdecisions team/web-decision-1', 'updateStatus placements team/web'];
    expect(hub.writesSince(mark)).toEqual([...update, ...update, ...update]);
  });

  it('of several changes in one pass the first is the trigger', async () => {
    const hub = await hubOf();
    hub.cluster('c', { tier: 'silver' });
    hub.cluster('a', { tier: 'silver' });
    await hub.untilIdle();

    expect(lines(hub).at(-1)).toBe('ManagedCluster/c: -a c (NotMatched: label tier=silver, wanted tier=gold)');
  });

  it('of a move it is the cluster whose score has changed', async () => {
    const hub = new PlacementRig();
    hub.cluster('a', { weight: '9' });
    hub.cluster('b', { weight: '1' });
    const scoreCoordinate = { type: 'Label', label: { name: 'weight', min: '0', max: '10' } };
    const rebalance = { scoreMargin: 20, minSelectedSeconds: 0, intervalSeconds: 30 };
    hub.place('web', { numberOfClusters: 1, prioritizerPolicy: { configurations: [{ scoreCoordinate }] }, rebalance });
    await hub.start();
    await hub.untilIdle(60_000);
    hub.cluster('a', { weight: '2' });
    hub.cluster('b', { weight: '8' });
    await hub.untilIdle(60_000);

    expect(selected(hub)).toEqual(['b']);
    expect(lines(hub).at(-1)).toMatch(/^ManagedCluster\/a: -a \(Moved: .*\), \+b$/);
  });

  it('after a restart the trigger is not known', async () => {
    const hub = await hubOf();
    await hub.loseLease();
    hub.cluster('b', { tier: 'silver' });
    await new PlacementRig(hub).start();

    expect(lines(hub).at(-1)).toBe('unknown: -b (NotMatched: label tier=silver, wanted tier=gold)');
  });

  it('a pass that changes nothing writes nothing, and a repaired object changes nobody', async () => {
    const hub = await hubOf();
    const before = lines(hub);
    const stored = hub.api.peek<PlacementDecision>(PlacementDecisions, {
      namespace: NAMESPACE,
      name: 'web-decision-1',
    });
    if (stored === undefined) throw new Error('no decision');
    hub.api.put<PlacementDecision>(PlacementDecisions, { ...stored, status: { ...stored.status, decisions: [] } });
    await hub.untilIdle();
    const mark = hub.mark;
    await hub.untilIdle(60_000);

    expect(selected(hub)).toEqual(['a', 'b', 'c']);
    expect(lines(hub)).toEqual([...before, 'PlacementDecision/web-decision-1: ']);
    expect(hub.writesSince(mark)).toEqual([]);
  });

  it('what an object knows that loses its last cluster goes on in another one', async () => {
    const hub = new PlacementRig();
    for (const name of ['a', 'b', 'c']) hub.cluster(name, { tier: 'gold' });
    const placement = hub.place('web', { predicates: [gold] });
    hub.store(placement, 1, ['a', 'b']);
    hub.store(placement, 2, ['c']);
    await hub.start();
    hub.cluster('c', { tier: 'silver' });
    await hub.untilIdle();
    expect(Object.keys(hub.decision('web'))).toEqual(['decision-1']);

    hub.cluster('d', { tier: 'gold' });
    await hub.untilIdle();
    expect(lines(hub)).toEqual([
      'ManagedCluster/c: -c (NotMatched: label tier=silver, wanted tier=gold)',
      'ManagedCluster/d: +d',
    ]);
  });

  it('is the sequence of decisions that is observed', async () => {
    const NAMES = ['a', 'b', 'c', 'd', 'e'];
    const step = fc.record({
      name: fc.constantFrom(...NAMES),
      kind: fc.constantFrom('gold', 'silver', 'gone', 'one', 'all'),
    });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const hub = await hubOf();
      const observed = [selected(hub).join()];
      for (const { name, kind } of steps) {
        if (kind === 'gone') hub.api.remove(ManagedClusters, { name });
        else if (kind === 'one' || kind === 'all')
          hub.place('web', { predicates: [gold], ...(kind === 'one' && { numberOfClusters: 1 }) });
        else hub.cluster(name, { tier: kind });
        await hub.untilIdle(61_000);
        const now = selected(hub).join();
        if (now !== observed.at(-1)) observed.push(now);
      }
      const current = new Set<string>();
      const told = historyIn(hub).entries.map(({ added, removed }) => {
        for (const one of removed.flatMap(({ clusters }) => clusters)) expect(current.delete(one)).toBe(true);
        for (const one of added) current.add(one);
        return [...current].sort().join();
      });
      expect(told).toEqual(observed);
    });
    await fc.assert(property, { numRuns: runs(25) });
  });

  it('with groups, edits by others and changes within a second, the changes add up to what is selected', async () => {
    const NAMES = ['a', 'b', 'c', 'd'];
    const decisionGroups = NAMES.map((groupName) => ({
      groupName,
      groupClusterSelector: { labelSelector: { matchLabels: { own: groupName } } },
    }));
    const step = fc.record({
      name: fc.constantFrom(...NAMES),
      kind: fc.constantFrom('gold', 'silver', 'silver', 'gone', 'emptied', 'lost'),
      ms: fc.constantFrom(20, 100, 400, 61_000),
    });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const hub = await hubOf({ decisionStrategy: { groupStrategy: { decisionGroups } } });
      for (const { name, kind, ms } of steps) {
        const [object] = hub.api.all<PlacementDecision>(PlacementDecisions);
        if (kind === 'gone') hub.api.remove(ManagedClusters, { name });
        else if (kind === 'lost' && object !== undefined)
          hub.api.remove(PlacementDecisions, { namespace: NAMESPACE, name: object.metadata.name });
        else if (kind === 'emptied' && object !== undefined)
          hub.api.put<PlacementDecision>(PlacementDecisions, {
            ...object,
            status: { ...object.status, decisions: [] },
          });
        else if (kind !== 'lost' && kind !== 'emptied') hub.cluster(name, { tier: kind, own: name });
        await hub.clock.advance(ms);
      }
      await hub.untilIdle(61_000);
      const current = new Set<string>();
      const { entries, dropped } = historyIn(hub);
      for (const { added, removed } of entries) {
        for (const one of removed.flatMap(({ clusters }) => clusters)) expect(current.delete(one)).toBe(true);
        for (const one of added) expect(current.has(one) ? one : current.add(one)).toBe(current);
      }
      expect([[...current].sort(), dropped]).toEqual([selected(hub), 0]);
    });
    await fc.assert(property, { numRuns: runs(60) });
  });
});

/** A window that opens in an hour, by the clock of the rig, for an hour. */
function windowIn(hub: PlacementRig): object {
  const start = new Date(Math.ceil(hub.clock.now() / 60_000) * 60_000 + 3_600_000).toISOString().slice(11, 16);
  return { predicates: [gold], changeWindows: [{ start: `* ${start}`, duration: '1h', timeZone: 'UTC' }] };
}

describe('a change window', () => {
  it('keeps a cluster until it opens, with one write, and lets it go by the clock alone', async () => {
    const hub = await hubOf();
    hub.place('web', windowIn(hub));
    await hub.untilIdle();
    const mark = hub.mark;

    hub.cluster('b', { tier: 'silver' });
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['a', 'b', 'c']);
    expect(hub.writesSince(mark)).toEqual(['updateStatus placements team/web']);
    expect(hub.status('web').phase).toBe('Waiting');
    expect(hub.condition('web', 'ChangesWaiting')?.message).toContain('b (label tier=silver, wanted tier=gold)');
    const waiting = hub.mark;
    await hub.untilIdle(50 * 60_000);
    expect(hub.writesSince(waiting)).toEqual([]);

    await hub.untilIdle(15 * 60_000);
    expect(selected(hub)).toEqual(['a', 'c']);
    expect(hub.condition('web', 'ChangesWaiting')).toBeUndefined();
    expect(lines(hub).at(-1)).toBe('time: -b (NotMatched: label tier=silver, wanted tier=gold)');
  });

  it('what ends at any of its writes ends in the same decision and status after the next start', async () => {
    const end = async (
      death: Death | undefined,
    ): Promise<{ writes: number; left: readonly string[]; status: object }> => {
      const hub = await hubOf({ numberOfClusters: 3 });
      hub.place('web', { ...windowIn(hub), numberOfClusters: 3 });
      await hub.untilIdle();
      await hub.loseLease();
      // One waits, one is deleted, one comes in for it; a second later nobody can tell the order.
      hub.cluster('b', { tier: 'silver' });
      hub.api.remove(ManagedClusters, { name: 'c' });
      hub.cluster('d', { tier: 'gold' });
      await hub.clock.advance(60_000);
      const run = async (one: Death | undefined): Promise<number> => {
        const process = new PlacementProcess({ api: hub.api, clock: hub.clock, death: one });
        await process.run().catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
        });
        return process.writes;
      };
      const writes = await run(death);
      await run(undefined);
      const { conditions = [], ...status } =
        hub.api.peek<Placement>(Placements, { namespace: NAMESPACE, name: 'web' })?.status ?? {};
      const texts = conditions.map(({ type, reason, message }) => [type, reason, message]);
      return { writes, left: selected(hub), status: { ...status, texts } };
    };
    const whole = await end(undefined);
    expect(whole.left).toEqual(['a', 'b', 'd']);
    expect(whole.writes).toBeGreaterThan(1);
    for (let write = 1; write <= whole.writes; write++)
      for (const phase of ['before', 'after'] as const)
        expect(await end({ write, phase })).toMatchObject({ left: whole.left, status: whole.status });
  });
});

describe('a paused Placement', () => {
  it('keeps its decision whatever happens, repairs it, and writes its status once', async () => {
    const hub = await hubOf();
    hub.place('web', { predicates: [gold], paused: true });
    await hub.untilIdle();
    const mark = hub.mark;

    hub.cluster('a', { tier: 'silver' });
    hub.api.remove(ManagedClusters, { name: 'b' });
    hub.cluster('d', { tier: 'gold' });
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['a', 'b', 'c']);
    expect(hub.writesSince(mark)).toEqual(['updateStatus placements team/web']);
    expect(hub.condition('web', 'PlacementSatisfied')?.message).toBe('spec.paused keeps matching clusters out');
    hub.api.remove(PlacementDecisions, { namespace: NAMESPACE, name: 'web-decision-1' });
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['a', 'b', 'c']);

    hub.place('web', { predicates: [gold] });
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['c', 'd']);
    expect(hub.infos.at(-1)?.phase).toBe('Satisfied');
  });
});
