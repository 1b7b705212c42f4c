import { expect, it } from '@jest/globals';
import { planDifferences } from '../../../src/console/web/plandifference.js';
import type { CutPlacement, Plan, PlannedClusters } from '../../../src/console/wire/plan.js';

const SATISFIED = { status: 'True', reason: '', message: '' } as const;

/** Of so many clusters in all; without a number, of those that are named. */
function list(sign: PlannedClusters['sign'], names: string, total = names.split(' ').length): PlannedClusters {
  return { sign, total, rows: names.split(' ').map((name) => ({ name, why: 'because' })) };
}

function placement(lists: readonly PlannedClusters[], other: Partial<CutPlacement> = {}): CutPlacement {
  const after = { phase: 'Satisfied', satisfied: SATISFIED, selected: 3, wanted: 3 } as const;
  return { namespace: 'shop', name: 'web', change: 'Changed', after, stay: 2, lists, ...other };
}

function plan(...placements: readonly CutPlacement[]): Plan {
  return { placements, refusals: [], replaced: [], writes: [], basedOn: '' };
}

it.each<readonly [string, Plan, Plan, readonly string[]]>([
  ['nothing', plan(placement([list('+', 'a')])), plan(placement([list('+', 'a')])), []],
  [
    'another cluster comes in',
    plan(placement([list('+', 'a')])),
    plan(placement([list('+', 'b')])),
    ['shop/web: now comes in: b; no longer comes in: a'],
  ],
  [
    'a cluster that left is held',
    plan(placement([list('−', 'a')])),
    plan(placement([list('−', 'a'), list('held', 'a')])),
    ['shop/web: now is held: a'],
  ],
  [
    'a cluster that was held waits',
    plan(placement([list('held', 'a')])),
    plan(placement([list('waiting', 'a')])),
    ['shop/web: no longer is held: a; now waits: a'],
  ],
  [
    'a Placement changes, another one no longer',
    plan(placement([list('−', 'a')])),
    plan(placement([list('→', 'a')], { name: 'db' })),
    ['shop/db: changes now; now moves later: a', 'shop/web: no longer changes'],
  ],
  [
    'the outcome',
    plan(placement([])),
    plan(placement([], { after: { phase: 'PartiallySatisfied', satisfied: SATISFIED, selected: 2, wanted: 3 } })),
    ['shop/web: then 2 of 3 PartiallySatisfied, not 3 of 3 Satisfied'],
  ],
  [
    'many clusters',
    plan(placement([])),
    plan(placement([list('+', 'a b c d e f g')])),
    ['shop/web: now comes in: a, b, c, d, e and 2 more'],
  ],
  [
    'clusters beyond those that are named',
    plan(placement([list('+', 'a b', 900)], { stay: 100 })),
    plan(placement([list('+', 'b c', 901)], { stay: 99 })),
    ['shop/web: +901 −0 =99, not +900 −0 =100'],
  ],
])('two plans of one draft differ by %s', (_what, before, after, lines) => {
  expect(planDifferences(before, after)).toEqual(lines);
});
