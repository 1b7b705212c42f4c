import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../src/api/meta.js';
import { isOlder, MutationCache } from '../../src/runtime/mutationcache.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

function object(resourceVersion: string, uid = 'u'): KubeObject {
  return { metadata: { name: 'x', uid, resourceVersion } };
}

describe('the newest known of an object', () => {
  it('is what was written, until the cache shows it or something newer', () => {
    const latest = new MutationCache(new ManualClock());
    latest.mutated('x', object('9'));

    expect(latest.newest('x', undefined)?.metadata.resourceVersion).toBe('9');
    expect(latest.newest('x', object('8'))?.metadata.resourceVersion).toBe('9');
    expect(latest.newest('x', object('10'))?.metadata.resourceVersion).toBe('10');
    expect(latest.size).toBe(0);
  });

  it('is nothing where the object was deleted, until the cache shows another', () => {
    const latest = new MutationCache(new ManualClock());
    latest.deleted('x', 'u');

    expect(latest.newest('x', object('8'))).toBeUndefined();
    expect(latest.newest('x', object('9', 'other'))?.metadata.uid).toBe('other');
  });

  it('is nothing once the cache has shown the end of what was written', () => {
    const latest = new MutationCache(new ManualClock());
    latest.mutated('x', object('9'));

    latest.observe({ key: 'x', before: object('9'), after: undefined });

    expect(latest.newest('x', undefined)).toBeUndefined();
    expect(latest.size).toBe(0);
  });

  it('outlives the end of an earlier object of the same name', () => {
    const latest = new MutationCache(new ManualClock());
    latest.mutated('x', object('9', 'new'));

    latest.observe({ key: 'x', before: object('3', 'old'), after: undefined });

    expect(latest.newest('x', undefined)?.metadata.uid).toBe('new');
  });

  it('is what the cache shows when that has not caught up for a minute', async () => {
    const clock = new ManualClock();
    const latest = new MutationCache(clock);
    latest.mutated('x', object('9'));

    await clock.advance(60_001);

    expect(latest.newest('x', undefined)).toBeUndefined();
  });

  it.each<[string, string | undefined, string | undefined, boolean]>([
    ['a smaller number is older', '9', '10', true],
    ['a greater one is not', '10', '9', false],
    ['the same is not', '9', '9', false],
    ['numbers beyond 2^53 are told apart', '9007199254740993', '9007199254740994', true],
    ['what is no number cannot be compared', 'a', 'b', false],
    ['what is missing cannot be compared', undefined, '9', false],
  ])('of two versions, %s', (_sentence, a, b, older) => {
    expect(isOlder(a, b)).toBe(older);
  });
});
