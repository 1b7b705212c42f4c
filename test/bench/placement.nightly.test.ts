import { beforeAll, describe, expect, it } from '@jest/globals';

import { placementFigures } from '../../bench/placement/figures.js';
import type { Effort } from '../../bench/placement/world.js';
import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';

/** Enough to run each line of the bench. */
const EFFORT: Effort = {
  idleMs: 100,
  quietMs: 400,
  collectionMs: 0,
  misses: 5,
  flips: 3,
  heartbeats: 5,
  newPlacements: 5,
  scrapes: 2,
};

describe('the bench of Placements', () => {
  let figures: readonly Figure[];

  beforeAll(async () => {
    const size = { clusters: 60, placements: 20 };
    figures = await placementFigures(size, { server: 'embedded', runs: 1, effort: EFFORT });
  });

  it('each figure has one value, a number', () => {
    expect(figures.length).toBeGreaterThan(30);
    expect(figures.filter(({ values }) => values.length !== 1 || !Number.isFinite(values[0]))).toEqual([]);
  });

  it.each([
    ['miss.reconciles', 0],
    ['miss.writes', 0],
    ['heartbeat.reconciles', 0],
    ['heartbeat.writes', 0],
    ['flip.moved', 0],
    ['flip.reconciles', 1],
    ['flip.reads', 0],
    ['price.reconciles', 0],
    ['rebalance.writes', 0],
    ['new.writes', 2],
    ['new.reads', 0],
    ['start.writes', 2],
    ['restart.writes', 0],
  ])('%s, which no machine can change, is %d', (key, expected) => {
    expect(figures.find((figure) => figure.key === key)?.values).toEqual([expected]);
  });
});
