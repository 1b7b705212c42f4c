import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ParsedCache, StoredEntry } from '../../../src/store/memory/entry.js';
import { KeyIndex } from '../../../src/store/memory/keyindex.js';
import { thing } from './things.js';

const cache = new ParsedCache(1000, true);

const key = fc.stringMatching(/^[ab/\uE000\u{1F600}]{1,4}$/u);
// Lists are rare, so that few or many keys change between two of them.
const operation = fc.oneof(
  { weight: 40, arbitrary: fc.record({ what: fc.constant('set' as const), key }) },
  { weight: 20, arbitrary: fc.record({ what: fc.constant('delete' as const), key }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('list' as const), key: fc.oneof(fc.constant(''), key) }) },
);

it('an index lists what was set and not deleted, in order, by prefix, and leaves earlier lists alone', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 400, size: 'max' }), (operations) => {
      const index = new KeyIndex();
      const model = new Map<string, number>();
      const lists: { listed: readonly { key: string; revision: number }[]; wanted: string }[] = [];
      operations.forEach(({ what, key: name }, revision) => {
        if (what === 'set') {
          index.set(StoredEntry.of(name, revision, thing(name, revision, ''), cache));
          model.set(name, revision);
        }
        if (what === 'delete') {
          index.delete(name);
          model.delete(name);
        }
        if (what === 'list')
          lists.push({
            listed: index.list(name),
            wanted: show([...model].filter(([one]) => one.startsWith(name)).sort(([a], [b]) => (a < b ? -1 : 1))),
          });
      });

      expect(lists.map(({ listed }) => show(listed.map((entry) => [entry.key, entry.revision])))).toEqual(
        lists.map(({ wanted }) => wanted),
      );
      expect(index.size).toBe(model.size);
      for (const name of model.keys()) expect(index.get(name)?.revision).toBe(model.get(name));
    }),
    { numRuns: 60 },
  );
});

function show(list: readonly (readonly [key: string, revision: number])[]): string {
  return list.map(([name, revision]) => `${name}@${revision}`).join(' ');
}
