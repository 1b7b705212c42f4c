// Crashes at many more points than the regular tests: hours.
import { expect, it } from '@jest/globals';

import { killRoundsInChildProcess } from './roundsprocess.js';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 200);
const SEED = Number(process.env['SCRIPT_SEED'] ?? 1);
/** A process that has just begun is slow: it is written to until it is warm, and killed then. */
const PACE = { perSecond: 1_000, withinMs: 12_000 };

it(
  `a standalone has every answered write after each of ${ROUNDS} kills, over HTTPS`,
  async () => {
    const { answered, rates, watched, relisted } = await killRoundsInChildProcess({
      rounds: ROUNDS,
      seed: SEED,
      pace: PACE,
    });
    const sorted = [...rates].sort((a, b) => a - b);
    const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
    const fast = rates.filter((rate) => rate >= PACE.perSecond).length;
    console.log(
      `${answered} writes were answered; in the second before a kill ${at(0)} to ${at(1)}, ${at(0.5)} in the middle round; ` +
        `${fast} of ${rates.length} rounds were killed at ${PACE.perSecond} a second or more; ${watched} events were watched, ${relisted} watches got 410`,
    );

    expect(answered).toBeGreaterThanOrEqual(ROUNDS * 400);
  },
  120 * 60_000,
);
