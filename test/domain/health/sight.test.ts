import { describe, expect, it } from '@jest/globals';

import { checkSight, contactOf } from '../../../src/domain/health/sight.js';

const MINUTE = 60_000;

describe('checkSight', () => {
  const seeing = { since: 1_000, checkedAt: 5_000 };

  it.each([
    ['begins with the first check of a working watch', undefined, { now: 7, current: true, heardAt: 5 }, 7],
    ['goes on while the watch works', seeing, { now: 6_000, current: true, heardAt: 5_500 }, 1_000],
    ['goes on for 90 s without an event', seeing, { now: 95_000, current: true, heardAt: 5_000 }, 1_000],
    ['ends after more than 90 s without one', seeing, { now: 95_001, current: true, heardAt: 5_000 }, undefined],
    ['ends with a failed list', seeing, { now: 6_000, current: false, heardAt: 6_000 }, undefined],
    ['does not begin before a list', undefined, { now: 6_000, current: true, heardAt: undefined }, undefined],
    [
      'begins anew after the end of a blindness',
      { since: undefined, checkedAt: 5_000 },
      { now: 6_000, current: true, heardAt: 6_000 },
      6_000,
    ],
    [
      'begins anew in a process that was suspended, whatever it has received since',
      seeing,
      { now: 300_000, current: true, heardAt: 300_000 },
      300_000,
    ],
  ])('the sight %s', (_, before, watch, since) => {
    expect(checkSight(before, watch)).toEqual({ since, checkedAt: watch.now });
  });
});

describe('contactOf', () => {
  it.each([
    ['a renewal a minute ago', 10 * MINUTE, { ageMs: MINUTE, renewed: true, stage: 'heard' }],
    ['a renewal two minutes ago', 9 * MINUTE, { ageMs: 2 * MINUTE, renewed: true, stage: 'silent' }],
    ['a renewal three minutes ago', 8 * MINUTE, { ageMs: 3 * MINUTE, renewed: true, stage: 'unknown' }],
    ['a renewal four minutes ago', 7 * MINUTE, { ageMs: 4 * MINUTE, renewed: true, stage: 'lost' }],
    ['a renewal before the sight began', 1 * MINUTE, { ageMs: 6 * MINUTE, renewed: false, stage: 'lost' }],
    ['no renewal', undefined, { ageMs: 6 * MINUTE, renewed: false, stage: 'lost' }],
  ])('after %s the contact is counted from it, or from the begin of the sight', (_, renewedAt, contact) => {
    expect(contactOf(renewedAt, 5 * MINUTE, 11 * MINUTE, MINUTE)).toEqual(contact);
  });

  it('the lease duration of the cluster scales the stages', () => {
    expect(contactOf(0, 0, 39_999, 10_000).stage).toBe('unknown');
    expect(contactOf(0, 0, 40_000, 10_000).stage).toBe('lost');
  });
});
