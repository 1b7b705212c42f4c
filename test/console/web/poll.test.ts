import { expect, it } from '@jest/globals';
import { waitAfter } from '../../../src/console/web/poll.js';

it.each([
  [0, 2_000],
  [30_000, 2_000],
  [45_000, 3_000],
  [3_600_000, 4_000],
])('%i ms after the last change, what is shown is asked for again after %i ms', (quiet, wait) => {
  expect(waitAfter(quiet)).toBe(wait);
});
