import { describe, expect, it } from '@jest/globals';

import { slopeOf } from './slopes.js';

const times = [0, 0.1, 0.2, 0.3, 0.4];

function slope(values: readonly number[], bound: number): ReturnType<typeof slopeOf> {
  return slopeOf(values, times, bound);
}

describe('slopes', () => {
  it('a line has its slope, and no error', () => {
    const { mean, perHour, error } = slope([100, 101, 102, 103, 104], 0);
    expect([mean, perHour, error].map((one) => Number(one.toFixed(9)))).toEqual([102, 10, 0]);
  });

  it.each([
    ['the same all the time', [100, 100, 100, 100, 100], 0, false],
    ['a line above its bound', [100, 101, 102, 103, 104], 0.09, true],
    ['a line within its bound', [100, 101, 102, 103, 104], 0.1, false],
    ['a line that falls', [104, 103, 102, 101, 100], 0, false],
    ['what is not known', [100, NaN, 100, 100, 100], 1, true],
    ['what only swings', [100, 110, 95, 112, 100], 0, false],
    ['a line that swings a little', [100, 102, 102, 104, 104], 0, true],
  ])('%s', (_, values, bound, grows) => {
    expect(slope(values, bound).grows).toBe(grows);
  });
});
