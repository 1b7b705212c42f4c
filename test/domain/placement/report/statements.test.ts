import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { World } from '../../../../src/answers/world/world.js';
import { statementsOf, type Statements } from '../../../../src/domain/placement/report/statements.js';
import { selectedClusters } from '../../../../src/domain/placement/select/decision.js';
import { schedule } from '../../../../src/domain/placement/select/schedule.js';
import { sliceChanges } from '../../../../src/domain/placement/publish/slices.js';
import { placementReport, type PlacementReport } from '../../../../src/domain/placement/report/status.js';
import { asRecord, field, recordsIn } from '../../../../src/runtime/vocabulary/json.js';
import { explainInput, someWorld } from '../../../support/builders/world.js';

/** The statements and the report after a pass that stores everything. */
function after(world: World): { readonly statements: Statements; readonly report: PlacementReport } {
  const { snapshot } = explainInput(world);
  const decided = schedule(snapshot);
  const changes = sliceChanges(snapshot, decided);
  const report = placementReport(snapshot, decided, { changes, done: changes.writes.length });
  return { statements: statementsOf(snapshot, decided, new Set(selectedClusters(decided))), report };
}

/** The statements, the decision, and what is held with its causes: RemovalsHeld is rewritten when these change. */
function known({ statements, report: { decisions, states } }: ReturnType<typeof after>): string {
  return JSON.stringify([statements, decisions, states.filter(({ type }) => type === 'RemovalsHeld')]);
}

/** The world, with this number of clusters for each predicate. */
function withNumbers(world: World, numberOfClusters: number): World {
  const placements = world.objects.placements.map((one) => {
    const predicates = recordsIn(field(one['spec'], 'predicates')).map((each) => ({ ...each, numberOfClusters }));
    return { ...one, spec: { ...asRecord(one['spec']), predicates } };
  });
  return { ...world, objects: { ...world.objects, placements } };
}

/** The names of the fields that hold numbers. */
function numberFieldsIn(value: unknown, name = ''): readonly string[] {
  if (typeof value === 'number') return [name];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => numberFieldsIn(one, Array.isArray(value) ? name : key));
}

describe('statements', () => {
  it('the only numbers of statements are wanted, scheduled, stored and keptAbove, and those of predicates: index, missing, shadowedBy', () => {
    const found = new Set<string>();
    fc.assert(
      fc.property(someWorld, fc.nat(3), (world, number) => {
        for (const one of [world, withNumbers(world, number)])
          for (const name of numberFieldsIn(after(one).statements)) found.add(name);
      }),
      { numRuns: 500 },
    );

    expect([...found].sort()).toEqual(['index', 'keptAbove', 'missing', 'scheduled', 'shadowedBy', 'stored', 'wanted']);
  });

  it('equal statements and equal decisions give equal bytes, whatever else differs in the fleet', () => {
    let equal = 0;
    fc.assert(
      fc.property(someWorld, someWorld, (world, other) => {
        const { managedclusters } = other.objects;
        const [before, now] = [after(world), after({ ...world, objects: { ...world.objects, managedclusters } })];
        if (known(before) !== known(now)) return;
        equal += 1;
        expect(JSON.stringify(now.report)).toBe(JSON.stringify(before.report));
      }),
      { numRuns: 1_000 },
    );

    expect(equal).toBeGreaterThan(50);
  });
});
