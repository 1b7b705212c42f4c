import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hash64, hex64 } from '../../../../src/domain/hash.js';
import {
  byRank,
  clusterHash,
  matchedClusters,
  pairHash,
  seedOf,
  topRanked,
} from '../../../../src/domain/placement/select/rank.js';
import { names } from '../../../support/builders/placement.js';

/** FNV-1a by the book, with big integers. */
function reference(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text, 'utf8')) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

describe('hash64', () => {
  it.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
  ])('the hash of %j is the published FNV-1a value', (text, value) => {
    expect(hex64(hash64(text))).toBe(value);
  });

  it('the hash is FNV-1a of the UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => expect(hex64(hash64(text))).toBe(reference(text))),
    );
  });
});

describe('topRanked', () => {
  const seed = seedOf('team', 'web');
  const order = (list: readonly string[], by = seed): string[] =>
    topRanked(matchedClusters(list), Infinity, by).map((one) => one.name);

  it('the ranking is the same in all versions of the program', () => {
    expect(order(['alpha', 'beta', 'delta', 'epsilon', 'gamma', 'zeta'])).toEqual(GOLDEN);
  });

  it('the ranking equals the begin of a full sort, for any limit and order', () => {
    const list = fc.uniqueArray(fc.string({ maxLength: 6 }), { maxLength: 60 });
    fc.assert(
      fc.property(list, fc.nat(70), fc.string(), (candidates, limit, name) => {
        const by = seedOf('team', name);
        const sorted = candidates.map((one) => ({ name: one, pairHash: pairHash(by, clusterHash(one)) })).sort(byRank);

        expect(topRanked(matchedClusters([...candidates].reverse()), limit, by)).toEqual(sorted.slice(0, limit));
      }),
    );
  });

  it('the ranking breaks a tie by name', () => {
    const tied = ['c', 'a', 'd', 'b'].map((name) => ({ name, hash: 7 }));

    expect(topRanked(tied, 3, seed).map((one) => one.name)).toEqual(['a', 'b', 'c']);
  });

  it.each([0, -1])('the ranking is empty with a limit of %i', (limit) => {
    expect(topRanked(matchedClusters(['a']), limit, seed)).toEqual([]);
  });

  it('the ranking spreads Placements evenly over the fleet', () => {
    const fleet = names(20);
    const chosen = new Map(fleet.map((name) => [name, 0]));
    for (let placement = 0; placement < 2000; placement++) {
      const [first = ''] = order(fleet, seedOf('team', `web-${placement}`));
      chosen.set(first, (chosen.get(first) ?? 0) + 1);
    }

    expect(Math.min(...chosen.values())).toBeGreaterThan(60);
    expect(Math.max(...chosen.values())).toBeLessThan(145);
  });

  it('the ranking of other clusters does not change when one is added or removed', () => {
    const fleet = names(30);
    const before = order(fleet);

    for (const gone of fleet)
      expect(order(fleet.filter((name) => name !== gone))).toEqual(before.filter((name) => name !== gone));
  });

  it('the ranking depends on the namespace and on the name', () => {
    const fleet = names(30);

    expect(order(fleet, seedOf('team', 'api'))).not.toEqual(order(fleet));
    expect(order(fleet, seedOf('other', 'web'))).not.toEqual(order(fleet));
  });
});

const GOLDEN = ['beta', 'epsilon', 'delta', 'gamma', 'alpha', 'zeta'];
