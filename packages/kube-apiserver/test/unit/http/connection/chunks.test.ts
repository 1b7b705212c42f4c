import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { lineOf, chunksOf } from '../../../../src/http/connection/chunks.js';
import type { Json } from '@multicluster-engine/values/json';

const LARGE = 'x'.repeat(20_000);

describe('the pieces of an answer', () => {
  it.each<[string, Json]>([
    ['a text', 'ü'],
    ['an object', { a: [1, { b: null }], metadata: {} }],
    ['an empty list', { kind: 'List', items: [] }],
    ['a list without items', { kind: 'List', items: null }],
    [
      'small and large items',
      { kind: 'List', apiVersion: 'v1', items: [1, { a: LARGE }, { b: 2 }, { c: LARGE }], more: { rows: [] } },
    ],
    ['a Table', { kind: 'Table', columnDefinitions: [], rows: [{ cells: ['a'] }, { cells: [LARGE] }] }],
    ['what has items and rows', { items: 'no', rows: [1], other: [2] }],
    ['members that are not there', { items: [{ a: undefined, b: 1 }], left: undefined }],
  ])('the chunks of %s are its JSON', (_name, value) => {
    expect(Buffer.concat([...chunksOf(value)]).toString('utf8')).toBe(`${JSON.stringify(value)}\n`);
  });

  it('the chunks of any list are its JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()), (more, items) => {
        const value: Json = JSON.parse(JSON.stringify({ ...more, items }));
        expect(Buffer.concat([...chunksOf(value)]).toString('utf8')).toBe(`${JSON.stringify(value)}\n`);
      }),
    );
  });

  it('chunks are made one by one, none much larger than an item', () => {
    const items = Array.from({ length: 5000 }, (_one, at) => ({ name: `item-${at}`, text: 'x'.repeat(100) }));
    const sizes = [...chunksOf({ items })].map((piece) => piece.length);

    expect(sizes.length).toBeGreaterThan(5);
    expect(Math.max(...sizes)).toBeLessThan(100_000);
  });

  it('the chunk of a large item is one buffer for all readers', () => {
    const item = { a: LARGE };
    const all = [chunksOf({ items: [item] }), chunksOf({ items: [item], kind: 'x' }), chunksOf(item), [lineOf(item)]];

    expect(new Set(all.map((pieces) => [...pieces].find((piece) => piece.length > LARGE.length)?.buffer)).size).toBe(1);
  });

  it('a line of a stream is one buffer for all readers', () => {
    const item = { a: 1 };

    expect(lineOf(item)).toBe(lineOf(item));
    expect(lineOf(item).toString()).toBe('{"a":1}\n');
  });
});
