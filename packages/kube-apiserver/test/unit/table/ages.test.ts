import { describe, expect, it } from '@jest/globals';
import { humanAge, humanDuration } from '../../../src/table/ages.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

describe('a length of time', () => {
  it.each([
    [-2 * SECOND, '<invalid>'],
    [-1.5 * SECOND, '0s'],
    [0, '0s'],
    [999, '0s'],
    [119 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [3 * MINUTE + 5 * SECOND, '3m5s'],
    [9 * MINUTE + 59 * SECOND, '9m59s'],
    [10 * MINUTE, '10m'],
    [119 * MINUTE, '119m'],
    [179 * MINUTE + 59 * SECOND, '179m'],
    [3 * HOUR, '3h'],
    [7 * HOUR + 59 * MINUTE, '7h59m'],
    [8 * HOUR + MINUTE, '8h'],
    [47 * HOUR, '47h'],
    [2 * DAY, '2d'],
    [7 * DAY + 23 * HOUR, '7d23h'],
    [8 * DAY, '8d'],
    [2 * YEAR - DAY, '729d'],
    [2 * YEAR, '2y'],
    [2 * YEAR + 3 * DAY, '2y3d'],
    [8 * YEAR, '8y'],
    [20 * YEAR, '20y'],
  ])('a duration of %d ms is printed as %s', (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });
});

describe('an age', () => {
  it.each([
    ['2020-01-01T00:00:00Z', '90s'],
    [undefined, '<unknown>'],
    ['', '<unknown>'],
    ['soon', '<invalid>'],
    ['2021-01-01T00:00:00Z', '<invalid>'],
  ])('the age of %j is printed as %s', (time, text) => {
    expect(humanAge(time, Date.parse('2020-01-01T00:01:30Z'))).toBe(text);
  });
});
