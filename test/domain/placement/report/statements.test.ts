import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { World } from '../../../../src/answers/world/world.js';
import { statementsOf, type Statements } from '../../../../src/domain/placement/report/statements.js';
import { selectedClusters } from '../../../../src/domain/placement/select/decision.js';
import { schedule } from '../../../../src/domain/placement/select/schedule.js';
import { sliceChanges } from '../../../../src/domain/placement/publish/slices.js';
import { placementReport, type PlacementReport } from '../../../../src/domain/placement/report/status.js';
import { explainInput, someWorld } from '../../../support/builders/world.js';

/** The facts and the report after a pass that stores everything. */
function after(world: World): { readonly facts: Statements; readonly report: PlacementReport } {
  const { snapshot } = explainInput(world);
  const decided = schedule(snapshot);
  const changes = sliceChanges(snapshot, decided);
  const report = placementReport(snapshot, decided, { changes, done: changes.writes.length });
  return { facts: statementsOf(snapshot, decided, new Set(selectedClusters(decided))), report };
}

/** The facts, the decision, and what is held with its causes: RemovalsHeld is rewritten when these change. */
function known({ facts, report: { decisions, states } }: ReturnType<typeof after>): string {
  return JSON.stringify([facts, decisions, states.filter(({ type }) => type === 'RemovalsHeld')]);
}

/** The numbers in a value, with the names of their fields. */
function numbersIn(value: unknown, name = ''): readonly string[] {
  if (typeof value === 'number') return [name];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => numbersIn(one, Array.isArray(value) ? name : key));
}

describe('facts', () => {
  it('the only numbers of facts are wanted, scheduled and stored, and the indices of predicates', () => {
    const found = new Set<string>();
    fc.assert(
      fc.property(someWorld, (world) => {
        for (const name of numbersIn(after(world).facts)) found.add(name);
      }),
      { numRuns: 500 },
    );

    expect([...found].sort()).toEqual(['index', 'keptAbove', 'scheduled', 'stored', 'wanted']);
  });

  it('equal facts and equal decisions give equal bytes, whatever else differs in the fleet', () => {
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
