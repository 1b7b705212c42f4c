import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseQuantity } from '@multicluster-engine/values/quantity';
import { amountOf } from '../../../../src/domain/placement/spec/prioritizers.js';

describe('a quantity as a number', () => {
  it.each([
    ['4', 4],
    ['0.35', 0.35],
    ['.5', 0.5],
    ['1.', 1],
    ['-1', -1],
    ['500m', 0.5],
    ['16Gi', 16 * 1024 ** 3],
    ['1.5Ki', 1536],
    ['1e3', 1000],
    ['2k', 2000],
    ['123456789012345678', 123456789012345680],
  ])('%s is %d', (text, amount) => {
    expect(amountOf(text)).toBe(amount);
  });

  it.each(['', 'n/a', '1 Gi', '1Gb', '0x10', 'Infinity', '1.2.3'])('%j is none', (text) => {
    expect(amountOf(text)).toBeUndefined();
  });

  it('whatever is a quantity of Kubernetes, and no larger than a number can be, is a number, and nothing else', () => {
    const characters = fc.constantFrom(...'0123456789.-+eEKMGTPimnuk '.split(''));
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 8 }), (text) => {
        const quantity = parseQuantity(text);
        const isNumber = quantity !== undefined && Number.isFinite(Number(`${quantity.nanos}e-9`));
        expect(amountOf(text) !== undefined).toBe(isNumber);
      }),
    );
  });

  it('equal quantities are equal numbers whatever suffix they have', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (count) => {
        expect(amountOf(`${count}m`)).toBe(amountOf((count / 1000).toFixed(3)));
        expect(amountOf(`${count}k`)).toBe(amountOf(`${count}000`));
        expect(amountOf(`${count}Ki`)).toBe(amountOf(String(count * 1024)));
        expect(amountOf(`${count}.5Mi`)).toBe(amountOf(`${count * 1024 + 512}Ki`));
      }),
    );
  });
});
