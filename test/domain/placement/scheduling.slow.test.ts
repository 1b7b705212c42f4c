import assert from 'node:assert/strict';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { timestamp } from '../../../src/runtime/vocabulary/meta.js';
import type { PlacementSnapshot } from '../../../src/domain/placement/select/snapshot.js';
import { selectedClusters } from '../../../src/domain/placement/select/decision.js';
import { someChanges, expectAsPlanned, expectMovesAsPlanned } from '../../support/builders/changes.js';
import { expectExplainsSchedule, expectIndexEqual } from '../../support/builders/explained.js';
import {
  schedulingWorld,
  someScheduling,
  someSchedulingSpec,
  someState,
  WEB,
  type SchedulingCase,
} from '../../support/builders/scheduling.js';
import { explainInput } from '../../support/builders/world.js';
import { Choosing, chooseByTheBook } from '../../support/scenario/checks/choice.js';
import { fillByTheBook, mostByTheBook, moveByTheBook } from '../../support/scenario/checks/moving.js';
import { scheduled } from '../../support/builders/scheduled.js';
import { runs } from '../../support/runs.js';

const isNightly = process.env['NIGHTLY'] === 'true';
/** How many random cases compare decisions with the rules. */
const SNAPSHOTS = isNightly ? 100_000 : 1_500;
/** How many random cases check explanations and plans. */
const REPORTED = isNightly ? 1_000 : 100;

/** The clusters that the product selects. */
function decide(one: SchedulingCase): readonly string[] {
  const decided = scheduled(explainInput(schedulingWorld(one)).snapshot);
  assert.equal(decided.problem, undefined);
  return [...selectedClusters(decided)].sort();
}

/** The clusters that a literal reading of the rules selects. */
function byTheBook({ spec, clusters, before }: SchedulingCase): readonly string[] {
  return chooseByTheBook({ placement: WEB, spec, clusters, before });
}

const NOW = Date.parse('2026-11-22T10:00:00Z');
/** NOW is a Sunday. */
const CLOSED = [{ start: 'Mon 22:00', duration: '4h', timeZone: 'UTC' }];

/**
 * The snapshot of a case at NOW, with these fields in its spec, and a decision that was made for this spec. `ages`: for how many
 * seconds each cluster has been selected.
 */
function decidedBefore(
  one: SchedulingCase,
  fields: object,
  ages: Readonly<Record<string, number>> = {},
): PlacementSnapshot {
  const { snapshot } = explainInput({ ...schedulingWorld({ ...one, spec: { ...one.spec, ...fields } }), at: NOW });
  const since = new Map(Object.entries(ages).map(([name, age]) => [name, timestamp(NOW - age * 1_000)]));
  const placement = { ...snapshot.placement, status: { observedGeneration: snapshot.placement.generation } };
  return { ...snapshot, placement, stored: snapshot.stored.map((object) => ({ ...object, since })) };
}

describe('a Placement that compares, counts, prefers and spreads', () => {
  it('a decision is what the rules say, read literally', () => {
    fc.assert(
      fc.property(someScheduling(12, someState), (one) => {
        assert.deepEqual(decide(one), byTheBook(one));
      }),
      { numRuns: SNAPSHOTS },
    );
  });

  it('a decision is made again from itself', () => {
    fc.assert(
      fc.property(someScheduling(12, someState), (one) => {
        const first = decide(one);

        expect(decide({ ...one, before: first })).toEqual(first);
      }),
      { numRuns: runs(300) },
    );
  });

  it('silent clusters make no decision smaller or too large, and when they come back no cluster leaves for them', () => {
    let replaced = 0;
    fc.assert(
      fc.property(someScheduling(12), fc.subarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]), (one, silent) => {
        const first = decide({ ...one, before: decide(one) });
        const clusters = one.clusters.map((each, index) =>
          silent.includes(index) ? { ...each, state: 'silent' as const } : each,
        );
        const second = decide({ ...one, clusters, before: first });
        const third = decide({ ...one, before: second });
        replaced += first.filter((name) => !second.includes(name)).length;

        expect(second.length).toBeGreaterThanOrEqual(one.spec.numberOfClusters === undefined ? 0 : first.length);
        expect(second.length).toBeLessThanOrEqual(mostByTheBook(one.spec));
        expect(third).toEqual(expect.arrayContaining([...second]));
      }),
      { numRuns: runs(1_000) },
    );

    expect(replaced).toBeGreaterThan(8);
  });

  it('a decision does not depend on the order of the clusters', () => {
    fc.assert(
      fc.property(someScheduling(10, someState), (one) => {
        expect(decide({ ...one, clusters: [...one.clusters].reverse(), before: [...one.before].reverse() })).toEqual(
          decide(one),
        );
      }),
      { numRuns: runs(300) },
    );
  });

  it('a cluster that comes in never breaks a constraint that refuses it', () => {
    fc.assert(
      fc.property(someScheduling(12, someState), (one) => {
        const state = new Choosing({ placement: WEB, ...one, before: [] });
        const selected = decide({ ...one, before: [] });
        state.selected = state.matching.filter(({ name }) => selected.includes(name));
        for (const constraint of state.constraints.filter((each) => each.whenUnsatisfiable === 'DoNotSchedule')) {
          for (const cluster of state.selected) expect(state.excess(constraint, cluster)).toBeLessThanOrEqual(0);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('an explanation says of each cluster what is decided, and the index has the same inputs', () => {
    fc.assert(
      fc.property(someScheduling(8, someState), (one) => {
        const world = schedulingWorld(one);
        expectExplainsSchedule(world);
        expectIndexEqual(world);
      }),
      { numRuns: REPORTED },
    );
  });

  it('a plan of changes is what the hub has once they are made', () => {
    fc.assert(
      fc.property(someScheduling(8, someState), someChanges, (one, changes) => {
        // What Balance counts depends on which Placement is decided first.
        const configurations = one.spec.prioritizerPolicy?.configurations ?? [];
        fc.pre(configurations.every(({ scoreCoordinate }) => scoreCoordinate.builtIn !== 'Balance'));
        expectAsPlanned(schedulingWorld(one), changes);
      }),
      { numRuns: REPORTED },
    );
  });

  it('a move is what the rules say, read literally', () => {
    const someAge = fc.constantFrom(90, 600, 3_600, 86_400, 86_400, 86_400);
    const someRebalance = fc.record(
      {
        scoreMargin: fc.constantFrom(0, 1, 20, 150),
        minSelectedSeconds: fc.constantFrom(0, 600),
        intervalSeconds: fc.constantFrom(60, 300),
      },
      { requiredKeys: ['scoreMargin'] },
    );
    let moves = 0;
    fc.assert(
      fc.property(
        someScheduling(9, someState),
        someRebalance,
        fc.array(someAge, { minLength: 9, maxLength: 9 }),
        fc.constantFrom(undefined, undefined, 0, 1),
        (any, rebalance, times, maxRemovals) => {
          // Few are wanted, so that others are there to move to.
          const numberOfClusters = Math.min(any.spec.numberOfClusters ?? 3, 3);
          const one = { ...any, spec: { ...any.spec, numberOfClusters } };
          const before = decide(one);
          const ages = Object.fromEntries(before.map((name, index) => [name, times[index] ?? 0]));
          const budget = maxRemovals === undefined ? {} : { disruptionBudget: { maxRemovals } };
          const { move } = scheduled(decidedBefore({ ...one, before }, { rebalance, ...budget }, ages));
          const expected = moveByTheBook({ ...one, placement: WEB, rebalance, ages, left: maxRemovals ?? Infinity });

          if (move !== undefined) moves += 1;
          assert.equal(move && `${move.leaves} → ${move.comes}`, expected);
        },
      ),
      // About one case in forty has a move: of so many, some have one.
      { numRuns: Math.max(SNAPSHOTS / 10, 500) },
    );
    expect(moves).toBeGreaterThan(SNAPSHOTS / 3_000);
  });

  it('outside of the change windows nobody leaves, and what is missing is filled up, as the rules say, read literally', () => {
    fc.assert(
      fc.property(someScheduling(9, someState), fc.boolean(), (one, paused) => {
        fc.pre(one.before.length <= mostByTheBook(one.spec));
        const decided = scheduled(decidedBefore(one, { changeWindows: CLOSED, paused }));
        const published = [...decided.kept.flat(), ...decided.added].sort();

        assert.deepEqual(published, paused ? [...one.before].sort() : fillByTheBook({ ...one, placement: WEB }));
      }),
      { numRuns: SNAPSHOTS / 25 },
    );
  });

  it('a plan of an edit says each move that the controller then makes, in their order, and when', () => {
    let moves = 0;
    fc.assert(
      fc.property(someScheduling(8, someState), someMoving, someMoving, (one, web, other) => {
        const { spreadPolicy } = one.spec;
        const world = schedulingWorld({ ...one, spec: { numberOfClusters: 2, ...(spreadPolicy && { spreadPolicy }) } });
        const placements = world.objects.placements.map((each) =>
          each.metadata.name === 'other-1' ? { ...each, spec: { numberOfClusters: 2 } } : each,
        );
        const edits = { web, 'other-1': { ...other, prioritizerPolicy: BY_BALANCE } };
        moves += expectMovesAsPlanned({ ...world, at: NOW, objects: { ...world.objects, placements } }, edits);
      }),
      { numRuns: runs(150) },
    );

    expect(moves).toBeGreaterThan(0);
  });
});

const BY_BALANCE = { configurations: [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } }] };

const BY_COST = {
  configurations: [{ scoreCoordinate: { type: 'Claim', claim: { name: 'cost', order: 'Ascending' } } }],
};

/** The fields of a spec that lead to moves, or make them wait. */
const someMoving = fc.record(
  {
    rebalance: fc.record({
      scoreMargin: fc.constantFrom(0, 5, 40),
      minSelectedSeconds: fc.constantFrom(0, 90, 3_600),
      intervalSeconds: fc.constantFrom(60, 600),
    }),
    disruptionBudget: fc.record({
      maxRemovals: fc.constantFrom(1, 1, 2, 0),
      windowSeconds: fc.constantFrom(60, 3_600),
    }),
    changeWindows: fc.constantFrom([{ start: '* 12:00', duration: '1h', timeZone: 'UTC' }]),
    prioritizerPolicy: fc.oneof(
      fc.constantFrom(BY_BALANCE, BY_COST),
      someSchedulingSpec.map((spec) => spec.prioritizerPolicy ?? BY_COST),
    ),
  },
  { requiredKeys: ['rebalance', 'prioritizerPolicy'] },
);
