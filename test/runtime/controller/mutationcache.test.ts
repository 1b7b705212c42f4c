import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { MutationCache } from '../../../src/runtime/controller/mutationcache.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

function object(resourceVersion: string, uid = 'u'): KubeObject {
  return { metadata: { name: 'x', uid, resourceVersion } };
}

describe('a mutation cache', () => {
  it('a mutation cache returns a written object until the watch cache has that version or a newer one', () => {
    const cache = new MutationCache(new ManualClock());
    cache.mutated('x', object('9'));

    expect(cache.newest('x', undefined)?.metadata.resourceVersion).toBe('9');
    expect(cache.newest('x', object('8'))?.metadata.resourceVersion).toBe('9');
    expect(cache.newest('x', object('10'))?.metadata.resourceVersion).toBe('10');
    // What was read is no sign that the watch cache has it.
    expect(cache.newest('x', undefined)?.metadata.resourceVersion).toBe('9');
  });

  it('a mutation cache returns nothing for a deleted object until the watch cache has another of the name', () => {
    const cache = new MutationCache(new ManualClock());
    cache.deleted('x', 'u');

    expect(cache.newest('x', object('8'))).toBeUndefined();
    expect(cache.newest('x', object('9', 'other'))?.metadata.uid).toBe('other');
  });

  it('a mutation cache drops a written object once the watch cache has delivered its deletion', () => {
    const cache = new MutationCache(new ManualClock());
    cache.mutated('x', object('9'));

    cache.observe({ key: 'x', before: object('9'), after: undefined });

    expect(cache.newest('x', undefined)).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  it('a mutation cache keeps a written object when an earlier object of the same name is deleted', () => {
    const cache = new MutationCache(new ManualClock());
    cache.mutated('x', object('9', 'new'));

    cache.observe({ key: 'x', before: object('3', 'old'), after: undefined });

    expect(cache.newest('x', undefined)?.metadata.uid).toBe('new');
  });

  it('a mutation cache returns the cached object when the watch cache has not caught up for a minute', async () => {
    const clock = new ManualClock();
    const cache = new MutationCache(clock);
    cache.mutated('x', object('9'));

    await clock.advance(60_001);

    expect(cache.newest('x', undefined)).toBeUndefined();
  });

  it.each<[string, KubeObject | undefined, KubeObject | undefined, boolean]>([
    ['the event of the write', object('8'), object('9'), false],
    ['an event before it', object('7'), object('8'), false],
    ['the deletion of an earlier object of the name', object('3', 'old'), undefined, false],
    ['a later change', object('9'), object('10'), true],
    ['the deletion of the written object', object('9'), undefined, true],
  ])(
    'a mutation cache after a write, %s is or is not a change by others (%#)',
    (_sentence, before, after, byOthers) => {
      const cache = new MutationCache(new ManualClock());
      cache.mutated('x', object('9'));

      expect(cache.observe({ key: 'x', before, after })).toBe(byOthers);
    },
  );

  it.each<[string, KubeObject | undefined, KubeObject | undefined, boolean]>([
    ['the event of the deletion', object('8'), undefined, false],
    ['an event before it', object('7'), object('8'), false],
    ['another object of the name', undefined, object('10', 'other'), true],
  ])(
    'a mutation cache after a deletion, %s is or is not a change by others (%#)',
    (_sentence, before, after, byOthers) => {
      const cache = new MutationCache(new ManualClock());
      cache.deleted('x', 'u');

      expect(cache.observe({ key: 'x', before, after })).toBe(byOthers);
    },
  );

  it('a mutation cache takes every change of an object that was not written for a change by others', () => {
    const cache = new MutationCache(new ManualClock());

    expect(cache.observe({ key: 'x', before: object('8'), after: object('9') })).toBe(true);
    expect(cache.observe({ key: 'x', before: object('9'), after: undefined })).toBe(true);
  });
});
