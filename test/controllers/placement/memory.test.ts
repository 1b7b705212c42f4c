import { describe, expect, it } from '@jest/globals';

import type { PlacementDecision } from '../../../src/api/generated/placementdecision.js';
import { Memory } from '../../../src/controllers/placement/memory.js';
import type { Change } from '../../../src/kube/cache/store.js';

const KEY = 'team/web';
const NAME = 'web-decision-1';

function decision(uid: string, resourceVersion: string): PlacementDecision {
  return { metadata: { namespace: 'team', name: NAME, uid, resourceVersion }, status: { decisions: [] } };
}

function change(
  before: PlacementDecision | undefined,
  after: PlacementDecision | undefined,
): Change<PlacementDecision> {
  return { key: `team/${NAME}`, before, after };
}

/** What is remembered after a pass that left decision object `new` at version 5. */
function remembering(): Memory {
  const memory = new Memory();
  memory.of(KEY, 'placement').decisions.set(NAME, { uid: 'new', resourceVersion: '5' });
  return memory;
}

const ROWS: readonly (readonly [string, Change<PlacementDecision>, boolean])[] = [
  ['the version that the last pass left calls for no pass', change(undefined, decision('new', '5')), false],
  ['an earlier version calls for no pass', change(undefined, decision('new', '4')), false],
  ['a later version calls for a pass', change(decision('new', '5'), decision('new', '6')), true],
  [
    'the deletion of the object that the last pass left calls for a pass',
    change(decision('new', '5'), undefined),
    true,
  ],
  [
    'the deletion of an earlier object of the same name calls for no pass',
    change(decision('old', '3'), undefined),
    false,
  ],
];

describe('what is remembered of a Placement', () => {
  it.each(ROWS)('%s', (_sentence, seen, concerns) => {
    expect(remembering().concerns(KEY, seen)).toBe(concerns);
  });

  it.each(ROWS)('when it is seen during a pass and looked at after it, %s', (_sentence, seen, news) => {
    const memory = remembering();
    const known = memory.of(KEY, 'placement');
    known.passing = true;

    expect(memory.concerns(KEY, seen)).toBe(false);
    expect(memory.settle(known)).toEqual({ seen: [seen], news });
  });

  it('the deletion of an object that is not remembered calls for no pass', () => {
    const memory = new Memory();
    memory.of(KEY, 'placement');

    expect(memory.concerns(KEY, change(decision('old', '3'), undefined))).toBe(false);
  });
});
