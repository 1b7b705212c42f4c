import { describe, expect, it } from '@jest/globals';

import { firstRenewalMs, jittered, reapplyMs, retryMs, rotationMs } from '../../src/agent/schedule.js';

const least = (): number => 0;
const half = (): number => 0.5;
const most = (): number => 1 - Number.EPSILON;

describe('the schedule of an agent', () => {
  it('the first renewal comes within the duration of the lease', () => {
    expect([least, half, most].map((random) => Math.round(firstRenewalMs(60_000, random)))).toEqual([
      0, 30_000, 60_000,
    ]);
  });

  it('a renewal follows the last one after 0.9 to 1.0 of the duration of the lease', () => {
    expect([least, half, most].map((random) => Math.round(jittered(60_000, random)))).toEqual([60_000, 57_000, 54_000]);
  });

  it.each([
    [1, 2_000],
    [2, 4_000],
    [5, 32_000],
    [6, 60_000],
    [1_000, 60_000],
  ])('after %i failures in a row the next attempt comes within %i ms', (failures, limit) => {
    expect(retryMs(failures, least)).toBe(0);
    expect(Math.round(retryMs(failures, most))).toBe(limit);
  });

  it('after an outage the next attempt comes within the duration of a short lease', () => {
    const limits = [10_000, 30_000, 60_000, 3_600_000].map((leaseMs) => retryMs(100, most, { leaseMs }));
    expect(limits.map(Math.round)).toEqual([10_000, 30_000, 60_000, 60_000]);
  });

  it('an attempt is not repeated before the Retry-After of the hub', () => {
    const after = (failures: number, retryAfterMs: number): number => retryMs(failures, half, { retryAfterMs });
    expect([after(1, 30_000), after(6, 1_000)]).toEqual([30_000, 30_000]);
  });

  it('10,000 agents send at most 350 requests a second together after a long outage', () => {
    expect(10_000 / (retryMs(100, half) / 1000)).toBeLessThanOrEqual(350);
  });

  it.each([
    [604_800, 120_960],
    [86_400, 17_280],
    [600, 120],
  ])('a token that the hub has given for %i s is replaced after %i s', (lifetime, after) => {
    expect(rotationMs(lifetime)).toBe(after * 1000);
  });

  it('all is applied again each hour', () => {
    expect([least, half].map((random) => reapplyMs(random))).toEqual([3_600_000, 3_420_000]);
  });
});

describe('10,000 agents', () => {
  const AGENTS = 10_000;
  const LEASE_MS = 60_000;

  /** The requests in each second of `seconds`, of agents that renew while the hub is up. */
  function load(seconds: number, isUp: (second: number) => boolean): number[] {
    let state = 1;
    // A generator of Park and Miller, so that each run is the same.
    const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const counts = Array<number>(seconds).fill(0);
    for (let agent = 0; agent < AGENTS; agent++) {
      let failures = 0;
      let second = Math.floor(firstRenewalMs(LEASE_MS, random) / 1000);
      let at = second * 1000;
      while (second < seconds) {
        counts[second] = (counts[second] ?? 0) + 1;
        failures = isUp(second) ? 0 : failures + 1;
        at += failures === 0 ? jittered(LEASE_MS, random) : retryMs(failures, random);
        second = Math.floor(at / 1000);
      }
    }
    return counts;
  }

  /** The greatest average of 10 s. */
  function peak(counts: readonly number[]): number {
    const windows = counts.slice(9).map((_, at) => counts.slice(at, at + 10).reduce((sum, one) => sum + one, 0) / 10);
    return Math.max(...windows);
  }

  it('10,000 agents renew 175 times a second on average, and never much more often', () => {
    const steady = load(600, () => true).slice(60);

    expect(peak(steady)).toBeLessThan(225);
    expect(steady.reduce((sum, one) => sum + one, 0) / steady.length).toBeCloseTo(10_000 / 57, -1);
  });

  it('10,000 agents come back to a hub that was away for 5 minutes with at most twice their steady load', () => {
    const back = 600;
    const counts = load(1_200, (second) => second < 300 || second >= back);

    expect(peak(counts.slice(back))).toBeLessThanOrEqual(350);
    expect(counts.slice(back, back + 60).reduce((sum, one) => sum + one, 0)).toBeLessThan(12_500);
  });
});
