import { describe, expect, it } from '@jest/globals';

import {
  brakedScopes,
  brakeCause,
  isSilentScope,
  NO_BRAKE,
  stepBrake,
  taintsAllowed,
  type BrakeState,
  type ScopeCount,
} from '../../../src/domain/health/brake.js';

const MINUTE = 60_000;
const ONE = { sets: ['prod'], leaseDurationMs: MINUTE };

/** Steps the brake every minute, once for each number of silent clusters out of `joined`. */
function fleetOf(joined: number, silent: readonly number[], observedSince = 0): BrakeState {
  return silent.reduce(
    (state, count, minute) =>
      stepBrake(state, { now: minute * MINUTE, observedSince, fleet: { joined, silent: count }, sets: new Map() }),
    NO_BRAKE,
  );
}

function setsOf(counts: readonly (ScopeCount | undefined)[]): BrakeState {
  return counts.reduce<BrakeState>(
    (state, count, minute) =>
      stepBrake(state, {
        now: minute * MINUTE,
        observedSince: 0,
        fleet: { joined: 100, silent: 0 },
        sets: count === undefined ? new Map() : new Map([['prod', count]]),
      }),
    NO_BRAKE,
  );
}

describe('isSilentScope', () => {
  it.each([
    [0, 0, false],
    [1, 0, false],
    [1, 1, true],
    [2, 1, false],
    [2, 2, true],
    [3, 2, false],
    [3, 3, true],
    [5, 2, false],
    [5, 3, true],
    [6, 3, false],
    [6, 4, true],
    [1000, 500, false],
    [1000, 501, true],
  ])('of %i joined clusters %i silent ones make a silent scope: %s', (joined, silent, expected) => {
    expect(isSilentScope({ joined, silent })).toBe(expected);
  });
});

describe('the brake of the fleet', () => {
  it('the brake of the fleet holds all clusters while more than half is silent', () => {
    expect(brakeCause(fleetOf(10, [5]), ONE, 0)).toBeUndefined();
    expect(brakeCause(fleetOf(10, [6]), ONE, 0)).toEqual({ scope: 'fleet' });
    expect(brakedScopes(fleetOf(10, [6]), 0)).toEqual(['fleet']);
  });

  it('the brake of the fleet holds them on while more than 40 % is silent', () => {
    expect(brakeCause(fleetOf(10, [6, 5, 5, 5, 5, 5, 5]), ONE, 6 * MINUTE)).toEqual({ scope: 'fleet' });
  });

  it('the brake of the fleet ends after three minutes at 40 % or less, with two lease durations more for the silent', () => {
    expect(brakeCause(fleetOf(10, [6, 4, 4, 4]), ONE, 3 * MINUTE)).toEqual({ scope: 'fleet' });
    const recovered = fleetOf(10, [6, 4, 4, 4, 4]);
    expect(brakedScopes(recovered, 4 * MINUTE)).toEqual([]);
    expect(brakeCause(recovered, ONE, 6 * MINUTE - 1)).toEqual({ scope: 'recovered' });
    expect(brakeCause(recovered, ONE, 6 * MINUTE)).toBeUndefined();
    expect(brakeCause(recovered, { sets: [], leaseDurationMs: 5 * MINUTE }, 13 * MINUTE)).toEqual({
      scope: 'recovered',
    });
  });

  it('the brake of the fleet restarts the three minutes when more than 40 % is silent in between', () => {
    expect(brakeCause(fleetOf(10, [6, 4, 4, 5, 4, 4, 4]), ONE, 6 * MINUTE)).toEqual({ scope: 'fleet' });
  });

  it('the brake of the fleet restarts the three minutes after the observation was stale', () => {
    const recovered = fleetOf(10, [6, 4, 4]);
    const after = stepBrake(recovered, {
      now: 4.5 * MINUTE,
      observedSince: 4 * MINUTE,
      fleet: { joined: 10, silent: 0 },
      sets: new Map(),
    });
    expect(brakeCause(after, ONE, 4.5 * MINUTE)).toEqual({ scope: 'fleet' });
  });
});

describe('the brake of a set', () => {
  it('the brake of a set holds the members of a silent set for 15 minutes, and no other cluster', () => {
    const state = setsOf([{ joined: 4, silent: 3 }]);
    expect(brakedScopes(state, 0)).toEqual(['set prod']);
    expect(brakeCause(state, ONE, 15 * MINUTE - 1)).toEqual({ scope: 'set', set: 'prod' });
    expect(brakeCause(state, ONE, 15 * MINUTE)).toBeUndefined();
    expect(brakeCause(state, { ...ONE, sets: ['test'] }, 0)).toBeUndefined();
  });

  it('the brake of a set does not hold a set with fewer than three joined clusters', () => {
    expect(brakedScopes(setsOf([{ joined: 2, silent: 2 }]), 0)).toEqual([]);
  });

  it('the brake of a set counts the 15 minutes from the first silence while more than 40 % stays silent', () => {
    const state = setsOf([
      { joined: 10, silent: 6 },
      { joined: 10, silent: 5 },
      { joined: 10, silent: 6 },
    ]);
    expect(brakeCause(state, ONE, 15 * MINUTE)).toBeUndefined();
  });

  it.each([[{ joined: 10, silent: 4 }], [undefined]])('the brake of a set ends when %j is silent', (count) => {
    expect(brakedScopes(setsOf([{ joined: 10, silent: 6 }, count]), MINUTE)).toEqual([]);
  });
});

describe('taintsAllowed', () => {
  it.each([
    [10, [], 6],
    [10, [0, 0, 0, 0], 2],
    [10, [0, 0, 0, 0, 0, 0, 0], 0],
    [999, [], 9],
    [10_000, [1, 2], 98],
    [10, [-60_000, -59_999], 5],
  ])('of %i joined clusters, after taints at %j, %i more may be tainted', (joined, taintedAt, allowed) => {
    expect(taintsAllowed(taintedAt, joined, 0)).toBe(allowed);
  });
});
