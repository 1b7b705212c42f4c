import { afterEach, describe, expect, it } from '@jest/globals';
import { settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { CacheRig } from './cacherig.js';

let watched: CacheRig;
afterEach(() => watched.cache.stop());

/** A cache that asks for the state as the first events of its watch, over an API with these objects. */
function rig(...names: readonly string[]): CacheRig {
  watched = new CacheRig({ watchList: true });
  for (const name of names) watched.api.put(name);
  return watched;
}

/** The resourceVersion that each watch starts from; undefined: from the state. */
function starts(): (string | undefined)[] {
  return watched.api.opened.map(({ query }) => query?.['resourceVersion']);
}

describe('a watch with initial events', () => {
  it('a watch with initial events is the only request: no list comes before it', async () => {
    await rig('a', 'b').begin();
    await watched.until(() => watched.cache.current());

    expect(watched.names).toEqual(['a', 'b']);
    expect(watched.take()).toEqual(['+a', '+b']);
    expect(watched.api.calls.map(({ query }) => query)).toEqual([
      {
        watch: 'true',
        allowWatchBookmarks: 'true',
        sendInitialEvents: 'true',
        resourceVersionMatch: 'NotOlderThan',
        timeoutSeconds: '300',
      },
    ]);
  });

  it('a watch with initial events continues with the changes after the state, in the same stream', async () => {
    await rig('a').begin();
    await watched.until(() => watched.cache.current());
    watched.api.put('b');
    watched.api.remove('a');
    await watched.until(() => watched.names.join() === 'b');

    expect(watched.take()).toEqual(['+a', '+b', '-a']);
    expect(watched.api.watches).toHaveLength(1);
  });

  it('a watch with initial events publishes nothing before the bookmark that ends the state', async () => {
    rig('a').api.sendsInitialEvents = false;
    await watched.begin();
    watched.api.watch.send('ADDED', watched.api.truth()[0]);
    watched.api.watch.bookmark('101');
    await settle();
    const before = [watched.names.length, watched.cache.current()];
    watched.api.watch.endInitialEvents('101');
    await watched.until(() => watched.cache.current());

    expect(before).toEqual([0, false]);
    expect(watched.take()).toEqual(['+a']);
  });

  it('a watch with initial events applies changes that come between these', async () => {
    rig('a', 'b').api.sendsInitialEvents = false;
    await watched.begin();
    for (const object of watched.api.truth()) watched.api.watch.send('ADDED', object);
    watched.api.put('a', { k: 'new' });
    watched.api.remove('b');
    watched.api.watch.endInitialEvents(watched.api.version);
    await watched.until(() => watched.cache.current());

    expect(watched.take()).toEqual(['+a']);
    expect(watched.cache.store.get('n/a')?.data).toEqual({ k: 'new' });
  });

  it('a watch with initial events is resumed from the resourceVersion of its last event or bookmark', async () => {
    await rig('a').begin();
    await watched.until(() => watched.cache.current());
    watched.api.put('b');
    await watched.until(() => watched.names.length === 2);
    watched.api.watch.break();
    await watched.within(3, () => watched.api.watches.length === 2);

    expect(starts()).toEqual([undefined, '102']);
    expect(watched.api.lists).toHaveLength(1); // of one object: has the server gone back?
  });

  it('a watch with initial events starts again when the resourceVersion is too old, and handlers get the difference', async () => {
    await rig('a', 'b').begin();
    await watched.until(() => watched.cache.current());
    watched.take();
    watched.api.live = false;
    watched.api.put('c');
    watched.api.remove('a');
    watched.api.watch.error(410, 'Expired');
    await watched.within(5, () => watched.names.join() === 'b,c');

    expect(watched.take()).toEqual(['-a', '+c']);
    expect(starts()).toEqual([undefined, undefined]);
    expect(watched.api.lists).toHaveLength(0);
  });

  it('a watch with initial events starts again after an hour', async () => {
    await rig('a').begin();
    await watched.until(() => watched.cache.current());
    const states = (): number => starts().filter((from) => from === undefined).length;
    const took = await watched.within(4_000, () => states() === 2);

    expect(took).toBeGreaterThanOrEqual(3_600);
    expect(watched.api.lists.every(({ query }) => query?.['limit'] === '1')).toBe(true);
  }, 60_000);

  it('a watch with initial events may be silent for 150 s once the state has come', async () => {
    await rig('a').begin();
    await watched.until(() => watched.cache.current());

    expect(await watched.within(160, () => watched.api.watches.length === 2)).toBeGreaterThanOrEqual(149);
  });

  it('a watch with initial events is not accepted with a state that is older than one observed before', async () => {
    await rig('a', 'b', 'c').begin();
    await watched.until(() => watched.cache.current());
    watched.api.live = false;
    watched.api.restore(50, ['a']);
    watched.api.watch.error(410, 'Expired');
    await watched.within(5, () => watched.failures.length === 2);

    expect(watched.failures).toEqual(['Gone', 'Unavailable']);
    expect(watched.names).toEqual(['a', 'b', 'c']);
    await watched.within(60, () => watched.names.join() === 'a');
  });

  it('a watch with initial events ends with the cache before the state has come', async () => {
    rig('a').api.sendsInitialEvents = false;
    await watched.begin();
    await watched.cache.stop();

    expect(watched.api.lists).toHaveLength(0);
    expect(watched.api.watch.open).toBe(false);
  });
});

describe('a server that does not send the state', () => {
  it.each<[string, string, () => void]>([
    ['does not know the parameter', 'Invalid', () => watched.api.refuse(422, 'Invalid')],
    ['has an error', 'Unavailable', () => watched.api.refuse(500, 'InternalError')],
    ['forbids to watch', 'Forbidden', () => watched.api.refuse(403, 'Forbidden')],
  ])('that %s is asked for a list at once, and counted as %s', async (_, kind, refuse) => {
    rig('a', 'b');
    refuse();
    watched.cache.start();
    await watched.until(() => watched.api.watches.length === 1 && watched.cache.current());

    expect(watched.names).toEqual(['a', 'b']);
    expect(watched.api.lists).toHaveLength(1);
    expect(starts()).toEqual([undefined, '102']);
    expect(watched.failures).toEqual([kind]);
  });

  it.each<[string, () => void]>([
    ['ends the watch', () => watched.api.watch.end()],
    ['breaks the connection', () => watched.api.watch.break()],
    ['sends an error', () => watched.api.watch.error(500, 'InternalError')],
    ['sends a line that is no event', () => watched.api.watch.sendBytes(Buffer.from('[]\n'))],
  ])('but %s in the middle of it is asked for a list at once, and nothing of the first is kept', async (_, end) => {
    rig('a').api.sendsInitialEvents = false;
    await watched.begin();
    watched.api.watch.send('ADDED', { metadata: { namespace: 'n', name: 'x', uid: 'x', resourceVersion: '90' } });
    await settle();
    end();
    await watched.until(() => watched.cache.current());

    expect(watched.take()).toEqual(['+a']);
    expect(watched.api.lists).toHaveLength(1);
  });

  it('a server that does not send the state and is silent is asked for a list after five seconds', async () => {
    rig('a').api.sendsInitialEvents = false;
    await watched.begin();
    const took = await watched.within(10, () => watched.cache.current());

    expect(took).toBe(5);
    expect(watched.names).toEqual(['a']);
  });

  it('a server that does not send the state is asked for lists from then on', async () => {
    rig('a').api.refuse(422, 'Invalid');
    watched.cache.start();
    await watched.until(() => watched.cache.current());
    watched.api.watch.error(410, 'Expired');
    await watched.within(5, () => watched.api.lists.length === 2);

    expect(starts().slice(0, 2)).toEqual([undefined, '101']);
    expect(watched.api.opened.filter(({ query }) => query?.['sendInitialEvents'] === 'true')).toHaveLength(1);
  });
});
