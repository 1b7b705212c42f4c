import { expect, it } from '@jest/globals';

import { killRoundsInChildProcess } from './roundsprocess.js';

it('a standalone that is killed while many write to it has all that it answered or showed, and gives no revision twice', async () => {
  const { answered, watched } = await killRoundsInChildProcess({ rounds: 2, seed: 1 });

  expect(answered).toBeGreaterThanOrEqual(800);
  expect(watched).toBeGreaterThan(0);
}, 600_000);
