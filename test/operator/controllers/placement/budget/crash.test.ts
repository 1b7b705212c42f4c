import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  playWithCrashes,
  playWithSingleCrashes,
  someHistory,
  type History,
} from '../../../../support/rigs/controllers/budgethistory.js';
import { runs } from '../../../../support/runs.js';

/** The clusters beyond a lower number leave first, in writes of their own: what is left must not look like a tiny decision. */
const DELETED_WHILE_LOWERED: History = {
  budget: undefined,
  wanted: undefined,
  steps: [
    {
      passedMs: 59_000,
      changes: [
        { kind: 'wanted', clusters: 2 },
        { kind: 'delete', clusters: ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'] },
      ],
    },
  ],
};
/** Others come in before the deleted one leaves: a tiny rest must not become a larger decision on the way. */
const DELETED_WHILE_REPLACED: History = {
  budget: undefined,
  wanted: 6,
  steps: [
    {
      passedMs: 59_000,
      changes: [
        { kind: 'delete', clusters: ['c3'] },
        { kind: 'set', clusters: ['c0', 'c1', 'c2', 'c4'], member: false },
      ],
    },
  ],
};
const EXAMPLES = [DELETED_WHILE_LOWERED, DELETED_WHILE_REPLACED].map((one): [History] => [one]);
const RUNS = { numRuns: runs(20), examples: EXAMPLES };

describe('random histories with a disruption budget', () => {
  it('removals stay within the budget, a hold lasts until it is released, and crashes at every write change nothing of the end', async () => {
    let crashes = 0;
    await fc.assert(
      fc.asyncProperty(someHistory, async (history) => {
        crashes += await playWithCrashes(history);
      }),
      RUNS,
    );
    expect(crashes).toBeGreaterThan(RUNS.numRuns);
  }, 120_000);

  it('a single crash at any write, stored or not, changes nothing of the end', async () => {
    let crashes = 0;
    await fc.assert(
      fc.asyncProperty(someHistory, async (history) => {
        crashes += await playWithSingleCrashes(history);
      }),
      { numRuns: runs(12) },
    );
    expect(crashes).toBeGreaterThan(5);
  }, 120_000);
});
