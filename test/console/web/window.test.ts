import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { blocksOf, movedTo, windowOf } from '../../../src/console/web/window.js';

describe('the window of a long list', () => {
  it('every row in sight is drawn, and never more than the sight and some rows', () => {
    const size = fc.record({
      total: fc.nat(20_000),
      rowHeight: fc.integer({ min: 20, max: 120 }),
      top: fc.integer({ min: -50, max: 1_000_000 }),
      height: fc.integer({ min: 0, max: 2_000 }),
    });
    fc.assert(
      fc.property(size, ({ total, rowHeight, top, height }) => {
        const { first, end } = windowOf(total, rowHeight, { top, height });
        const seen = [top, top + height - 1]
          .map((at) => Math.floor(at / rowHeight))
          .filter((row) => row >= 0 && row < total);
        for (const row of seen) expect(row >= first && row < end).toBe(true);
        expect(end - first).toBeLessThanOrEqual(height / rowHeight + 22);
        expect(first >= 0 && end <= total).toBe(true);
      }),
    );
  });

  it('the blocks of a window cover it', () => {
    expect(blocksOf({ first: 95, end: 205 }, 100)).toEqual([0, 100, 200]);
    expect(blocksOf({ first: 0, end: 0 }, 100)).toEqual([]);
  });

  it.each([
    ['ArrowDown', 4, 5],
    ['ArrowDown', 9, 9],
    ['ArrowUp', 0, 0],
    ['PageDown', 2, 7],
    ['Home', 7, 0],
    ['End', 7, 9],
    ['x', 7, undefined],
  ])('the key %s moves from row %s to %s of ten', (key, at, to) => {
    expect(movedTo(key, at, { total: 10, page: 5 })).toBe(to);
  });
});
