import { describe, expect, it } from '@jest/globals';

import { checkObservation, clockState, isLossObserved, leaseAge } from '../../../src/domain/health/observation.js';

const MINUTE = 60_000;

describe('checkObservation', () => {
  const working = { since: 1_000, checkedAt: 5_000 };

  it.each([
    ['begins with the first check of a working watch', undefined, { now: 7, current: true, receivedAt: 5 }, 7],
    ['goes on while the watch works', working, { now: 6_000, current: true, receivedAt: 5_500 }, 1_000],
    ['goes on for 90 s without an event', working, { now: 95_000, current: true, receivedAt: 5_000 }, 1_000],
    ['ends after more than 90 s without one', working, { now: 95_001, current: true, receivedAt: 5_000 }, undefined],
    ['ends with a failed list', working, { now: 6_000, current: false, receivedAt: 6_000 }, undefined],
    ['does not begin before a list', undefined, { now: 6_000, current: true, receivedAt: undefined }, undefined],
    [
      'begins anew after it was stale',
      { since: undefined, checkedAt: 5_000 },
      { now: 6_000, current: true, receivedAt: 6_000 },
      6_000,
    ],
    [
      'begins anew in a process that was suspended, whatever it has received since',
      working,
      { now: 300_000, current: true, receivedAt: 300_000 },
      300_000,
    ],
  ])('the observation %s', (_, before, watch, since) => {
    expect(checkObservation(before, watch)).toEqual({ since, checkedAt: watch.now });
  });
});

describe('leaseAge', () => {
  it.each([
    ['a renewal a minute ago', 10 * MINUTE, { ageMs: MINUTE, renewed: true, phase: 'current' }],
    ['a renewal two minutes ago', 9 * MINUTE, { ageMs: 2 * MINUTE, renewed: true, phase: 'silent' }],
    ['a renewal three minutes ago', 8 * MINUTE, { ageMs: 3 * MINUTE, renewed: true, phase: 'unknown' }],
    ['a renewal four minutes ago', 7 * MINUTE, { ageMs: 4 * MINUTE, renewed: true, phase: 'lost' }],
    ['a renewal before the observation began', 1 * MINUTE, { ageMs: 6 * MINUTE, renewed: false, phase: 'lost' }],
    ['no renewal', undefined, { ageMs: 6 * MINUTE, renewed: false, phase: 'lost' }],
  ])('after %s the age counts from it, or from the begin of the observation', (_, renewedAt, lease) => {
    expect(leaseAge(renewedAt, 5 * MINUTE, 11 * MINUTE, MINUTE)).toEqual(lease);
  });

  it('the lease duration of the cluster scales the phases', () => {
    expect(leaseAge(0, 0, 39_999, 10_000).phase).toBe('unknown');
    expect(leaseAge(0, 0, 40_000, 10_000).phase).toBe('lost');
  });
});

describe('isLossObserved', () => {
  const [now, duration] = [100_000, 20_000];
  const lost = leaseAge(10_000, 0, now, duration);

  it.each([
    ['needs something from the watch since the Lease became lost', 90_000, true],
    ['is not, by a watch that has been silent since before', 89_999, false],
    ['is not, without any event', undefined, false],
  ])('%s', (_, receivedAt, isObserved) => {
    expect(isLossObserved(lost, duration, { now, current: true, receivedAt })).toBe(isObserved);
  });
});

describe('clockState', () => {
  it.each([
    [60_000, undefined, 'synced'],
    [60_001, undefined, 'off'],
    [-60_001, undefined, 'off'],
    [60_000, 'synced', 'synced'],
    [50_001, 'off', 'off'],
    [50_000, 'off', 'synced'],
  ] as const)('a clock that is %i ms ahead, and was %s before, is %s', (offMs, before, state) => {
    expect(clockState(offMs, before)).toBe(state);
  });
});
