import { expect, it } from '@jest/globals';
import { crashRounds } from './crashrounds.js';

it('a store has every acknowledged write after its process was killed repeatedly', async () => {
  const { answered } = await crashRounds(4);

  expect(answered).toBeGreaterThanOrEqual(400);
}, 600_000);
