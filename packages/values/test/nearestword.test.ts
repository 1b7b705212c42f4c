import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nearestWord } from '../src/nearestword.js';

describe('nearestWord', () => {
  const words = new Map([
    ['tier', 9],
    ['tiers', 3],
    ['Region', 2],
    ['topology.example.com/zone', 1],
    ['abc', 1],
    ['abd', 1],
  ]);

  it.each([
    ['teir', 'tier', 'Typo'],
    ['region', 'Region', 'OtherCase'],
    ['topology.example.com/zoen', 'topology.example.com/zone', 'Typo'],
    ['topolgy.exmple.com/zne', 'topology.example.com/zone', 'Typo'],
    ['tire', 'tier', 'Typo'],
    ['abe', 'abc', 'Typo'],
    ['tierss', 'tiers', 'Typo'],
  ])('the nearest word to %s is %s (%s)', (word, nearest, kind) => {
    expect(nearestWord(word, words)).toMatchObject({ word: nearest, kind });
  });

  it.each(['te', 'rank', 'topolgy.exmple.com/zn', 'x'.repeat(4_000)])('no word is near to %s', (word) => {
    expect(nearestWord(word, words)).toBeUndefined();
  });

  it('words that differ in case alone are found at any length, and the most frequent of equals wins', () => {
    const long = 'x'.repeat(500);
    const many = new Map([
      [`${long}Y`, 1],
      [`${long}y`, 2],
    ]);

    expect(nearestWord(`${long.toUpperCase()}Y`, many)).toEqual({ kind: 'OtherCase', word: `${long}y`, carriers: 2 });
  });

  it('a key that two neighbouring characters were swapped in is found, wherever they are', () => {
    const someWord = fc.stringMatching(/^[a-z]{4,20}$/);
    fc.assert(
      fc.property(someWord, fc.nat(), (word, roll) => {
        const at = roll % (word.length - 1);
        const typo = word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
        fc.pre(typo !== word);
        expect(nearestWord(typo, new Map([[word, 1]]))?.word).toBe(word);
      }),
    );
  });
});
