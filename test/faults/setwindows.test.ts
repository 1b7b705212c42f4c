import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Explorer } from './explore/explorer.js';

describe('the times of cluster sets, on the embedded API server', () => {
  let explorer: Explorer;

  beforeAll(async () => {
    explorer = await Explorer.start();
  });
  afterAll(() => explorer.close());

  it.each([
    ['changes wait until the window of a set opens by the clock, and are made then', 'timed/set-window'],
    ['neither a binding, a label nor an edit changes a decision while its set is paused', 'timed/set-pause'],
  ])('%s', async (_, scenario) => {
    const { violations } = await explorer.run({ scenario, seed: 0, faults: [] });

    expect(violations).toEqual([]);
  });
});
