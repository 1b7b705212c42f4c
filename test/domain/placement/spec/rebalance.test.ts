import { describe, expect, it } from '@jest/globals';
import { compileSpec } from '../../../../src/domain/placement/spec/predicates.js';

describe('spec.rebalance', () => {
  it.each([
    [{ scoreMargin: 0 }, { scoreMargin: 0, minSelectedSeconds: 3600, intervalSeconds: 60 }],
    [
      { scoreMargin: 2.5, minSelectedSeconds: 0, intervalSeconds: 1 },
      { scoreMargin: 2.5, minSelectedSeconds: 0, intervalSeconds: 1 },
    ],
    [
      { scoreMargin: 20, minSelectedSeconds: null, intervalSeconds: 86_400 },
      { scoreMargin: 20, minSelectedSeconds: 3600, intervalSeconds: 86_400 },
    ],
    [undefined, undefined],
    [null, undefined],
  ])('%j is read', (value, rebalance) => {
    expect(compileSpec({ rebalance })).toMatchObject({ problem: undefined, rebalance });
    expect(compileSpec({ rebalance: value }).rebalance).toEqual(rebalance);
  });

  it.each([
    [{}, 'scoreMargin', 'is missing: a number from 0 to 2147483647 is required'],
    [{ scoreMargin: -1 }, 'scoreMargin', '-1 is not a number from 0 to 2147483647'],
    [{ scoreMargin: '20' }, 'scoreMargin', '"20" is not a number from 0 to 2147483647'],
    [{ scoreMargin: 1, minSelectedSeconds: -1 }, 'minSelectedSeconds', '-1 is not a whole number from 0 to 31536000'],
    [
      { scoreMargin: 1, minSelectedSeconds: '1h' },
      'minSelectedSeconds',
      '"1h" is not a whole number from 0 to 31536000',
    ],
    [{ scoreMargin: 1, intervalSeconds: 0 }, 'intervalSeconds', '0 is not a whole number from 1 to 86400'],
  ])('%j is a problem of its field', (value, field, message) => {
    expect(compileSpec({ rebalance: value }).problem).toEqual({ field: `spec.rebalance.${field}`, message });
  });
});
