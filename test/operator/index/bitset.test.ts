import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Bitset } from '../../../src/operator/index/bitset.js';

const someNumbers = fc.array(fc.nat(200), { maxLength: 60 });

function bitsetOf(numbers: Iterable<number>): Bitset {
  const bits = new Bitset();
  for (const one of numbers) bits.add(one);
  return bits;
}

function ascending(numbers: Iterable<number>): number[] {
  return [...numbers].sort((a, b) => a - b);
}

describe('Bitset', () => {
  it('a set of bits equals a set of numbers after any additions and removals', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(200), fc.boolean()), { maxLength: 80 }), (steps) => {
        const bits = new Bitset();
        const model = new Set<number>();
        for (const [index, present] of steps) {
          expect(bits.put(index, present)).toBe(model.has(index) !== present);
          if (present) model.add(index);
          else model.delete(index);
          expect(bits.has(index)).toBe(present);
        }
        expect([...bits.values()]).toEqual(ascending(model));
        expect(bits.size).toBe(model.size);
      }),
    );
  });

  it('a set of bits has the union and the intersection of sets, and does not change the other set', () => {
    fc.assert(
      fc.property(someNumbers, someNumbers, (left, right) => {
        const other = bitsetOf(right);
        const union = bitsetOf(left);
        union.addAll(other);
        const both = bitsetOf(left);
        both.keepAll(other);
        const common = new Set(left.filter((one) => right.includes(one)));

        expect([...union.values()]).toEqual(ascending(new Set([...left, ...right])));
        expect(union.size).toBe(new Set([...left, ...right]).size);
        expect([...both.values()]).toEqual(ascending(common));
        expect(both.size).toBe(common.size);
        expect([...other.values()]).toEqual(ascending(new Set(right)));
      }),
    );
  });

  it('a copy of a set of bits is independent of it', () => {
    const bits = bitsetOf([1, 31, 32, 64]);
    const copy = bits.copy();
    copy.delete(31);

    expect([...bits.values()]).toEqual([1, 31, 32, 64]);
    expect([...copy.values()]).toEqual([1, 32, 64]);
    expect(copy.size).toBe(3);
  });
});
