import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ObjectStore } from '../../../src/runtime/cache/store.js';
import { Backoff } from '../../../src/runtime/cache/retries.js';
import type { Thing } from './scriptedapi.js';

function thing(name: string, tags: readonly string[] = [], version = '1', uid = `uid-${name}`): Thing {
  return { metadata: { namespace: 'n', name, uid, resourceVersion: version }, data: { tags: tags.join(' ') } };
}

const indexers = { tag: (one: Thing) => (one.data?.['tags'] ?? '').split(' ').filter((tag) => tag !== '') };
let failed: string[];
let store: ObjectStore<Thing>;
beforeEach(() => {
  failed = [];
  store = new ObjectStore<Thing>(indexers, (key) => void failed.push(key));
});
const names = (tag: string): string[] => store.byIndex('tag', tag).map((one) => one.metadata.name);

describe('an index', () => {
  it('an index finds objects by each of their values, sorted by key', () => {
    for (const one of [thing('c', ['x']), thing('a', ['x', 'y']), thing('b', ['y'])]) store.set(one);

    expect([names('x'), names('y'), names('z')]).toEqual([['a', 'c'], ['a', 'b'], []]);
  });

  it('an index follows changes and deletions', () => {
    store.set(thing('a', ['x']));
    store.set(thing('b', ['x']));
    expect(names('x')).toEqual(['a', 'b']);
    store.set(thing('a', ['y'], '2'));
    store.remove('n/b');

    expect([names('x'), names('y')]).toEqual([[], ['a']]);
  });

  it('an index gives the same list until something under the value changes', () => {
    store.set(thing('a', ['x']));
    const before = store.byIndex('tag', 'x');
    store.set(thing('b', ['y']));
    expect(store.byIndex('tag', 'x')).toBe(before);
    store.set(thing('c', ['x']));

    expect(store.byIndex('tag', 'x')).not.toBe(before);
    expect(before.map((one) => one.metadata.name)).toEqual(['a']);
  });

  it('an index sorts by code unit, not by language', () => {
    for (const name of ['b', 'B', 'ä', 'a10', 'a9']) store.set(thing(name, ['x']));

    expect(names('x')).toEqual(['B', 'a10', 'a9', 'b', 'ä']);
  });

  it('an index of an unknown name is an error that names it', () => {
    expect(() => store.byIndex('nothing', 'x')).toThrow('index: "nothing"');
  });

  it('an index that throws on an object does not find it, and all else goes on', () => {
    const fragile = new ObjectStore<Thing>(
      {
        bad: () => {
          throw new Error('cannot');
        },
        ...indexers,
      },
      (key) => void failed.push(key),
    );
    fragile.set(thing('a', ['x']));

    expect(fragile.byIndex('bad', 'x')).toEqual([]);
    expect(fragile.byIndex('tag', 'x')).toHaveLength(1);
    expect(fragile.size).toBe(1);
    expect(failed).toEqual(['n/a']);
  });

  it('an index always finds what a search through everything finds', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.record({ name, gone: fc.boolean(), tags: fc.uniqueArray(fc.constantFrom('x', 'y', 'z')) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const own = new ObjectStore<Thing>(indexers, () => undefined);
        for (const [version, { name: key, gone, tags }] of steps.entries()) {
          if (gone) own.remove(`n/${key}`);
          else own.set(thing(key, tags, String(version)));
          for (const tag of ['x', 'y', 'z']) {
            const expected = [...own.values()]
              .filter((one) => indexers.tag(one).includes(tag))
              .map((one) => one.metadata.name)
              .sort();
            expect(own.byIndex('tag', tag).map((one) => one.metadata.name)).toEqual(expected);
          }
        }
      }),
    );
  });
});

describe('replacing the content of a store', () => {
  const all = (...things: Thing[]): Map<string, Thing> => new Map(things.map((one) => [`n/${one.metadata.name}`, one]));

  it('replacing the content of a store returns the changes by key, uid and resourceVersion, and keeps what is the same', () => {
    const same = thing('same');
    for (const one of [same, thing('changed'), thing('remade'), thing('gone')]) store.set(one);
    const changes = [
      ...store.replace(all(thing('same'), thing('changed', [], '2'), thing('remade', [], '1', 'other'), thing('new'))),
    ];

    expect(changes.map(({ key, before, after }) => [key, before?.metadata.uid, after?.metadata.uid])).toEqual([
      ['n/gone', 'uid-gone', undefined],
      ['n/changed', 'uid-changed', 'uid-changed'],
      ['n/remade', 'uid-remade', 'other'],
      ['n/new', undefined, 'uid-new'],
    ]);
    expect(store.get('n/same')).toBe(same);
    expect([...store.values()].map((one) => one.metadata.name).sort()).toEqual(['changed', 'new', 'remade', 'same']);
  });

  it('replacing the content of a store by nothing removes all objects', () => {
    store.set(thing('a', ['x']));

    expect(Array.from(store.replace(new Map()), (change) => change.key)).toEqual(['n/a']);
    expect([store.size, names('x')]).toEqual([0, []]);
  });

  it('replacing the content of a store counts objects without a version as changed', () => {
    const bare: Thing = { metadata: { namespace: 'n', name: 'a' } };
    store.set(bare);

    expect([...store.replace(all({ metadata: { namespace: 'n', name: 'a' } }))]).toHaveLength(1);
  });
});

it('taking out what is not there changes nothing', () => {
  expect(store.remove('n/a')).toBeUndefined();
});

describe('the backoff between watches', () => {
  const short = { durationMs: 10, endedOnTimeout: false, atLeastMs: 0 };

  it('the backoff between watches doubles from one second to thirty, and begins again after progress', () => {
    const pace = new Backoff(() => 0);
    const waits = Array.from({ length: 7 }, () => pace.next(short));
    pace.reset();

    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(pace.next(short)).toBe(1_000);
  });

  it('the backoff between watches adds up to half by chance, and is at least what the server requests', () => {
    const pace = new Backoff(() => 0.98);

    expect(pace.next(short)).toBe(1_490);
    expect(pace.next({ ...short, atLeastMs: 60_000 })).toBe(60_000);
  });

  it('the backoff between watches is zero after a watch that ended on its timeout, a second after one that broke', () => {
    const pace = new Backoff(() => 0);
    pace.next(short);
    pace.next(short);

    expect(pace.next({ durationMs: 300_000, endedOnTimeout: true, atLeastMs: 0 })).toBe(0);
    expect(pace.next({ durationMs: 300_000, endedOnTimeout: false, atLeastMs: 0 })).toBe(1_000);
    expect(pace.next({ durationMs: 10, endedOnTimeout: true, atLeastMs: 0 })).toBe(2_000);
  });
});
