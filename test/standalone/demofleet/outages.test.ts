import { describe, expect, it } from '@jest/globals';

import { OUTAGE_PERIOD_MS, outagesOf } from '../../../src/standalone/demofleet/demofleet.js';
import { isSilentScope } from '../../../src/domain/health/brake.js';

const SIZES = Array.from({ length: 1_000 }, (_, index) => index + 1);

describe('the outages of the demo fleet', () => {
  it('of twelve clusters, demo-4 and demo-10 fall silent, the second half a period after the first', () => {
    expect(outagesOf(12)).toEqual([
      { cluster: 3, firstMs: 60_000 },
      { cluster: 9, firstMs: 60_000 + OUTAGE_PERIOD_MS / 2 },
    ]);
  });

  it('a fleet of any size has outages, each of another one of its clusters', () => {
    for (const total of SIZES) {
      const clusters = outagesOf(total).map(({ cluster }) => cluster);
      expect(clusters.length).toBeGreaterThan(0);
      expect(new Set(clusters).size).toBe(clusters.length);
      expect(clusters.every((cluster) => Number.isInteger(cluster) && cluster >= 0 && cluster < total)).toBe(true);
    }
  });

  it('the brake of the hub never holds a fleet of two or more, whatever part of the outages overlaps', () => {
    const held = SIZES.filter((total) => isSilentScope({ joined: total, silent: outagesOf(total).length }));

    expect(held).toEqual([1]);
  });
});
