import { describe, expect, it } from '@jest/globals';
import { readRelease, isReleased, leftOf } from '../../../../src/domain/placement/spec/budget.js';
import { compileSpec } from '../../../../src/domain/placement/spec/predicates.js';

function budgetOf(disruptionBudget: unknown): ReturnType<typeof compileSpec> {
  return compileSpec({ disruptionBudget });
}

describe('spec.disruptionBudget', () => {
  it.each([
    [{ maxRemovals: 0 }, 'clusters', 0, 3600],
    [{ maxRemovals: 2_147_483_647, windowSeconds: 60 }, 'clusters', 2_147_483_647, 60],
    [{ maxRemovals: '0%', windowSeconds: 604_800 }, 'percent', 0, 604_800],
    [{ maxRemovals: '10%', windowSeconds: null }, 'percent', 10, 3600],
    [{ maxRemovals: '100%' }, 'percent', 100, 3600],
  ])('%j is read', (value, unit, number, windowSeconds) => {
    expect(budgetOf(value)).toMatchObject({
      problem: undefined,
      budget: { maxRemovals: { unit, value: number }, windowSeconds },
    });
  });

  it('a spec without it has no budget', () => {
    expect(budgetOf(undefined)).toMatchObject({ problem: undefined, budget: undefined });
    expect(budgetOf(null)).toMatchObject({ problem: undefined, budget: undefined });
  });

  const amount = 'a whole number from 0 to 2147483647 without quotes, or a percentage from 0% to 100%';
  it.each([
    [{ maxAdditions: '101%' }, 'maxAdditions', `"101%" is not ${amount}`],
    [{ maxRemovals: -1 }, 'maxRemovals', `-1 is not ${amount}`],
    [{ maxRemovals: 1.5 }, 'maxRemovals', `1.5 is not ${amount}`],
    [{ maxRemovals: '3' }, 'maxRemovals', `"3" is not ${amount}`],
    [{ maxRemovals: '101%' }, 'maxRemovals', `"101%" is not ${amount}`],
    [{ maxRemovals: '05%' }, 'maxRemovals', `"05%" is not ${amount}`],
    [{ maxRemovals: '1.5%' }, 'maxRemovals', `"1.5%" is not ${amount}`],
    [{ maxRemovals: true }, 'maxRemovals', `true is not ${amount}`],
    [{ maxRemovals: 1, windowSeconds: 59 }, 'windowSeconds', '59 is not a whole number from 60 to 604800'],
    [{ maxRemovals: 1, windowSeconds: 604_801 }, 'windowSeconds', '604801 is not a whole number from 60 to 604800'],
    [{ maxRemovals: 1, windowSeconds: '1h' }, 'windowSeconds', '"1h" is not a whole number from 60 to 604800'],
  ])('%j is a problem of its field', (value, field, message) => {
    expect(budgetOf(value).problem).toEqual({ field: `spec.disruptionBudget.${field}`, message });
  });
});

describe('a budget with one bound', () => {
  it('maxAdditions alone bounds additions alone', () => {
    expect(budgetOf({ maxAdditions: '20%' })).toMatchObject({
      problem: undefined,
      budget: { maxRemovals: undefined, maxAdditions: { unit: 'percent', value: 20 }, windowSeconds: 3600 },
    });
  });

  it('a budget that bounds nothing is a problem', () => {
    expect(budgetOf({ windowSeconds: 60 }).problem).toEqual({
      field: 'spec.disruptionBudget',
      message: '{"windowSeconds":60} bounds nothing: maxRemovals or maxAdditions is required',
    });
  });
});

describe('what is left of a limit', () => {
  it.each([
    [{ unit: 'percent', value: 100 }, 9, undefined, 0],
    [{ unit: 'percent', value: 0 }, 9, undefined, 0],
    [{ unit: 'clusters', value: 3 }, 9, undefined, 0],
    [{ unit: 'percent', value: 15 }, 10, 1, 1],
  ] as const)('of %j of %d clusters after %p is %d', (limit, base, used, left) => {
    expect(leftOf(limit, base, used)).toBe(left);
  });
});

describe('annotation allow-removals', () => {
  const until = Date.parse('2026-11-22T10:10:00Z');

  it('names release these clusters until the time', () => {
    const release = readRelease('2026-11-22T10:10:00Z/a, b');

    expect(isReleased(release, 'a', until - 1)).toBe(true);
    expect(isReleased(release, 'b', until - 1)).toBe(true);
    expect(isReleased(release, 'c', until - 1)).toBe(false);
    expect(isReleased(release, 'a', until)).toBe(false);
  });

  it('a star releases every cluster until the time, in any zone', () => {
    const release = readRelease('2026-11-22T11:10:00.5+01:00/*');

    expect(isReleased(release, 'anything', until + 499)).toBe(true);
    expect(isReleased(release, 'anything', until + 500)).toBe(false);
  });

  it.each([undefined, '', '*', '2026-11-22T10:10:00Z', 'tomorrow/*', '2026-11-22/*', '2026-13-22T10:10:00Z/*'])(
    '%p releases nothing',
    (text) => {
      expect(isReleased(readRelease(text), 'a', 0)).toBe(false);
    },
  );
});
