import { describe, expect, it } from '@jest/globals';
import { collected, collectionEnd, type Collection } from '../../../../src/domain/placement/select/waiting.js';

const window = { quietMs: 2_000, mostMs: 30_000 };
const names = (count: number): ReadonlySet<string> => new Set(Array.from({ length: count }, (_, index) => `c${index}`));

describe('the collection of removals', () => {
  it('ends when nothing has changed for a moment, and another cluster begins the moment again', () => {
    const first = collected(undefined, names(1), 0);
    const same = collected(first, names(1), 1_500);
    const second = collected(same, names(2), 1_900);

    expect([first, same, second].map((one) => collectionEnd(one, window))).toEqual([2_000, 2_000, 3_900]);
  });

  it('ends when another cluster takes the place of one, as for one more', () => {
    expect(collectionEnd(collected(collected(undefined, new Set(['a']), 0), new Set(['b']), 500), window)).toBe(2_500);
  });

  it('ends at the latest after its longest time, whatever changes', () => {
    let collection: Collection | undefined;
    for (let now = 0; now <= 29_000; now += 1_000) collection = collected(collection, names(now / 1_000), now);

    expect(collection && collectionEnd(collection, window)).toBe(30_000);
  });
});
