import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { timestamp } from '../../../../src/runtime/vocabulary/meta.js';
import { statementsOf } from '../../../../src/domain/placement/report/statements.js';
import { satisfiedCondition } from '../../../../src/domain/placement/report/satisfaction.js';
import { selectedClusters } from '../../../../src/domain/placement/select/decision.js';
import { changeNote } from '../../../../src/domain/placement/report/notes.js';
import { sliceChanges } from '../../../../src/domain/placement/publish/slices.js';
import type { PlacementSnapshot, StoredDecision } from '../../../../src/domain/placement/select/snapshot.js';
import { decision, member, NOW, snapshot, type World } from '../../../support/builders/placement.js';
import type { FleetMember } from '../../../support/builders/candidates.js';
import { scheduled, type Scheduled } from '../../../support/builders/scheduled.js';

const HOUR = 3_600_000;
const byCost = {
  configurations: [
    { scoreCoordinate: { type: 'Claim', claim: { name: 'cost', order: 'Ascending', min: '0', max: '100' } } },
  ],
};
const spec = {
  numberOfClusters: 2,
  prioritizerPolicy: byCost,
  rebalance: { scoreMargin: 20 },
};

function priced(costs: Readonly<Record<string, number>>): readonly FleetMember[] {
  return Object.entries(costs).map(([name, cost]) => member(name, { claims: { cost: String(cost) } }));
}

/** Clusters of a region, at a cost, and in a zone. */
function placed(clusters: Readonly<Record<string, readonly [string, number, string?]>>): readonly FleetMember[] {
  return Object.entries(clusters).map(([name, [region, cost, zone]]) =>
    member(name, { claims: { cost: String(cost) }, labels: { region, ...(zone !== undefined && { zone }) } }),
  );
}

function spreadBy(...keys: readonly string[]): object {
  return { spreadConstraints: keys.map((topologyKey) => ({ topologyKey, topologyKeyType: 'Label' })) };
}

/** The first decision object, with its clusters selected so many ms before now. */
function selected(ages: Readonly<Record<string, number>>, over: Partial<StoredDecision> = {}): StoredDecision {
  const since = new Map(Object.entries(ages).map(([name, age]) => [name, timestamp(NOW - age)]));
  return decision(1, Object.keys(ages), { since, ...over });
}

function moved(world: Partial<World>): readonly [string | undefined, string | undefined, number | undefined] {
  const { move, lookAgain } = scheduled(snapshot({ spec, ...world }));
  return [move?.leaves, move?.comes, lookAgain && lookAgain - NOW];
}

const old = selected({ a: 2 * HOUR, b: 2 * HOUR });
const budget = { ...spec, disruptionBudget: { maxRemovals: 1, windowSeconds: 3600 } };

describe('moves of a Placement', () => {
  it.each<[string, Partial<World>, readonly [string | undefined, string | undefined, number | undefined]]>([
    ['the cheaper cluster for the dearest', { fleet: priced({ a: 50, b: 60, c: 30 }) }, ['b', 'c', 60_000]],
    ['none within the margin', { fleet: priced({ a: 50, b: 49, c: 31 }) }, [undefined, undefined, undefined]],
    [
      'none of a cluster that came an hour ago less a minute',
      { fleet: priced({ a: 50, b: 60, c: 30 }), stored: [selected({ a: HOUR - 60_000, b: HOUR - 60_000 })] },
      [undefined, undefined, 60_000],
    ],
    [
      'the one that has stayed, although the other is dearer',
      { fleet: priced({ a: 51, b: 60, c: 30 }), stored: [selected({ a: 2 * HOUR, b: 100_000 })] },
      ['a', 'c', 60_000],
    ],
    [
      'none before the interval has passed since a cluster came in',
      { fleet: priced({ a: 51, b: 60, c: 30 }), stored: [selected({ a: 2 * HOUR, b: 20_000 })] },
      [undefined, undefined, 40_000],
    ],
    [
      'none beside a cluster that comes in, until the interval has passed',
      { fleet: priced({ a: 50, b: 60, c: 30, d: 10 }), stored: [selected({ b: 2 * HOUR })] },
      [undefined, undefined, 60_000],
    ],
    [
      'none beside a cluster that leaves, until the interval has passed',
      { fleet: priced({ a: 50, b: 60, c: 30 }), stored: [selected({ a: 2 * HOUR, b: 2 * HOUR, gone: 2 * HOUR })] },
      [undefined, undefined, 60_000],
    ],
    [
      'none beside a cluster that waits for a window to leave',
      {
        spec: {
          ...spec,
          numberOfClusters: 3,
          changeWindows: [{ start: 'Sun 11:00', duration: '1h', timeZone: 'UTC' }],
        },
        fleet: [...priced({ a: 50, b: 60, c: 30 }), member('d', {}, [])],
        stored: [selected({ a: 2 * HOUR, b: 2 * HOUR, d: 2 * HOUR })],
        status: { observedGeneration: 1 },
      },
      [undefined, undefined, HOUR - 30_000],
    ],
    [
      'none beside a cluster that the budget keeps out',
      {
        spec: { ...spec, numberOfClusters: 3, disruptionBudget: { maxAdditions: 0 } },
        fleet: priced({ a: 50, b: 60, c: 30 }),
        status: { observedGeneration: 1, basis: { numberOfClusters: 2 } },
      },
      [undefined, undefined, undefined],
    ],
    [
      'none while the budget has no removal left, until it has',
      {
        spec: budget,
        fleet: priced({ a: 50, b: 60, c: 30 }),
        stored: [
          selected({ a: 2 * HOUR, b: 2 * HOUR }, { removals: { kind: 'entries', entries: [[NOW - 600_000, 1]] } }),
        ],
      },
      [undefined, undefined, 3_000_000],
    ],
    [
      'none to a cluster with a taint that prefers others',
      {
        fleet: [
          ...priced({ a: 50, b: 60 }),
          member('c', {
            claims: { cost: '1' },
            taints: [{ key: 'x', value: '', effect: 'PreferNoSelect', since: undefined }],
          }),
        ],
      },
      [undefined, undefined, undefined],
    ],
    [
      'for a score only where the spread is as good as before, whatever another pair would gain',
      {
        spec: { ...spec, spreadPolicy: spreadBy('region') },
        fleet: placed({ a: ['eu', 50], b: ['us', 60], c: ['eu', 30] }),
      },
      ['a', 'c', 60_000],
    ],
    [
      'for the first constraint that is exceeded, although a later one then is',
      {
        spec: { ...spec, spreadPolicy: spreadBy('region', 'zone') },
        fleet: placed({ a: ['eu', 50, 'x'], b: ['eu', 60, 'y'], c: ['us', 90, 'x'] }),
        stored: [selected({ a: 100_000, b: 2 * HOUR })],
      },
      ['b', 'c', 60_000],
    ],
    [
      'none without scores or spread, also later',
      {
        spec: { ...spec, prioritizerPolicy: undefined },
        fleet: priced({ a: 50, b: 60 }),
        stored: [selected({ a: 2 * HOUR })],
      },
      [undefined, undefined, undefined],
    ],
    [
      'none without rebalance',
      { spec: { ...spec, rebalance: undefined }, fleet: priced({ a: 50, b: 60, c: 30 }) },
      [undefined, undefined, undefined],
    ],
  ])('moves of a Placement: %s', (_sentence, world, expected) => {
    expect(moved({ stored: [old], ...world })).toEqual(expected);
  });

  it.each([
    [true, spec],
    [false, { ...spec, rebalance: undefined }],
  ])('another cluster that comes to match may be selected (%s) where moves are allowed', (hasRoom, spec) => {
    expect(scheduled(snapshot({ spec, fleet: priced({ a: 50, b: 60 }), stored: [old] })).hasRoom).toBe(hasRoom);
  });

  it('a move that waits for a window holds nobody: the Placement is satisfied, and its cluster is selected', () => {
    const changeWindows = [{ start: 'Mon 01:00', duration: '1h', timeZone: 'UTC' }];
    const fleet = priced({ a: 50, b: 60, c: 30 });
    const status = { observedGeneration: 1 };
    const waits = snapshot({ spec: { ...spec, changeWindows }, fleet, stored: [old], status });
    const decided = scheduled(waits);
    const selected = selectedClusters(decided);
    const satisfied = satisfiedCondition(statementsOf(waits, decided, new Set(['a', 'b'])));

    expect([decided.move?.comes, decided.waitingRemovals, selected]).toEqual([
      'c',
      [{ cluster: 'b', cause: 'Moved' }],
      ['a', 'b'],
    ]);
    expect(satisfied).toMatchObject({ status: 'True', message: 'all 2 wanted clusters are selected' });
  });

  it('a move is one removal of the disruption budget, and an edit of one object', () => {
    const seen = snapshot({ spec: budget, fleet: priced({ a: 50, b: 60, c: 30 }), stored: [old] });
    const decided = scheduled(seen);

    expect([...decided.counted]).toEqual(['b']);
    expect(sliceChanges(seen, decided).writes.map(({ kind, clusters }) => [kind, clusters])).toEqual([
      ['update', ['a', 'c']],
    ]);
    expect(changeNote(seen, decided, new Set(['a', 'c']))).toBe(
      'moved 1 cluster: b → c (score 70, 40 before, margin 20)',
    );
  });

  it('a move is over once its one write is stored, whatever a crash loses', () => {
    const world = { spec: budget, fleet: priced({ a: 50, b: 60, c: 30 }) };
    const seen = snapshot({ ...world, stored: [old] });
    const { since } = sliceChanges(seen, scheduled(seen));
    // Neither the status nor what the process remembers.
    const removals = { kind: 'entries' as const, entries: [[NOW, 1] as const] };
    const later = snapshot({ ...world, stored: [decision(1, ['a', 'c'], { since, removals })], now: NOW + 1_000 });
    const again = scheduled(later);

    expect([again.added, again.dropped, again.move]).toEqual([[], [], undefined]);
    expect(sliceChanges(later, again).writes).toEqual([]);
    expect(since.get('c')).toBe(timestamp(NOW));
  });

  it('clusters move out of a domain that is too full, whatever they score', () => {
    const regions = { a: 'eu', b: 'eu', c: 'eu', d: 'us' };
    const fleet = Object.entries(regions).map(([name, region]) => member(name, { claims: { region, cost: '1' } }));
    const seen = snapshot({
      spec: {
        ...spec,
        numberOfClusters: 3,
        spreadPolicy: { spreadConstraints: [{ topologyKey: 'region', topologyKeyType: 'Claim' }] },
      },
      fleet,
      stored: [selected({ a: 2 * HOUR, b: 2 * HOUR, c: 2 * HOUR })],
    });

    expect(changeNote(seen, scheduled(seen), new Set(['b', 'c', 'd']))).toBe(
      'moved 1 cluster: b → d (closer to spread by claim region (maxSkew 1))',
    );
  });
});

const someCosts = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 4, maxLength: 9 });
const someRegions = fc.array(fc.constantFrom('eu', 'us', 'ap'), { minLength: 9, maxLength: 9 });
const aSpread = {
  spreadConstraints: [{ topologyKey: 'region', topologyKeyType: 'Claim', whenUnsatisfiable: 'DoNotSchedule' }],
};

function fleetOf(costs: readonly number[], regions: readonly string[]): readonly FleetMember[] {
  return costs.map((cost, index) =>
    member(`c${index}`, { claims: { cost: String(cost), region: regions[index] ?? 'eu' } }),
  );
}

/** The snapshot after the decision is stored, at `now`. */
function next(before: PlacementSnapshot, decided: Scheduled, world: Partial<World>, now: number): PlacementSnapshot {
  const { slots, since } = sliceChanges(before, decided);
  const leaving = decided.dropped.filter(({ cluster }) => decided.counted.has(cluster)).length;
  const earlier = before.stored[0]?.removals;
  const entries = earlier?.kind === 'entries' ? earlier.entries : [];
  const removals = {
    kind: 'entries' as const,
    entries: leaving > 0 ? [...entries, [before.now, leaving] as const] : entries,
  };
  const stored = [decision(1, slots.flat(), { since, ...(removals.entries.length > 0 && { removals }) })];
  return snapshot({ ...world, stored, now, status: { observedGeneration: 1, phase: 'Satisfied' } });
}

describe('moves of a Placement in the course of time', () => {
  it('moves of a Placement come to an end with fixed scores', () => {
    fc.assert(
      fc.property(
        someCosts,
        someRegions,
        fc.boolean(),
        fc.integer({ min: 0, max: 30 }),
        (costs, regions, isSpread, scoreMargin) => {
          const world = {
            spec: {
              numberOfClusters: 3,
              prioritizerPolicy: byCost,
              rebalance: { scoreMargin, minSelectedSeconds: 0, intervalSeconds: 60 },
              ...(isSpread && { spreadPolicy: aSpread }),
            },
            fleet: fleetOf(costs, regions),
          };
          const left: string[] = [];
          let seen = snapshot({ ...world, stored: [selected({ c0: HOUR, c1: HOUR, c2: HOUR })] });
          for (let step = 1; step < 40; step++) {
            const decided = scheduled(seen);
            if (decided.lookAgain === undefined) break;
            if (decided.move !== undefined) left.push(decided.move.leaves);
            seen = next(seen, decided, world, NOW + step * 60_000);
          }

          expect(scheduled(seen).lookAgain).toBeUndefined();
          expect(left.length).toBeLessThanOrEqual(costs.length * 2);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('no cluster of a Placement leaves before its time, and no window has more removals than the budget', () => {
    const someWalk = fc.array(fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 6, maxLength: 6 }), {
      minLength: 20,
      maxLength: 20,
    });
    fc.assert(
      fc.property(someWalk, (walk) => {
        const policy = { scoreMargin: 10, minSelectedSeconds: 600, intervalSeconds: 60 };
        const walked = {
          numberOfClusters: 3,
          prioritizerPolicy: byCost,
          rebalance: policy,
          disruptionBudget: { maxRemovals: 2, windowSeconds: 900 },
        };
        const cameAt = new Map<string, number>();
        const moves: number[] = [];
        let seen = snapshot({ spec: walked, fleet: fleetOf(walk[0] ?? [], []) });
        walk.forEach((costs, step) => {
          const world = { spec: walked, fleet: fleetOf(costs, []) };
          const decided = scheduled(seen);
          for (const name of decided.added) cameAt.set(name, seen.now);
          if (decided.move !== undefined) {
            const { leaves } = decided.move;
            expect(seen.now - (cameAt.get(leaves) ?? 0)).toBeGreaterThanOrEqual(600_000);
            moves.push(seen.now);
          }
          seen = next(seen, decided, world, NOW + (step + 1) * 120_000);
        });

        for (const at of moves) {
          expect(moves.filter((one) => one >= at && one < at + 900_000).length).toBeLessThanOrEqual(2);
        }
      }),
      { numRuns: 20 },
    );
  });
});
