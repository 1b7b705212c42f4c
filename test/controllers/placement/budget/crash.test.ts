import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { play, someHistory, type History } from '../../../support/rigs/controllers/budgethistory.js';

/** More with NIGHTLY. */
const NUM_RUNS = process.env['NIGHTLY'] === 'true' ? 20_000 : 60;

describe('histories with a disruption budget', () => {
  it('at each removal those of the window before it are within the budget, and a hold lasts until it is released', async () => {
    await fc.assert(
      fc.asyncProperty(someHistory, async (history) => {
        await play(history);
      }),
      { numRuns: NUM_RUNS },
    );
  }, 3_600_000);

  it('a process that ends before or after any write of a history changes nothing of its end', async () => {
    let crashes = 0;
    const crashed = async (history: History): Promise<void> => {
      const undisturbed = await play(history);
      for (let write = 1; write <= undisturbed.writes; write++) {
        for (const phase of ['before', 'after'] as const) {
          const run = await play(history, { write, phase });
          expect(run.killed).toBe(true);
          expect(run.end).toEqual(undisturbed.end);
          crashes += 1;
        }
      }
    };
    await fc.assert(fc.asyncProperty(someHistory, crashed), { numRuns: NUM_RUNS / 5 });
    expect(crashes).toBeGreaterThan(NUM_RUNS / 5);
  }, 3_600_000);
});
