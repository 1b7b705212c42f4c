import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  playWithCrashes,
  playWithSingleCrashes,
  someHistory,
} from '../../../../support/rigs/controllers/budgethistory.js';

const HOUR = 3_600_000;

describe('10,000 random histories with a disruption budget', () => {
  it.each([
    ['crashes at every write', playWithCrashes, 10_000],
    ['a single crash at any write', playWithSingleCrashes, 1_500],
  ])(
    '%s, stored or not, change nothing of the end',
    async (_what, play, numRuns) => {
      let crashes = 0;
      await fc.assert(
        fc.asyncProperty(someHistory, async (history) => {
          crashes += await play(history);
        }),
        { numRuns },
      );
      expect(crashes).toBeGreaterThan(10_000);
    },
    HOUR,
  );
});
