import { afterEach, describe, expect, it } from '@jest/globals';
import { CacheRig } from './cacherig.js';

let watched: CacheRig;
afterEach(() => watched.cache.stop());

describe('a cached object', () => {
  it('a cached object is frozen, deeply, and without managedFields', async () => {
    watched = new CacheRig();
    watched.api.put('a', { k: 'v' }, { managedFields: [{}], labels: { l: 'm' } } as object);
    await watched.begin();
    const stored = watched.cache.store.get('n/a');

    expect(stored?.metadata).not.toHaveProperty('managedFields');
    expect(stored).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { k: 'v' } });
    expect(
      [stored, stored?.metadata, stored?.metadata.labels, stored?.data].every((part) => Object.isFrozen(part)),
    ).toBe(true);
  });

  it('a cached object is what the transform makes of it', async () => {
    watched = new CacheRig({ transform: ({ data: _, ...rest }) => rest });
    watched.api.put('a', { k: 'v' });
    await watched.begin();
    watched.api.put('b', { k: 'v' });
    await watched.until(() => watched.names.length === 2);

    expect([...watched.cache.store.values()].map((one) => one.data)).toEqual([undefined, undefined]);
  });

  it('a cached object is stored unchanged when the transform throws', async () => {
    watched = new CacheRig({
      transform: (one) => {
        if (one.metadata.name === 'bad') throw new Error('cannot');
        return one;
      },
    });
    watched.api.put('bad');
    watched.api.put('good');
    await watched.begin();

    expect(watched.names).toEqual(['bad', 'good']);
    expect(watched.failures).toEqual(['broken']);
  });
});

describe('change handlers', () => {
  it('change handlers cannot end the loop by throwing', async () => {
    watched = new CacheRig();
    const received: string[] = [];
    watched.cache.onChange(() => {
      throw new Error('handler');
    });
    watched.cache.onChange((change) => void received.push(change.key));
    watched.cache.onState(() => {
      throw new Error('state');
    });
    watched.api.put('a');
    await watched.begin();
    watched.api.put('b');
    await watched.until(() => watched.names.length === 2);

    expect(received).toEqual(['n/a', 'n/b']);
    expect(watched.failures).toEqual(['broken', 'broken', 'broken']);
    expect(watched.cache.current()).toBe(true);
  });

  it('change handlers cannot be added after the start', async () => {
    watched = await new CacheRig().begin();

    expect(() => watched.cache.onChange(() => undefined)).toThrow('must be called before start');
  });

  it('change handlers observe the store after their change', async () => {
    watched = new CacheRig();
    const sizes: number[] = [];
    watched.cache.onChange(() => void sizes.push(watched.cache.store.size));
    await watched.begin();
    watched.api.put('a');
    watched.api.put('b');
    watched.api.remove('a');
    await watched.until(() => sizes.length === 3);

    expect(sizes).toEqual([1, 2, 1]);
  });
});
