import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { backoffMs, DEFAULT_BACKOFF } from '../../src/runtime/backoff.js';

describe('backoff', () => {
  it.each([
    [1, 5],
    [2, 10],
    [3, 20],
    [4, 40],
    [10, 2_560],
    [14, 40_960],
    [15, 60_000],
    [16, 60_000],
    [5_000, 60_000],
    [0, 5],
  ])('backoff after %i failures waits %i ms without jitter', (failures, ms) => {
    expect(backoffMs(failures, () => 0)).toBe(ms);
  });

  it('backoff subtracts at most its jitter', () => {
    expect(backoffMs(3, () => 0.5)).toBe(18);
    expect(backoffMs(3, () => 0.5, { baseMs: 100, maxMs: 1_000, jitter: 1 })).toBe(200);
  });

  it('backoff stays between its share of the base and the longest wait', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (failures, chance) => {
          const ms = backoffMs(failures, () => chance);
          expect(ms).toBeGreaterThanOrEqual(DEFAULT_BACKOFF.baseMs * (1 - DEFAULT_BACKOFF.jitter));
          expect(ms).toBeLessThanOrEqual(DEFAULT_BACKOFF.maxMs);
        },
      ),
    );
  });
});
