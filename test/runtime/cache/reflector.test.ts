import { afterEach, describe, expect, it } from '@jest/globals';
import { errorFromResponse } from '../../../src/runtime/transport/apierror.js';
import { isFailure } from '../../../src/runtime/errors.js';
import { settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { CacheRig } from './cacherig.js';

let watched: CacheRig;
afterEach(() => watched.cache.stop());

describe('the first list', () => {
  it('the first list is read in pages and published at once', async () => {
    watched = new CacheRig({ pageSize: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) watched.api.put(name);
    await watched.begin();

    expect(watched.names).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(watched.take()).toEqual(['+a', '+b', '+c', '+d', '+e']);
    expect(watched.api.lists.map((call) => call.query?.['continue'])).toEqual([undefined, '105:2', '105:4']);
    expect(watched.api.lists.map((call) => call.query?.['limit'])).toEqual(['2', '2', '2']);
    expect(watched.cache.current()).toBe(true);
    expect(watched.cache.failure()).toBeUndefined();
  });

  it('the first list has not failed while it is under way', async () => {
    watched = new CacheRig();
    watched.cache.start();

    expect([watched.cache.current(), watched.cache.failure()]).toEqual([false, undefined]);
    await watched.begin();
  });

  it('the first list asks for pages of 100', async () => {
    watched = await new CacheRig().begin();

    expect(watched.api.lists.map((call) => call.query)).toEqual([{ limit: '100' }]);
  });

  it('the first list is followed by a watch from its resourceVersion, with the same selectors and bookmarks', async () => {
    watched = new CacheRig({ labelSelector: 'a=b', fieldSelector: 'metadata.name=x' });
    await watched.begin();

    expect(watched.api.lists[0]?.query).toEqual({
      labelSelector: 'a=b',
      fieldSelector: 'metadata.name=x',
      limit: '100',
    });
    expect(watched.api.watch.query).toEqual({
      labelSelector: 'a=b',
      fieldSelector: 'metadata.name=x',
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '100',
      timeoutSeconds: '300',
    });
  });

  it.each([
    [0, '300'],
    [0.5, '450'],
    [0.999999, '600'],
  ])('the first list asks by chance %d for a watch of %s seconds', async (chance, seconds) => {
    watched = await new CacheRig({}, undefined, chance).begin();

    expect(watched.api.watch.query['timeoutSeconds']).toBe(seconds);
  });

  it('the first list is followed by events even when it is older than them', async () => {
    watched = new CacheRig();
    watched.api.put('a');
    watched.api.fail(async (call) => {
      const page = watched.api.page(call);
      watched.api.put('b');
      watched.api.remove('a');
      return page;
    });
    await watched.begin();
    await watched.until(() => watched.names.join() === 'b');

    expect(watched.take()).toEqual(['+a', '+b', '-a']);
  });

  it('the first list is sent once by the transport: the reflector decides about retries', async () => {
    watched = await new CacheRig({ pageSize: 1 }).begin();

    expect(watched.api.calls.map((call) => call.attempts)).toEqual([1, 1]);
  });

  it('the first list that fails leaves the cache not synced, and is tried again', async () => {
    watched = new CacheRig();
    watched.api.put('a');
    watched.api.refuse(500, 'InternalError');
    watched.cache.start();
    await watched.until(() => watched.failures.length === 1);

    expect(watched.cache.current()).toBe(false);
    expect(isFailure(watched.cache.failure(), 'Unavailable')).toBe(true);
    await watched.within(2, () => watched.cache.current());
    expect(watched.names).toEqual(['a']);
  });

  it('the first list whose page token has expired is started again, and nothing of its first half is published', async () => {
    watched = new CacheRig({ pageSize: 2 });
    for (const name of ['a', 'b', 'c']) watched.api.put(name);
    watched.api.fail(async (call) => watched.api.page(call));
    watched.api.refuse(410, 'Expired');
    watched.cache.start();
    await watched.until(() => watched.failures.length === 1);
    const published = watched.names;
    watched.api.remove('a');
    await watched.within(3, () => watched.cache.current());

    expect(published).toEqual([]);
    expect(watched.failures).toEqual(['Gone']);
    expect(watched.names).toEqual(['b', 'c']);
    expect(watched.api.lists.map((call) => call.query?.['continue'])).toEqual([undefined, '103:2', undefined]);
  });

  it('the first list whose pages have different resourceVersions is started again', async () => {
    watched = new CacheRig({ pageSize: 1 });
    for (const name of ['a', 'b']) watched.api.put(name);
    watched.api.fail(async (call) => watched.api.page(call));
    watched.api.fail(async () => ({
      status: 200,
      body: { kind: 'ConfigMapList', metadata: { resourceVersion: '999' }, items: [] },
    }));
    watched.cache.start();
    await watched.until(() => watched.failures.length === 1);

    expect(watched.failures).toEqual(['Gone']);
    expect(watched.names).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['no items', { kind: 'ConfigMapList', metadata: { resourceVersion: '9' } }],
    ['no resourceVersion', { kind: 'ConfigMapList', metadata: {}, items: [] }],
    ['another kind', { kind: 'SecretList', metadata: { resourceVersion: '9' }, items: [] }],
    ['a Status in place of a list', { kind: 'Status', status: 'Success' }],
    [
      'an item without a name',
      { kind: 'ConfigMapList', metadata: { resourceVersion: '9' }, items: [{ metadata: {} }] },
    ],
    ['an item that is no object', { kind: 'ConfigMapList', metadata: { resourceVersion: '9' }, items: ['a'] }],
  ])('the first list with %s is malformed, never an empty list', async (_, body) => {
    watched = new CacheRig();
    watched.api.fail(async () => ({ status: 200, body }));
    watched.cache.start();
    await watched.until(() => watched.failures.length === 1);

    expect(watched.failures).toEqual(['Malformed']);
    expect(watched.cache.current()).toBe(false);
  });

  it('the first list yields to the event loop while it is long', async () => {
    watched = new CacheRig();
    for (let index = 0; index < 2_000; index++) watched.api.put(`a${index}`);
    let turns = 0;
    let synced = false;
    const turn = (): void => {
      turns += 1;
      if (!synced) setImmediate(turn);
    };
    setImmediate(turn);
    watched.cache.start();
    await watched.cache.whenSynced();
    synced = true;

    expect(turns).toBeGreaterThan(10);
  });
});

describe('whenSynced', () => {
  it('whenSynced resolves with the first list, and at once after it', async () => {
    watched = new CacheRig();
    watched.cache.start();
    await watched.cache.whenSynced();
    await watched.cache.whenSynced(new AbortController().signal);

    expect(watched.cache.current()).toBe(true);
  });

  it('whenSynced rejects with the reason of its signal', async () => {
    watched = new CacheRig();
    watched.api.silence();
    watched.cache.start();
    const stop = new AbortController();
    const waiting = watched.cache.whenSynced(stop.signal);
    stop.abort(new Error('enough'));

    await expect(waiting).rejects.toThrow('enough');
  });

  it('whenSynced rejects when the cache stops', async () => {
    watched = new CacheRig();
    watched.api.silence();
    watched.cache.start();
    const waiting = watched.cache.whenSynced();
    const [outcome] = await Promise.allSettled([waiting, watched.cache.stop()]);

    expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'Aborted' } });
  });
});

describe('a relist', () => {
  /** Makes the reflector list again. */
  async function relist(): Promise<void> {
    const lists = watched.api.lists.length;
    watched.api.compact();
    watched.api.watch.error(410, 'Expired');
    await watched.within(3, () => watched.api.lists.length > lists);
    await settle();
  }

  it('a relist publishes only its changes: 3 of 10,000', async () => {
    watched = new CacheRig();
    for (let index = 0; index < 10_000; index++) watched.api.put(`a${index}`);
    watched.cache.start();
    await watched.cache.whenSynced();
    await watched.until(() => watched.api.watches.length > 0);
    watched.take();
    const untouched = watched.cache.store.get('n/a1');

    watched.api.live = false;
    watched.api.put('a5', { changed: 'yes' });
    watched.api.remove('a6');
    watched.api.put('new');
    await relist();
    await watched.until(() => watched.changes.length >= 3);

    expect(watched.take()).toEqual(['-a6', '~a5', '+new']);
    expect(watched.cache.store.get('n/a1')).toBe(untouched);
  });

  it('a relist detects by its uid an object that was deleted and created again', async () => {
    watched = new CacheRig();
    watched.api.put('a');
    await watched.begin();
    watched.take();

    watched.api.live = false;
    watched.api.remove('a');
    watched.api.put('a');
    await relist();
    await watched.until(() => watched.changes.length > 0);

    expect(watched.take()).toEqual(['=a']);
  });

  it('a relist that fails makes the cache not current and keeps what it had', async () => {
    watched = new CacheRig();
    watched.api.put('a');
    await watched.begin();
    watched.take();

    watched.api.compact();
    watched.api.refuse(500);
    watched.api.refuse(500);
    watched.api.watch.error(410, 'Expired');
    await watched.within(3, () => !watched.cache.current());
    const during = watched.names;
    await watched.within(10, () => watched.cache.current());

    expect(during).toEqual(['a']);
    expect(watched.take()).toEqual([]);
    expect(watched.states).toEqual([true, false, false, true]);
  });

  it.each([
    [404, 'ResourceMissing'],
    [403, 'Forbidden'],
    [401, 'Unauthorized'],
    [422, 'Invalid'],
  ])('a relist is never an empty one when it is answered by %d', async (code, kind) => {
    watched = new CacheRig();
    watched.api.put('a');
    await watched.begin();
    watched.take();
    // Watch and list are refused alike.
    for (let times = 0; times < 3; times++) watched.api.refuse(code);
    watched.api.watch.end();
    await watched.within(3, () => !watched.cache.current());
    const failure = watched.cache.failure();
    await watched.within(30, () => watched.cache.current());

    expect(isFailure(failure, 'ResourceMissing', 'Forbidden', 'Unauthorized', 'Invalid') && failure.kind).toBe(kind);
    expect(watched.take()).toEqual([]);
    expect(watched.names).toEqual(['a']);
  });

  it('a failure that stays is logged once, and again after something was received', async () => {
    watched = new CacheRig();
    const outage = async (): Promise<void> => {
      for (let times = 0; times < 3; times++) watched.api.disconnect();
      watched.api.watch.end();
      const watches = watched.api.watches.length;
      await watched.within(60, () => watched.api.watches.length > watches);
    };
    await watched.begin();
    await outage();
    watched.api.put('a');
    await watched.until(() => watched.names.length === 1);
    await outage();

    const levels = watched.log.lines
      .filter(({ message }) => message === 'list or watch failed, retrying')
      .map(({ level }) => level);
    expect(levels).toEqual(['info', 'debug', 'debug', 'info', 'debug', 'debug']);
  });

  it('a relist follows every hour, in case an event was lost', async () => {
    watched = new CacheRig();
    watched.api.put('a');
    await watched.begin();
    watched.api.live = false;
    watched.api.put('untold');
    watched.take();
    const lists = watched.api.lists.length;

    for (let minute = 0; minute < 66; minute++) {
      await watched.clock.advance(60_000);
      watched.api.tick();
      watched.api.watch.bookmark(watched.api.version);
      await settle();
      if (minute % 6 === 4) watched.api.watch.end();
      await settle();
    }

    expect(
      watched.api.lists
        .slice(lists)
        .map((call) => call.query?.['limit'])
        .filter((limit) => limit === '100'),
    ).toHaveLength(1);
    expect(watched.names).toEqual(['a', 'untold']);
  });
});

describe('an older list', () => {
  it('an older list is not accepted while it may be a replica that lags', async () => {
    watched = new CacheRig();
    watched.api.put('a');
    watched.api.put('b');
    await watched.begin();
    watched.take();

    watched.api.restore(50, ['a']);
    watched.api.watch.break();
    await watched.within(4, () => !watched.cache.current());

    expect(watched.names).toEqual(['a', 'b']);
    expect(watched.cache.failure()?.message).toContain('is older than one observed before');

    watched.api.restore(200, ['a', 'b', 'c']);
    await watched.within(40, () => watched.cache.current());
    expect(watched.names).toEqual(['a', 'b', 'c']);
  });

  it('an older list is accepted after half a minute: it was restored from a backup', async () => {
    watched = new CacheRig();
    watched.api.put('a');
    watched.api.put('b');
    await watched.begin();
    watched.take();

    watched.api.restore(50, ['a']);
    watched.api.watch.break();
    await watched.within(4, () => !watched.cache.current());
    const took = await watched.within(90, () => watched.cache.current());

    expect(took).toBeGreaterThanOrEqual(26);
    expect(watched.take()).toEqual(['-b', '=a']);
    watched.api.put('c');
    await watched.until(() => watched.names.join() === 'a,c');
  });

  it('a restored server is detected after a broken watch, before the next watch', async () => {
    watched = new CacheRig();
    watched.api.put('a');
    await watched.begin();

    watched.api.restore(10, ['z']);
    watched.api.watch.break();
    await watched.within(3, () => watched.api.lists.length > 1);

    expect(watched.api.lists[1]?.query).toMatchObject({ limit: '1' });
    await watched.within(60, () => watched.names.join() === 'z');
  });
});

it('a 404 that names an object is no empty list either', async () => {
  watched = new CacheRig();
  watched.api.fail(async (call) => {
    throw errorFromResponse(
      { status: 404, body: { kind: 'Status', details: { name: 'x' } }, retryAfterMs: undefined },
      call.target,
    );
  });
  watched.cache.start();
  await watched.until(() => watched.failures.length === 1);

  expect(watched.cache.current()).toBe(false);
});
