import { expect, it } from '@jest/globals';
import { planDifferences } from '../../../src/console/web/plandifference.js';
import type { CutPlacement, Plan } from '../../../src/console/wire/plan.js';

const SATISFIED = { status: 'True', reason: '', message: '' } as const;
const SUMMARY = { add: 0, remove: 0, stay: 0, held: 0, changed: 0, unknown: 0, placements: 0, text: '' };

function clusters(...names: readonly string[]): CutPlacement['add'] & CutPlacement['remove'] {
  return names.map((name) => ({ name, predicate: undefined, cause: 'NotNeeded' as const, why: 'because' }));
}

function placement(lists: Partial<CutPlacement>): CutPlacement {
  const { add = [], remove = [] } = lists;
  const counts = { add: add.length, remove: remove.length, stay: 2, held: 0, waiting: 0 };
  const after = { phase: 'Satisfied', satisfied: SATISFIED, selected: 3, wanted: 3 } as const;
  return {
    namespace: 'shop',
    name: 'web',
    change: 'Changed',
    after,
    add,
    remove,
    held: [],
    stay: [],
    counts,
    ...lists,
  };
}

function plan(...placements: readonly CutPlacement[]): Plan {
  return { summary: SUMMARY, placements, refusals: [], replaced: [], writes: [], basedOn: '' };
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
    'a cluster that was held waits',
    plan(placement({ held: clusters('a') })),
    plan(placement({ held: clusters('a').map((one) => ({ ...one, cause: 'NotMatched', waitsFor: 'paused' })) })),
    ['shop/web: is no longer held: a; now waits: a'],
  ],
  [
    'a Placement changes, another one no longer',
    plan(placement({ remove: clusters('a') })),
    plan(placement({ name: 'db', moves: [{ from: 'a', to: 'b', why: '', at: '', waitsFor: 'intervalSeconds' }] })),
    ['shop/db: changes now; now moves later: a', 'shop/web: no longer changes'],
  ],
  [
    'the outcome',
    plan(placement({})),
    plan(placement({ after: { phase: 'PartiallySatisfied', satisfied: SATISFIED, selected: 2, wanted: 3 } })),
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
    plan(placement({ counts: { add: 900, remove: 0, stay: 100, held: 0, waiting: 0 } })),
    plan(placement({ counts: { add: 901, remove: 0, stay: 99, held: 0, waiting: 0 } })),
    ['shop/web: +901 −0 =99, not +900 −0 =100'],
  ],
])('two plans of one draft differ by %s', (_what, before, after, lines) => {
  const found = planDifferences(before, after).map((one) => `${one.placement}: ${one.lines.join('; ')}`);
  expect(found).toEqual(lines);
});
