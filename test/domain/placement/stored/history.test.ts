import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  mergedHistory,
  nextHistory,
  readHistory,
  type History,
  type HistoryEntry,
} from '../../../../src/domain/placement/stored/history.js';

const KEY = 'cluster.fleetmgmt.io/history';

const NONE = { added: 0, removed: 0, repaired: 0 };

function kept(...entries: readonly HistoryEntry[]): History {
  return { entries, dropped: 0 };
}

function entry(minute: number, over: Partial<HistoryEntry> = {}): HistoryEntry {
  const time = new Date(Date.UTC(2026, 10, 22, 10, minute)).toISOString().replace('.000', '');
  return { time, trigger: 'ManagedCluster/a', added: [], removed: [], repaired: [], more: NONE, ...over };
}

const left = [{ cause: 'NotMatched', why: 'label tier=silver, wanted tier=gold', clusters: ['b'] }];

describe('the history of a decision object', () => {
  it('what is written is read, without what is empty', () => {
    const text = nextHistory(KEY, {}, kept(entry(0, { added: ['a'], removed: left })));

    expect(text).toBe(
      '{"entries":[{"time":"2026-11-22T10:00:00Z","trigger":"ManagedCluster/a","added":["a"],"removed":[{"cause":"NotMatched","why":"label tier=silver, wanted tier=gold","clusters":["b"]}]}]}',
    );
    expect(readHistory(text)).toEqual({ entries: [entry(0, { added: ['a'], removed: left })], dropped: 0 });
  });

  it.each([undefined, '{}', '{"entries":1}', '{"entries":[1,{}],"dropped":-1}'])(
    '%j is read without an error',
    (text) => {
      expect(readHistory(text).dropped).toBe(0);
    },
  );

  it.each(['', '{', '[]'])('%j, which is no history, counts as a change that is not kept', (text) => {
    expect(readHistory(text)).toEqual({ entries: [], dropped: 1 });
    expect(readHistory(nextHistory(KEY, { [KEY]: text }, kept(entry(0, { added: ['a'] })))).dropped).toBe(1);
  });

  it('the oldest entries go first, and are counted', () => {
    let text: string | undefined;
    for (let minute = 0; minute < 30; minute++)
      text = nextHistory(
        KEY,
        text === undefined ? {} : { [KEY]: text },
        kept(entry(minute, { added: [`c${minute}`] })),
      );
    const { entries, dropped } = readHistory(text);

    expect(dropped).toBe(10);
    expect(entries.map(({ added }) => added[0])).toEqual(Array.from({ length: 20 }, (_, index) => `c${index + 10}`));
  });

  it('an entry that is carried over twice is there once', () => {
    const text = nextHistory(KEY, {}, kept(entry(0, { added: ['a'] }))) ?? '';

    expect(
      readHistory(nextHistory(KEY, { [KEY]: text }, kept(entry(0, { added: ['a'] }), entry(1)))).entries,
    ).toHaveLength(2);
  });

  it('names that do not fit are counted', () => {
    const names = Array.from({ length: 100 }, (_, index) => `${String(index).padStart(3, '0')}-${'x'.repeat(249)}`);
    const text = nextHistory(
      KEY,
      {},
      kept(entry(0, { added: names, removed: [{ ...left[0], cause: 'Gone', why: 'was deleted', clusters: names }] })),
    );
    const [only] = readHistory(text).entries;
    const shown = (only?.added.length ?? 0) + (only?.removed[0]?.clusters.length ?? 0);

    expect(shown).toBeGreaterThan(0);
    expect(shown + (only?.more.added ?? 0) + (only?.more.removed ?? 0)).toBe(200);
  });

  it('it leaves room for what other annotations take', () => {
    const full = { note: 'x'.repeat(262_144 - 'note'.length - KEY.length - 200) };
    const one = kept(entry(0, { added: ['a'] }), entry(1, { added: ['b'] }), entry(2, { added: ['c'] }));
    const { entries, dropped } = readHistory(nextHistory(KEY, full, one));

    expect(entries.at(-1)?.added).toEqual(['c']);
    expect(entries.length + dropped).toBe(3);
    expect(dropped).toBeGreaterThan(0);
    const fuller = { note: 'x'.repeat(262_144 - 'note'.length - KEY.length - 40) };
    expect(readHistory(nextHistory(KEY, fuller, one))).toEqual({ entries: [], dropped: 3 });
    expect(nextHistory(KEY, { note: 'x'.repeat(262_100) }, one)).toBeUndefined();
  });

  it('is never larger than 4 KiB, whatever it is told', () => {
    const names = fc.array(fc.string({ maxLength: 253 }), { maxLength: 100 });
    const some = fc.record({ added: names, gone: names, why: fc.string({ maxLength: 200 }), minute: fc.nat(59) });
    const property = fc.property(fc.array(some, { maxLength: 25 }), (list) => {
      let annotations = {};
      for (const { added, gone, why, minute } of list) {
        const removed = gone.length === 0 ? [] : [{ cause: 'NotMatched', why, clusters: gone }];
        const text = nextHistory(KEY, annotations, kept(entry(minute, { added, removed })));
        expect(Buffer.byteLength(text ?? '')).toBeLessThanOrEqual(4_096);
        annotations = text === undefined ? {} : { [KEY]: text };
      }
    });
    fc.assert(property, { numRuns: 60 });
  });

  it('the changes of several objects at one time are one', () => {
    const merged = mergedHistory([
      { entries: [entry(0, { added: ['b'] }), entry(2, { added: ['c'] })], dropped: 1 },
      { entries: [entry(0, { added: ['a'], removed: left }), entry(1, { added: ['d'] })], dropped: 2 },
    ]);

    expect(merged.dropped).toBe(3);
    expect(merged.entries.map(({ added }) => added)).toEqual([['a', 'b'], ['d'], ['c']]);
    expect(merged.entries[0]?.removed).toEqual(left);
  });
});
