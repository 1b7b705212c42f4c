import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import type { Thing } from './scriptedapi.js';
import { CacheRig } from './cacherig.js';

describe('a cache that is stopped', () => {
  async function expectQuiet(watched: CacheRig): Promise<void> {
    const calls = watched.api.calls.length;
    const changes = watched.changes.length;
    watched.api.put('late');
    await watched.clock.advance(600_000);
    await settle();

    expect(watched.api.calls).toHaveLength(calls);
    expect(watched.changes).toHaveLength(changes);
    expect(watched.api.watches.some((watch) => watch.open)).toBe(false);
    expect(watched.clock.pending).toBe(0);
  }

  it('a cache that is stopped during its list opens no watch', async () => {
    const watched = new CacheRig();
    watched.api.silence();
    watched.cache.start();
    await settle();
    await watched.cache.stop();

    expect(watched.api.opened).toEqual([]);
    await expectQuiet(watched);
  });

  it('a cache that is stopped while its watch is being opened delivers nothing', async () => {
    const watched = new CacheRig();
    watched.api.fail(async (call) => watched.api.page(call));
    watched.api.silence();
    watched.cache.start();
    await watched.until(() => watched.api.opened.length === 1);
    await watched.cache.stop();

    await expectQuiet(watched);
  });

  it('a cache that is stopped when connected ends its watch, without a failure', async () => {
    const watched = new CacheRig();
    await watched.begin();
    await watched.cache.stop();

    expect(watched.failures).toEqual([]);
    expect(watched.log.lines).toEqual([]);
    await expectQuiet(watched);
  });

  it('a cache that is stopped while it waits to try again does not try again', async () => {
    const watched = new CacheRig();
    watched.api.refuse(500);
    watched.cache.start();
    await watched.until(() => watched.failures.length === 1);
    await watched.cache.stop();

    await expectQuiet(watched);
  });

  it('a cache that is stopped in the middle of a burst of events delivers no more of them', async () => {
    const watched = new CacheRig();
    let stopped: Promise<void> | undefined;
    watched.cache.onChange(() => {
      if (watched.changes.length === 300) stopped = watched.cache.stop();
    });
    await watched.begin();
    for (let index = 0; index < 1_000; index++) watched.api.put(`a${index}`);
    await watched.until(() => stopped !== undefined);
    await stopped;

    expect(watched.changes).toHaveLength(300);
    await expectQuiet(watched);
  });

  it('a cache that is stopped cannot be started again', async () => {
    const watched = await new CacheRig().begin();
    await watched.cache.stop();

    expect(() => watched.cache.start()).toThrow('a stopped cache cannot be started again');
  });

  it('a cache that is stopped before it was started does nothing at all', async () => {
    const watched = new CacheRig();
    await watched.cache.stop();

    await expectQuiet(watched);
  });
});

it('a cache that is started twice lists and watches once', async () => {
  const watched = new CacheRig();
  watched.cache.start();
  await watched.begin();
  await settle();

  expect(watched.api.lists).toHaveLength(1);
  expect(watched.api.watches).toHaveLength(1);
  await watched.cache.stop();
});

type Step = (watched: CacheRig, name: string) => void;

/** What may happen in a second; the first two most often. */
const STEPS: readonly Step[] = [
  (watched, name) => void watched.api.put(name, { at: String(watched.clock.monotonic()) }),
  (watched, name) => (watched.api.has(name) ? watched.api.remove(name) : void watched.api.put(name)),
  (watched) => watched.api.watch.end(),
  (watched) => watched.api.watch.break(),
  (watched) => watched.api.watch.error(500, 'InternalError'),
  (watched) => watched.api.watch.sendBytes(Buffer.from('{"type":"ADD')),
  (watched) => watched.api.watch.sendBytes(Buffer.from('<html>\n')),
  (watched) => watched.api.compact(),
  (watched) => watched.api.refuse(503),
  (watched) => watched.api.refuse(429, 'TooManyRequests', 3_000),
  (watched) => watched.api.refuse(404),
  (watched) => watched.api.disconnect(),
  (watched, name) => {
    watched.api.remake(name);
    watched.api.watch.break();
  },
];

describe('ten minutes of random disconnects', () => {
  it('a cache has the objects of the server after ten minutes of random disconnects, with at most one request at a time', async () => {
    const seconds = fc.array(
      fc.record({ step: fc.nat(STEPS.length * 2), name: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
      { minLength: 600, maxLength: 600 },
    );
    await fc.assert(
      fc.asyncProperty(seconds, fc.integer(), fc.boolean(), async (happenings, seed, watchList) => {
        const watched = new CacheRig({ pageSize: 2, watchList }, undefined, Math.abs(seed % 100) / 100);
        watched.cache.start();
        for (const { step, name } of happenings) {
          if (watched.api.watches.length > 0) STEPS[step % 2 === 0 ? step / 2 : step % 2]?.(watched, name);
          await watched.clock.advance(1_000);
        }
        watched.api.calm();
        for (let second = 0; second < 120; second++) await watched.clock.advance(1_000);
        await settle();

        expect(new Set([...watched.cache.store.values()].map(whole))).toEqual(new Set(watched.api.truth().map(whole)));
        expect(watched.cache.current()).toBe(true);
        expect(watched.api.most).toBe(1);
        await watched.cache.stop();
        expect(watched.clock.pending).toBe(0);
      }),
      { numRuns: 8 },
    );
  }, 600_000);
});

/** All that the server says of an object, as text. */
function whole({ metadata, data }: Thing): string {
  return JSON.stringify([metadata.name, metadata.uid, metadata.resourceVersion, data]);
}
