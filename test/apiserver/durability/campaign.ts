// What `make test-campaign` runs beside the rest: too long for every day. Not found by Jest's usual pattern; named on the command line.
import { expect, it } from '@jest/globals';

import { killRounds } from './rounds.js';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 200);

it(`a standalone has every answered write after each of ${ROUNDS} kills, over HTTPS`, async () => {
  const { answered, rates, watched, relisted } = await killRounds(ROUNDS, Number(process.env['SCRIPT_SEED'] ?? 1));
  const sorted = [...rates].sort((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  console.log(`${answered} writes were answered, ${at(0)} to ${at(1)} a second, ${at(0.5)} in the middle round; ${watched} events were watched, ${relisted} watches were told 410`);

  expect(answered).toBeGreaterThanOrEqual(ROUNDS * 400);
}, 120 * 60_000);
