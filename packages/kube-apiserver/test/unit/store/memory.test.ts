import { describe, expect, it } from '@jest/globals';
import { memoryStore } from '../../../src/store/open.js';
import { Compacted, type Change, type Store } from '../../../src/store/store.js';
import { ManualClock } from '../../../testing/clock.js';
import { put, remove, entryTexts, thing, changeTexts } from './things.js';

function open(): Store {
  return memoryStore({ clock: new ManualClock(), frozen: true });
}

describe('a store in memory', () => {
  it('a new store is empty, at revision 1', () => {
    const store = open();

    expect(store.revision).toBe(1);
    expect(store.list('things', '')).toEqual([]);
    expect(store.get('things', 'a')).toBeUndefined();
    expect(store.collections()).toEqual([]);
  });

  it('a write gets the next revision, and is visible once it resolves', async () => {
    const store = open();
    const first = put(store, 'a', 'one');
    const second = put(store, 'a', 'two');

    expect(store.get('things', 'a')).toBeUndefined();
    expect(store.newest('things', 'a')?.revision).toBe(3);
    expect((await first).revision).toBe(2);
    expect((await second).revision).toBe(3);
    expect(store.get('things', 'a')?.object).toEqual(thing('a', 3, 'two'));
    expect(store.get('things', 'a')?.bytes.toString()).toBe(
      '{"apiVersion":"v1","kind":"Thing","metadata":{"name":"a","resourceVersion":"3"},"data":"two"}',
    );
    expect(store.revision).toBe(3);
  });

  it('a list by prefix is in order of code units', async () => {
    const store = open();
    for (const key of ['b/x', 'a/z', 'a-b/x', 'a/B', 'a/a', '\u{1F600}', '\uFFFD']) await put(store, key, 'd');

    expect(store.list('things', '').map((entry) => entry.key)).toEqual([
      'a-b/x',
      'a/B',
      'a/a',
      'a/z',
      'b/x',
      '\u{1F600}',
      '\uFFFD',
    ]);
    expect(store.list('things', 'a/').map((entry) => entry.key)).toEqual(['a/B', 'a/a', 'a/z']);
    expect(store.count('things')).toBe(7);
    expect(store.list('others', '')).toEqual([]);
  });

  it('a returned list never changes', async () => {
    const store = open();
    await put(store, 'a', 'one');
    const before = store.list('things', '');
    await put(store, 'a', 'two');
    await put(store, 'b', 'one');

    expect(entryTexts(before)).toEqual(['a@2=one']);
    expect(entryTexts(store.list('things', ''))).toEqual(['a@3=two', 'b@4=one']);
  });

  it('a list can be read at an earlier revision', async () => {
    const store = open();
    await put(store, 'a', 'one');
    await put(store, 'b', 'one');
    await put(store, 'a', 'two');
    await remove(store, 'b');
    await put(store, 'b', 'two');

    expect([1, 2, 3, 4, 5, 6].map((revision) => entryTexts(store.listAt('things', '', revision)))).toEqual([
      [],
      ['a@2=one'],
      ['a@2=one', 'b@3=one'],
      ['a@4=two', 'b@3=one'],
      ['a@4=two'],
      ['a@4=two', 'b@6=two'],
    ]);
    expect(entryTexts(store.listAt('things', 'b', 4))).toEqual(['b@3=one']);
  });

  it('a watcher gets the changes since its revision, then new ones, each once', async () => {
    const store = open();
    await put(store, 'a', 'one');
    await put(store, 'a', 'two');
    const changes: Change[] = [];
    const early = put(store, 'b', 'one');
    const subscription = store.watch('things', 2, (change) => changes.push(change));
    expect(changeTexts(changes)).toEqual(['3 put a=two was 2']);
    await early;
    await remove(store, 'a');
    subscription.end();
    await put(store, 'c', 'one');

    expect(changeTexts(changes)).toEqual(['3 put a=two was 2', '4 put b=one was new', '5 remove a=gone was 3']);
  });

  it('a watcher of a future revision gets nothing before it', async () => {
    const store = open();
    const changes: Change[] = [];
    store.watch('things', 3, (change) => changes.push(change));
    for (const key of ['a', 'b', 'c']) await put(store, key, 'd');

    expect(changeTexts(changes)).toEqual(['4 put c=d was new']);
  });

  it('a write builds upon accepted writes, deletions included', async () => {
    const store = open();
    const first = put(store, 'a', 'one');
    const second = remove(store, 'a');
    const third = put(store, 'a', 'two');
    const fourth = remove(store, 'a');
    expect(store.newest('things', 'a')).toBeUndefined();
    await first;
    expect(store.newest('things', 'a')).toBeUndefined();
    await Promise.all([second, third, fourth]);

    expect(store.newest('things', 'a')).toBeUndefined();
    expect(store.revision).toBe(5);
  });

  it('a write whose object cannot be built changes nothing', async () => {
    const store = open();
    await expect(
      store.put('things', 'a', () => {
        throw new Error('no such luck');
      }),
    ).rejects.toThrow('no such luck');
    expect(store.newest('things', 'a')).toBeUndefined();
    expect((await put(store, 'a', 'one')).revision).toBe(2);
  });

  it("an object above etcd's size limit is refused", async () => {
    const store = open();
    await expect(put(store, 'a', 'x'.repeat(1536 * 1024))).rejects.toMatchObject({
      code: 500,
      message: 'etcdserver: request is too large',
    });
    expect(store.newest('things', 'a')).toBeUndefined();
  });

  it('a compaction drops the history before it', async () => {
    const store = open();
    await put(store, 'a', 'one');
    await put(store, 'a', 'two');
    store.compact();

    expect(store.oldest('things')).toBe(3);
    expect(store.oldest('others')).toBe(3);
    expect(() => store.listAt('things', '', 2)).toThrow(new Compacted(2, 3));
    expect(() => store.watch('others', 2, () => undefined)).toThrow('revision 2 is compacted: the oldest is 3');
    expect(entryTexts(store.listAt('things', '', 3))).toEqual(['a@3=two']);
  });

  it('a store resolves when an accepted write is durable', async () => {
    const store = open();
    const write = put(store, 'a', 'one');
    await store.durable(2);
    expect(store.revision).toBe(2);
    await write;
    await expect(store.durable(3)).rejects.toMatchObject({ code: 503 });
  });

  it('a closing store writes what was accepted, and refuses later writes', async () => {
    const store = open();
    const write = put(store, 'a', 'one');
    await store.close();
    expect((await write).revision).toBe(2);
    await expect(put(store, 'b', 'one')).rejects.toMatchObject({ code: 503, message: 'the store is closed' });
  });
});

describe('history', () => {
  it('history is kept for five minutes', async () => {
    const clock = new ManualClock();
    const store = memoryStore({ clock });
    await put(store, 'a', 'one');
    await clock.advance(200_000);
    await put(store, 'a', 'two');
    await clock.advance(100_000);
    await put(store, 'a', 'three');
    expect(store.oldest('things')).toBe(1);
    await clock.advance(1);
    await put(store, 'a', 'four');

    expect(store.oldest('things')).toBe(2);
    expect(entryTexts(store.listAt('things', '', 2))).toEqual(['a@2=one']);
  });

  it('the history of an unchanged collection is dropped when others change', async () => {
    const clock = new ManualClock();
    const store = memoryStore({ clock });
    await put(store, 'a', 'one');
    await clock.advance(300_001);
    await store.put('others', 'a', (revision) => thing('a', revision, 'one'));

    expect(store.oldest('things')).toBe(2);
    expect(store.oldest('others')).toBe(1);
  });

  it('history retains only its limits, however long the store runs', async () => {
    const store = memoryStore({ clock: new ManualClock(), limits: { history: { bytes: 20_000, age: 300_000 } } });
    for (let count = 0; count < 500; count++) await put(store, `k${count % 7}`, `${count}`);
    const oldest = store.oldest('things');
    const changes: Change[] = [];
    store.watch('things', oldest, (change) => changes.push(change));

    expect(oldest).toBeGreaterThan(400);
    expect(changes.map(({ revision }) => revision)).toEqual(
      Array.from({ length: 501 - oldest }, (_, index) => oldest + index + 1),
    );
  });

  it('history stays within its bytes, for each collection', async () => {
    const store = memoryStore({ clock: new ManualClock(), limits: { history: { bytes: 5_000, age: 300_000 } } });
    await store.put('others', 'a', (revision) => thing('a', revision, 'one'));
    for (let count = 0; count < 20; count++) await put(store, 'a', 'x'.repeat(1_000));

    expect(store.oldest('others')).toBe(1);
    expect(store.oldest('things')).toBe(19);
  });
});
