import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readThreshold } from '../../src/domain/comparison.js';
import { contradictionIn } from '../../src/domain/placement/select/unmatched.js';
import { meets, type Requirement } from '../../src/domain/selectors.js';
import { comparison } from '../support/builders/requirements.js';

describe('a comparison', () => {
  /** Whether the value is smaller than the threshold, equal, or larger; `none` matches no operator. */
  it.each([
    ['4', '3', '>'],
    ['4', '4000m', '='],
    ['16Gi', '16G', '>'],
    ['0.35', '.350', '='],
    ['1e3', '1k', '='],
    ['-1', '0', '<'],
    ['9007199254740993', '9007199254740992', '>'],
    ['1e-805069125', '0', '>'],
    ['1.000000001e100', '1E99', '>'],
    ['9e307', '9E', '>'],
    ['9e307', '1e9999', '<'],
    ['1e309', '0', 'none'],
    ['-1e309', '0', 'none'],
    ['n/a', '0', 'none'],
    ['', '0', 'none'],
    ['v1.30', '1', 'none'],
    ['v1.30.2', 'v1.30', '>'],
    ['v1.30', 'v1.30.0', '='],
    ['v1.9.9', 'v1.30', '<'],
    ['v2.0', 'v1.30', '>'],
    ['v1.30.2-gke.100', 'v1.30.2', '='],
    ['v1.30.2+k3s1', 'v1.30.3', '<'],
    ['1.30', 'v1.30', 'none'],
    ['v1.30.2.1', 'v1.30', 'none'],
    ['v1', 'v1.30', 'none'],
    ['v1.9007199254740993', 'v1.9007199254740992', '>'],
    ['v1.030', 'v1.30', '='],
    [`v1.${'9'.repeat(400)}`, `v1.${'9'.repeat(399)}8`, '>'],
  ])('the value %s compared with the threshold %s is %s', (found, threshold, relation) => {
    const held = (['Gt', 'Ge', 'Lt', 'Le'] as const).filter((operator) => {
      return meets(comparison('cost', operator, threshold), { cost: found });
    });

    const expected = { '>': ['Gt', 'Ge'], '=': ['Ge', 'Le'], '<': ['Lt', 'Le'], none: [] };
    expect(held).toEqual(expected[relation as keyof typeof expected]);
  });

  it.each(['Gt', 'Ge', 'Lt', 'Le'] as const)('the operator %s does not match without the claim', (operator) => {
    expect(meets(comparison('cost', operator, '0'), {})).toBe(false);
  });

  it.each(['v1', 'v1.30.2-gke.100', 'v1.30.2.1', '1.30.2', 'cheap', '', ' 4', '4 cores', '1e-805069125', '.7E+100'])(
    'the text %j is no threshold',
    (text) => {
      expect(readThreshold(text)).toBeUndefined();
    },
  );
});

describe('comparisons of one key that contradict each other', () => {
  const among = (...requirements: readonly Requirement[]): readonly Requirement[] | undefined =>
    contradictionIn(requirements.map((requirement) => ({ source: 'claim', requirement })))?.map(
      (one) => one.requirement,
    );
  const is = (operator: 'In' | 'NotIn', values: readonly string[]): Requirement => {
    return { path: 'p', key: 'cost', operator, values };
  };
  const [gt5, lt3, ge5, le5] = (
    [
      ['Gt', '5'],
      ['Lt', '3'],
      ['Ge', '5'],
      ['Le', '5'],
    ] as const
  ).map(([operator, threshold]) => comparison('cost', operator, threshold)) as [
    Requirement,
    Requirement,
    Requirement,
    Requirement,
  ];

  it.each([
    ['more than 5 and less than 3', [gt5, lt3], true],
    ['at least 5 and at most 5', [ge5, le5], false],
    ['more than 5 and at most 5', [gt5, le5], true],
    ['more than 5, and one of 4 and 5', [gt5, is('In', ['4', '5'])], true],
    ['more than 5, and one of 4 and 6', [gt5, is('In', ['4', '6'])], false],
    ['more than 5, but not 6', [gt5, is('NotIn', ['6'])], false],
    ['a number and a version', [gt5, comparison('cost', 'Gt', 'v1.30')], true],
    [
      'a version of at least v1.30 that is less than v1.30.1',
      [comparison('cost', 'Ge', 'v1.30'), comparison('cost', 'Lt', 'v1.30.1')],
      false,
    ],
    ['a version less than v0.0', [comparison('cost', 'Lt', 'v0.0'), comparison('cost', 'Le', 'v9.0')], true],
    ['a version less than v1.0', [comparison('cost', 'Lt', 'v1.0'), comparison('cost', 'Le', 'v9.0')], false],
  ])('whether %s contradict each other is found', (_what, requirements, contradicts) => {
    expect(among(...requirements) !== undefined).toBe(contradicts);
  });

  it('comparisons that some value meets never count as a contradiction', () => {
    const someNumber = fc.tuple(fc.nat(4), fc.constantFrom('', '.5', 'k')).map(([whole, rest]) => `${whole}${rest}`);
    const someComparison = fc
      .tuple(fc.constantFrom('Gt', 'Ge', 'Lt', 'Le'), someNumber)
      .map(([operator, threshold]) => comparison('cost', operator as 'Gt', threshold));
    fc.assert(
      fc.property(fc.array(someComparison, { minLength: 2, maxLength: 4 }), someNumber, (requirements, value) => {
        if (requirements.every((one) => meets(one, { cost: value }))) expect(among(...requirements)).toBeUndefined();
      }),
    );
  });
});
