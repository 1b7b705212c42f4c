import assert from 'node:assert/strict';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { schedule, selectedClusters } from '../../../src/domain/placement/select/schedule.js';
import { someChanges, expectAsPlanned } from '../../support/builders/changes.js';
import { expectExplainsSchedule, expectIndexEqual } from '../../support/builders/explained.js';
import { schedulingWorld, someScheduling, WEB, type SchedulingCase } from '../../support/builders/scheduling.js';
import { explainInput } from '../../support/builders/world.js';
import { Choosing, chooseByTheBook } from '../../support/scenario/checks/choice.js';

/** How many random snapshots are held against the rules. */
const SNAPSHOTS = process.env['NIGHTLY'] === 'true' ? 100_000 : 10_000;

function decide(one: SchedulingCase): readonly string[] {
  const decided = schedule(explainInput(schedulingWorld(one)).snapshot);
  assert.equal(decided.problem, undefined);
  return [...selectedClusters(decided)].sort();
}

function byTheBook({ spec, clusters, before }: SchedulingCase): readonly string[] {
  return chooseByTheBook({ placement: WEB, spec, clusters, before });
}

describe('a Placement that compares, counts, prefers and spreads', () => {
  it('a decision is what the rules say, read literally', () => {
    fc.assert(
      fc.property(someScheduling(12), (one) => {
        assert.deepEqual(decide(one), byTheBook(one));
      }),
      { numRuns: SNAPSHOTS },
    );
  });

  it('a decision is made again from itself', () => {
    fc.assert(
      fc.property(someScheduling(12), (one) => {
        const first = decide(one);

        expect(decide({ ...one, before: first })).toEqual(first);
      }),
      { numRuns: 300 },
    );
  });

  it('a decision does not depend on the order of the clusters', () => {
    fc.assert(
      fc.property(someScheduling(10), (one) => {
        expect(decide({ ...one, clusters: [...one.clusters].reverse(), before: [...one.before].reverse() })).toEqual(
          decide(one),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('a cluster that comes in never breaks a constraint that refuses it', () => {
    fc.assert(
      fc.property(someScheduling(12), (one) => {
        const state = new Choosing({ placement: WEB, ...one, before: [] });
        const selected = decide({ ...one, before: [] });
        state.selected = state.matching.filter(({ name }) => selected.includes(name));
        for (const constraint of state.constraints.filter((each) => each.whenUnsatisfiable === 'DoNotSchedule')) {
          for (const cluster of state.selected) expect(state.excess(constraint, cluster)).toBeLessThanOrEqual(0);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('an explanation says of each cluster what is decided, and the index has the same inputs', () => {
    fc.assert(
      fc.property(someScheduling(8), (one) => {
        const world = schedulingWorld(one);
        expectExplainsSchedule(world);
        expectIndexEqual(world);
      }),
      { numRuns: 300 },
    );
  });

  it('a plan of changes is what the hub has once they are made', () => {
    fc.assert(
      fc.property(someScheduling(8), someChanges, (one, changes) => {
        // What Balance counts depends on which Placement is decided first.
        const configurations = one.spec.prioritizerPolicy?.configurations ?? [];
        fc.pre(configurations.every(({ scoreCoordinate }) => scoreCoordinate.builtIn !== 'Balance'));
        expectAsPlanned(schedulingWorld(one), changes);
      }),
      { numRuns: 300 },
    );
  });
});
