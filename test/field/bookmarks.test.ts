/**
 * What people met: a proxy between a controller and its API server dropped bookmarks. A cache that asks for the state as the
 * first events of a watch waited for the bookmark that ends it, as long as somebody wrote the collection: it was never synced,
 * and nothing was said. Right: the wait is bounded, then the collection is listed and watched; one line in the log, one count.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { CacheRig } from '../runtime/cache/cacherig.js';

let hub: CacheRig;
afterEach(() => hub.cache.stop());

/** A cache whose watch has sent the state of one object, without the bookmark that ends it. */
async function withoutBookmark(): Promise<CacheRig> {
  hub = new CacheRig({ watchList: true });
  hub.api.put('a');
  hub.api.sendsInitialEvents = false;
  await hub.begin();
  hub.api.watch.send('ADDED', hub.api.truth()[0]);
  await settle();
  return hub;
}

/** Lets time pass, with a write in each second, until the cache is synced; the seconds that it took. */
async function secondsUntilSynced(write: (second: number) => void): Promise<number> {
  for (let second = 0; second < 600; second++) {
    if (hub.cache.current()) return second;
    write(second);
    await settle();
    await hub.clock.advance(1_000);
    for (let round = 0; round < 5; round++) await settle();
  }
  throw new Error('ten minutes, and not synced');
}

describe('a proxy that drops bookmarks', () => {
  it('a collection that is changed all the time is listed after five seconds', async () => {
    await withoutBookmark();

    expect(await secondsUntilSynced((second) => hub.api.put('a', { second: String(second) }))).toBeLessThanOrEqual(6);
    expect(hub.names).toEqual(['a']);
  });

  it('a collection in which objects are created all the time is listed after two minutes', async () => {
    await withoutBookmark();

    expect(await secondsUntilSynced((second) => hub.api.put(`b${second}`))).toBeLessThanOrEqual(121);
  });

  it('it is said once, and counted', async () => {
    await withoutBookmark();
    await secondsUntilSynced(() => hub.api.put('a', {}));
    await secondsUntilSynced(() => hub.api.put('a', {}));

    expect(hub.failures).toHaveLength(1);
    expect(hub.log.lines.filter(({ message }) => message.startsWith('the watch did not send the state'))).toHaveLength(
      1,
    );
  });

  it('a large state that is still coming is not cut off', async () => {
    await withoutBookmark();
    for (let second = 0; second < 100; second++) {
      hub.api.watch.send('ADDED', {
        metadata: { namespace: 'n', name: `c${second}`, uid: `c${second}`, resourceVersion: '9' },
      });
      await settle();
      await hub.clock.advance(1_000);
    }
    hub.api.watch.endInitialEvents(hub.api.version);
    await hub.until(() => hub.cache.current());

    expect(hub.api.lists).toHaveLength(0);
    expect(hub.names).toHaveLength(101);
  });

  it('without bookmarks later in the stream, a watch that has become too old is followed by a new state', async () => {
    hub = new CacheRig({ watchList: true });
    hub.api.put('a');
    await hub.begin();
    await hub.until(() => hub.cache.current());
    hub.api.live = false;
    hub.api.put('b');
    const took = await hub.within(600, () => hub.api.opened.length === 2);
    hub.api.watch.error(410, 'Expired');
    await hub.within(5, () => hub.names.join() === 'a,b');

    expect(took).toBeLessThanOrEqual(151);
  });
});
