import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { playWithCrashes, someHistory } from '../../../support/rigs/controllers/budgethistory.js';

const RUNS = { numRuns: 40 };

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
});
