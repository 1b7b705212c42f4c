// Crashes at many more points than the daily tests; takes hours.
import { expect, it } from '@jest/globals';
import { crashRounds } from './crashrounds.js';

const ROUNDS = 200;

it(
  `a store has every answered write after each of ${ROUNDS} kills of its process`,
  async () => {
    const { answered, ms } = await crashRounds(ROUNDS);
    console.log(`${answered} writes were answered, ${Math.round((answered * 1000) / ms)} a second`);

    expect(answered).toBeGreaterThanOrEqual(ROUNDS * 100);
  },
  60 * 60_000,
);
