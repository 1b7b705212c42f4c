import { expect, it } from '@jest/globals';

import { leaseDurationMs } from '../../../src/domain/health/view.js';

it.each([
  [10, 10_000],
  [3_600, 3_600_000],
  [9, 10_000],
  [2 ** 31 - 1, 3_600_000],
  [undefined, 60_000],
  ['10', 60_000],
])('a lease duration of %p seconds counts as %i ms, within the limits of the API', (seconds, ms) => {
  expect(leaseDurationMs(seconds)).toBe(ms);
});
