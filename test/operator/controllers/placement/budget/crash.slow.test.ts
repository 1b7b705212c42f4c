import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  playWithCrashes,
  playWithSingleCrashes,
  someHistory,
} from '../../../../support/rigs/controllers/budgethistory.js';

describe('more random histories with a disruption budget', () => {
  it('crashes at every write change nothing of the end', async () => {
    let crashes = 0;
    await fc.assert(
      fc.asyncProperty(someHistory, async (history) => {
        crashes += await playWithCrashes(history);
      }),
      { numRuns: 200 },
    );
    expect(crashes).toBeGreaterThan(1_000);
  }, 300_000);

  it('a single crash at any write, stored or not, changes nothing of the end', async () => {
    let crashes = 0;
    await fc.assert(
      fc.asyncProperty(someHistory, async (history) => {
        crashes += await playWithSingleCrashes(history);
      }),
      { numRuns: 25 },
    );
    expect(crashes).toBeGreaterThan(100);
  }, 300_000);
});
