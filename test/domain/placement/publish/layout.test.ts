import { describe, expect, it } from '@jest/globals';
import { layOut } from '../../../../src/domain/placement/publish/layout.js';
import type { FilledPiece } from '../../../../src/domain/placement/publish/pieces.js';
import { names } from '../../../support/builders/placement.js';

type Lists = readonly (readonly string[])[];

/** A piece, with the clusters that stay in its objects by ordinal, and those that are new in it. */
function piece(
  number: number,
  kept: Readonly<Record<number, readonly string[]>>,
  joining: readonly string[] = [],
): FilledPiece {
  const lists = new Map(Object.entries(kept).map(([ordinal, list]) => [Number(ordinal), list]));
  return { group: '', number, selected: 3, size: 1000, kept: lists, joining };
}

/** What the objects have then, by ordinal: `1 of 0: a b`, and which clusters leave them. `lists`: before, with `gone` and `blocked`. */
function laidOut(
  pieces: readonly FilledPiece[],
  lists: Lists,
  { gone = [], blocked = [] }: { gone?: readonly string[]; blocked?: readonly number[] } = {},
): readonly string[] {
  const staying = new Set(lists.flat().filter((name) => !gone.includes(name)));
  const layout = layOut(pieces, { lists, staying, isFree: (ordinal) => !blocked.includes(ordinal) });
  const length = Math.max(lists.length, layout.slots.length);
  return Array.from({ length }, (_, index) => {
    const [ordinal, list] = [index + 1, layout.slots[index] ?? []];
    const leaving = layout.leaving.has(ordinal) ? ` - ${[...(layout.leaving.get(ordinal) ?? [])].join(' ')}` : '';
    return `${ordinal} of ${layout.pieces.get(ordinal)?.index ?? 'none'}: ${list.join(' ')}${leaving}`;
  });
}

describe('layOut', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      'puts new clusters into the objects of their piece, and else into the first that is free',
      laidOut([piece(0, { 1: ['a'] }, ['b']), piece(1, {}, ['c'])], [['a']]),
      ['1 of 0: a b', '2 of 1: c'],
    ],
    [
      'leaves clusters where they are when groups are new',
      laidOut([piece(0, {}, ['a', 'b']), piece(1, {}, ['c'])], [['a', 'b'], ['c']]),
      ['1 of 0: a b', '2 of 1: c'],
    ],
    [
      'puts no other cluster into an object that some still leave',
      laidOut([piece(0, {}, ['a', 'd', 'n']), piece(1, {}, ['c'])], [['a', 'c'], ['d']]),
      ['1 of 0: a - c', '2 of 0: d n', '3 of 1: c'],
    ],
    [
      'puts others into an object that only clusters leave which are not selected any more',
      laidOut([piece(0, {}, ['a', 'n'])], [['a', 'x']], { gone: ['x'] }),
      ['1 of 0: a n'],
    ],
    [
      'takes an empty object of a piece that has another one',
      laidOut([piece(0, { 1: [], 2: ['a'] }), piece(1, {}, ['b'])], [[], ['a']]),
      ['1 of 1: b', '2 of 0: a'],
    ],
    [
      'keeps the first of the objects of a piece without clusters',
      laidOut([piece(0, { 1: [], 2: [] }), piece(1, { 3: ['a'] }, ['b'])], [[], [], ['a']]),
      ['1 of 0: ', '2 of none: ', '3 of 1: a b'],
    ],
    [
      'gives an object up that its piece cannot use for those that leave it',
      laidOut([piece(0, { 1: [] }, ['n']), piece(1, { 2: [] }, names(100))], [names(100), []]),
      [`1 of none:  - ${names(100).join(' ')}`, `2 of 1: ${names(100).join(' ')}`, '3 of 0: n'],
    ],
    [
      'passes over an object that cannot be written',
      laidOut([piece(0, {}, ['a'])], [['a']], { blocked: [1] }),
      ['1 of none:  - a', '2 of 0: a'],
    ],
  ])('%s', (_sentence, objects, expected) => {
    expect(objects).toEqual(expected);
  });

  it('fills an object up to a hundred, those that leave it included', () => {
    const before = [[...names(99), 'c'], []];
    const pieces = [piece(0, { 1: names(99) }, ['n']), piece(1, { 2: [] }, ['c'])];

    expect(laidOut(pieces, before)).toEqual([`1 of 0: ${names(99).join(' ')} - c`, '2 of 1: c', '3 of 0: n']);
    expect(laidOut(pieces, before, { gone: ['c'] })[0]).toBe(`1 of 0: ${[...names(99), 'n'].join(' ')}`);
  });

  it('has a spare piece for the first object where no cluster is selected', () => {
    expect(layOut([], { lists: [], staying: new Set(), isFree: () => true })).toEqual({
      slots: [],
      pieces: new Map(),
      spare: { group: '', number: 0, selected: 0, index: 0 },
      leaving: new Map(),
    });
  });
});
