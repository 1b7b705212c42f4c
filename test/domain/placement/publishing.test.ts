import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StoredDecision } from '../../../src/domain/placement/stored/decision.js';
import { selectedClusters } from '../../../src/domain/placement/select/decision.js';
import { schedule } from '../../../src/domain/placement/select/schedule.js';
import { sliceChanges, slotsAfter } from '../../../src/domain/placement/publish/slices.js';
import type { DecisionWrite, SliceChanges } from '../../../src/domain/placement/publish/slices.js';
import { placementReport } from '../../../src/domain/placement/report/status.js';
import type { Slots } from '../../../src/domain/placement/select/snapshot.js';
import { decision, member, names, prefixes, snapshot } from '../../support/builders/placement.js';
import { runs } from '../../support/runs.js';

/** A state of the world: how many clusters there are, those that are away, and the number wanted. */
interface Step {
  readonly fleet: number;
  readonly away: readonly number[];
  readonly wanted: number | undefined;
}

const someStep: fc.Arbitrary<Step> = fc.record({
  fleet: fc.integer({ min: 0, max: 340 }),
  away: fc.array(fc.nat(339), { maxLength: 60 }),
  wanted: fc.option(fc.integer({ min: 0, max: 330 }), { nil: undefined }),
});
const someSteps = fc.array(someStep, { minLength: 2, maxLength: 6 });

interface Pass {
  readonly changes: SliceChanges;
  readonly chosen: readonly string[];
  readonly states: readonly (readonly StoredDecision[])[];
}

function run(step: Step, stored: readonly StoredDecision[], remembered?: Slots): Pass {
  const away = new Set(names(340).filter((_, index) => step.away.includes(index)));
  const there = new Set(names(step.fleet).filter((name) => !away.has(name)));
  // Those that are away have left the set: of deleted ones most would stay for a while.
  const fleet = names(340).map((name) => member(name, {}, there.has(name) ? ['fleet'] : []));
  const seen = snapshot({ spec: { numberOfClusters: step.wanted }, fleet, stored, remembered });
  const decided = schedule(seen);
  const changes = sliceChanges(seen, decided);
  return { changes, chosen: selectedClusters(decided), states: prefixes(stored, changes.writes) };
}

function last<T>(list: readonly T[]): T {
  const found = list.at(-1);
  if (found === undefined) throw new Error('an empty list');
  return found;
}

/** What readers see: every list of our objects. */
function union(stored: readonly StoredDecision[]): readonly string[] {
  return stored.flatMap((one) => one.clusters);
}

function contents(stored: readonly StoredDecision[]): readonly string[] {
  return stored.map((one) => `${one.name}: ${one.clusters.join(' ')}`).sort();
}

function place(stored: readonly StoredDecision[], cluster: string): number | undefined {
  return stored.find((one) => one.clusters.includes(cluster))?.ordinal;
}

describe('sliceChanges, through any sequence of changes', () => {
  it('publishing shows at every moment no more clusters than before or after, none twice, and those that stay in their objects', () => {
    fc.assert(
      fc.property(someSteps, fc.boolean(), (steps, remembering) => {
        let stored: readonly StoredDecision[] = [];
        let memory: Slots | undefined;
        for (const step of steps) {
          const before = union(stored);
          const { changes, chosen, states } = run(step, stored, memory);
          const staying = before.filter((name) => chosen.includes(name));
          for (const state of states) {
            const seen = union(state);
            expect(new Set(seen).size).toBe(seen.length);
            expect(seen.length).toBeLessThanOrEqual(Math.max(before.length, chosen.length));
            expect(staying.filter((name) => place(state, name) !== place(stored, name))).toEqual([]);
            expect(Math.max(0, ...state.map((one) => one.clusters.length))).toBeLessThanOrEqual(100);
          }
          stored = last(states);
          memory = remembering ? slotsAfter(changes) : undefined;
          expect([...union(stored)].sort()).toEqual([...chosen].sort());
          expect(stored.filter((one) => one.clusters.length === 0 && one.ordinal !== 1)).toEqual([]);
          expect(stored.some((one) => one.ordinal === 1)).toBe(true);
        }
      }),
      { numRuns: runs(80) },
    );
  });

  it('publishing changes each object at most once, and writes nothing in a second reconcile', () => {
    fc.assert(
      fc.property(someSteps, (steps) => {
        let stored: readonly StoredDecision[] = [];
        for (const step of steps) {
          const { changes, states } = run(step, stored);
          // One write that changes no list: an object that stays takes over what the next one, which is deleted, has recorded.
          const isSame = ({ name, clusters }: DecisionWrite): boolean =>
            stored.find((one) => one.name === name)?.clusters.join() === clusters.join();
          const keeping = changes.writes.filter(isSame);
          expect([[], ['delete']]).toContainEqual(
            keeping.map((write) => changes.writes[changes.writes.indexOf(write) + 1]?.kind),
          );
          const touched = changes.writes.filter((one) => !keeping.includes(one)).map((one) => one.name);
          expect(new Set(touched).size).toBe(touched.length);
          stored = last(states);
          expect(run(step, stored).changes.writes).toEqual([]);
        }
      }),
      { numRuns: runs(50) },
    );
  });

  it('publishing creates an empty object only where no cluster is selected', () => {
    fc.assert(
      fc.property(someSteps, (steps) => {
        let stored: readonly StoredDecision[] = [];
        for (const step of steps) {
          const { changes, states } = run(step, stored);
          for (const write of changes.writes) {
            if (write.kind === 'create' && write.clusters.length === 0) expect(changes.slots.flat()).toEqual([]);
          }
          stored = last(states);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('publishing ends in the same objects after a crash between any two writes, with and without the remembered lists', () => {
    fc.assert(
      fc.property(someSteps, (steps) => {
        let stored: readonly StoredDecision[] = [];
        for (const step of steps) {
          const { changes, states } = run(step, stored);
          const end = contents(last(states));
          states.forEach((state, done) => {
            expect(contents(last(run(step, state).states))).toEqual(end);
            expect(contents(last(run(step, state, slotsAfter(changes, done)).states))).toEqual(end);
          });
          stored = last(states);
        }
      }),
      { numRuns: runs(40) },
    );
  });

  it('publishing creates a deleted object again from the remembered lists', () => {
    fc.assert(
      fc.property(someStep, fc.nat(3), (step, lost) => {
        const { changes, states } = run(step, []);
        const stored = last(states);
        const left = stored.filter((one) => one.ordinal !== lost + 1);

        expect(contents(last(run(step, left, slotsAfter(changes)).states))).toEqual(contents(stored));
      }),
      { numRuns: runs(100) },
    );
  });
});

const someObject: fc.Arbitrary<StoredDecision> = fc
  .record({
    ordinal: fc.integer({ min: 1, max: 6 }),
    ownership: fc.constantFrom('ours', 'ours', 'adoptable', 'predecessor', 'foreign'),
    deleting: fc.nat(6).map((n) => n === 0),
    clusters: fc.array(
      fc.nat(40).map((n) => last(names(n + 1))),
      { maxLength: 30 },
    ),
    intact: fc.boolean(),
    revision: fc.constantFrom('x', undefined),
    misnamed: fc.nat(9).map((n) => n === 0),
  })
  .map(({ ordinal, misnamed, ...over }) =>
    decision(ordinal, over.clusters, misnamed ? { ...over, name: `web-copy-${ordinal}`, ordinal: undefined } : over),
  );
const someStore = fc.uniqueArray(someObject, { selector: (one) => one.name, maxLength: 6 });
const someMemory = fc.option(
  fc
    .shuffledSubarray([...names(40)])
    .chain((list) => fc.array(fc.nat(list.length), { maxLength: 4 }).map((cuts) => sliced(list, cuts))),
  { nil: undefined },
);

function sliced(list: readonly string[], cuts: readonly number[]): Slots {
  const borders = [0, ...[...cuts].sort((a, b) => a - b), list.length];
  return borders.slice(1).map((end, index) => list.slice(borders[index], end));
}

function own(stored: readonly StoredDecision[]): readonly StoredDecision[] {
  return stored.filter(
    (one) => one.ordinal !== undefined && (one.ownership === 'ours' || one.ownership === 'adoptable'),
  );
}

describe('sliceChanges, over any objects that others have left', () => {
  const small = fc.record({
    fleet: fc.nat(40),
    away: fc.array(fc.nat(39), { maxLength: 5 }),
    wanted: fc.option(fc.nat(40), { nil: undefined }),
  });

  it('publishing ends in one reconcile with exactly the selected clusters, without blocked objects, and does not change foreign objects', () => {
    fc.assert(
      fc.property(small, someStore, someMemory, (step, stored, memory) => {
        const { changes, chosen, states } = run(step, stored, memory);
        const end = last(states);
        const withheld = changes.blocked.flatMap((one) => changes.slots[one.ordinal - 1] ?? []);

        expect([...union(own(end)), ...withheld].sort()).toEqual([...chosen].sort());
        expect(end.filter((one) => one.ownership === 'foreign')).toEqual(
          stored.filter((one) => one.ownership === 'foreign'),
        );
        expect(run(step, end, slotsAfter(changes)).changes.writes).toEqual([]);
        // Without the remembered lists, a cluster of an object that another client replaced is new, and may get another slot.
        if (memory === undefined || changes.blocked.length === 0) expect(run(step, end).changes.writes).toEqual([]);
      }),
      { numRuns: runs(500) },
    );
  });

  it('publishing lists no more clusters twice than before, and never more clusters than before or selected', () => {
    fc.assert(
      fc.property(small, someStore, someMemory, (step, stored, memory) => {
        const { chosen, states } = run(step, stored, memory);
        const doubles = (list: readonly string[]): number => list.length - new Set(list).size;
        const start = union(own(stored));
        for (const state of states) {
          expect(doubles(union(own(state)))).toBeLessThanOrEqual(doubles(start));
          expect(union(own(state)).length).toBeLessThanOrEqual(Math.max(start.length, chosen.length));
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('publishing reports after every write exactly what is stored', () => {
    fc.assert(
      fc.property(small, someStore, someMemory, (step, stored, memory) => {
        const fleet = names(step.fleet)
          .filter((_, index) => !step.away.includes(index))
          .map((name) => member(name));
        const seen = snapshot({ spec: { numberOfClusters: step.wanted }, fleet, stored, remembered: memory });
        const decided = schedule(seen);
        const changes = sliceChanges(seen, decided);
        prefixes(stored, changes.writes).forEach((state, done) => {
          const report = placementReport(seen, decided, { changes, done });
          const there = new Set(union(own(state)));
          const needed = step.wanted ?? decided.matched;
          const found = new Map(report.states.map((one) => [one.type, one.status]));

          expect(report.decisions.map((one) => one.name).sort()).toEqual(
            own(state)
              .map((one) => one.name)
              .sort(),
          );
          expect(report.numberOfSelectedClusters).toBe(there.size);
          if (found.get('PlacementSatisfied') === 'True')
            expect(selectedClusters(decided).filter((name) => there.has(name)).length).toBeGreaterThanOrEqual(needed);
          expect(found.get('Ready') === 'True').toBe(done === changes.writes.length && changes.blocked.length === 0);
        });
      }),
      { numRuns: runs(250) },
    );
  });
});
