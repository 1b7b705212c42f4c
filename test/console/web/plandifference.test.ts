import { expect, it } from '@jest/globals';
import { planDifferences } from '../../../src/console/web/plandifference.js';
import type { Plan, PlannedCluster, PlannedPlacement } from '../../../src/console/wire/plan.js';

function clusters(...names: readonly string[]): readonly PlannedCluster[] {
  return names.map((name) => ({ name, why: 'because' }));
}

function placement(lists: Partial<PlannedPlacement>): PlannedPlacement {
  const { add = [], remove = [] } = lists;
  const counts = { added: add.length, removed: remove.length, stay: 2 };
  const after = { phase: 'Satisfied', selected: 3, wanted: 3, message: '' };
  return {
    namespace: 'shop',
    name: 'web',
    change: 'Changed',
    after,
    add,
    remove,
    held: [],
    moves: [],
    ...counts,
    ...lists,
  };
}

function plan(...placements: readonly PlannedPlacement[]): Plan {
  return { summary: '', placements, refusals: [], replaced: [], writes: [], basedOn: '' };
}

it.each<readonly [string, Plan, Plan, readonly string[]]>([
  ['nothing', plan(placement({ add: clusters('a') })), plan(placement({ add: clusters('a') })), []],
  [
    'another cluster comes in',
    plan(placement({ add: clusters('a') })),
    plan(placement({ add: clusters('b') })),
    ['shop/web: now comes in: b; no longer comes in: a'],
  ],
  [
    'a cluster that left is held',
    plan(placement({ remove: clusters('a') })),
    plan(placement({ remove: clusters('a'), held: clusters('a') })),
    ['shop/web: is now held: a'],
  ],
  [
    'a Placement changes, another one no longer',
    plan(placement({ remove: clusters('a') })),
    plan(placement({ name: 'db', moves: clusters('a') })),
    ['shop/db: changes now; now moves later: a', 'shop/web: no longer changes'],
  ],
  [
    'the outcome',
    plan(placement({})),
    plan(placement({ after: { phase: 'PartiallySatisfied', selected: 2, wanted: 3, message: '' } })),
    ['shop/web: then 2 of 3 PartiallySatisfied, not 3 of 3 Satisfied'],
  ],
  [
    'many clusters',
    plan(placement({})),
    plan(placement({ add: clusters('a', 'b', 'c', 'd', 'e', 'f', 'g') })),
    ['shop/web: now comes in: a, b, c, d, e and 2 more'],
  ],
  [
    'clusters beyond those that are named',
    plan(placement({ added: 900, stay: 100 })),
    plan(placement({ added: 901, stay: 99 })),
    ['shop/web: +901 −0 =99, not +900 −0 =100'],
  ],
])('two plans of one draft differ by %s', (_what, before, after, lines) => {
  const found = planDifferences(before, after).map((one) => `${one.placement}: ${one.lines.join('; ')}`);
  expect(found).toEqual(lines);
});
