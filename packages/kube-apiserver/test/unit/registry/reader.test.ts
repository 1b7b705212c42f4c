import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@multicluster-engine/values/object';
import { createReader, keyOf } from '../../../src/registry/reader.js';
import { memoryStore } from '../../../src/store/open.js';
import { ManualClock } from '../../../testing/clock.js';

const object = (namespace: string, name: string) => (): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace },
});

describe('a reader', () => {
  it('the reader gets objects by namespace and name, and lists them by key', async () => {
    const store = memoryStore({ clock: new ManualClock() });
    const reader = createReader(store);
    for (const [namespace, name] of [
      ['b', 'x'],
      ['a', 'y'],
      ['a', 'x'],
      ['ab', 'z'],
    ] as const)
      await store.put('things', keyOf(namespace, name), object(namespace, name));
    await store.put('nodes', keyOf('', 'n'), object('', 'n'));
    expect(reader.get('things', 'a', 'y')?.metadata.name).toBe('y');
    expect(reader.get('nodes', '', 'n')?.metadata.name).toBe('n');
    expect(reader.get('things', 'a', 'z')).toBeUndefined();
    const names = (namespace?: string): unknown =>
      reader.list('things', namespace).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(names('a')).toEqual(['a/x', 'a/y']);
    expect(names()).toEqual(['a/x', 'a/y', 'ab/z', 'b/x']);
  });

  it('a watch reports existing objects before it returns, then changes until it is ended', async () => {
    const store = memoryStore({ clock: new ManualClock() });
    await store.put('things', 'a/x', object('a', 'x'));
    const events: string[] = [];
    const subscription = createReader(store).watch('things', ({ metadata }, type) =>
      events.push(`${type} ${metadata.name}`),
    );
    expect(events).toEqual(['put x']);
    await store.put('things', 'a/y', object('a', 'y'));
    await store.remove('things', 'a/x', object('a', 'x'));
    subscription.end();
    await store.put('things', 'a/z', object('a', 'z'));
    expect(events).toEqual(['put x', 'put y', 'remove x']);
  });
});
