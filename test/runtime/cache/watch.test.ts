import { afterEach, describe, expect, it } from '@jest/globals';
import { settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { CacheRig } from './cacherig.js';

let watched: CacheRig;
afterEach(() => watched.cache.stop());

/** Waits for the next watch to be opened; the seconds that it took. */
async function reopened(seconds = 120): Promise<number> {
  const before = watched.api.watches.length;
  return watched.within(seconds, () => watched.api.watches.length > before);
}

async function begin(...names: string[]): Promise<void> {
  watched = new CacheRig();
  for (const name of names) watched.api.put(name);
  await watched.begin();
  watched.take();
}

describe('watch events', () => {
  it('watch events add, change and delete', async () => {
    await begin();
    watched.api.put('a');
    watched.api.put('a', { k: 'v' });
    watched.api.put('b');
    watched.api.remove('a');
    await watched.until(() => watched.changes.length === 4);

    expect(watched.take()).toEqual(['+a', '~a', '+b', '-a']);
    expect(watched.names).toEqual(['b']);
  });

  it('watch events that come in several pieces are taken, however much all of them are together', async () => {
    await begin();
    for (const name of ['a', 'b', 'c', 'd']) {
      const metadata = { namespace: 'n', name, uid: name, resourceVersion: String(900 + name.charCodeAt(0)) };
      const event = { type: 'ADDED', object: { metadata, data: { k: 'x'.repeat(3_000_000) } } };
      const line = Buffer.from(`${JSON.stringify(event)}\n`);
      watched.api.watch.sendBytes(line.subarray(0, -10));
      watched.api.watch.sendBytes(line.subarray(-10));
    }
    await watched.until(() => watched.changes.length === 4);

    expect(watched.take()).toEqual(['+a', '+b', '+c', '+d']);
  });

  it('watch events of an object created again, whose deletion was never reported, have both uids', async () => {
    await begin('a');
    watched.api.watch.send('ADDED', { metadata: { namespace: 'n', name: 'a', uid: 'other', resourceVersion: '900' } });
    await watched.until(() => watched.changes.length === 1);

    expect(watched.take()).toEqual(['=a']);
  });

  it('watch events for the deletion of an unknown object change nothing', async () => {
    await begin('a');
    watched.api.watch.send('DELETED', { metadata: { namespace: 'n', name: 'z', uid: 'z', resourceVersion: '900' } });
    watched.api.watch.send('MODIFIED', {
      metadata: { namespace: 'n', name: 'a', uid: 'uid-1', resourceVersion: '901' },
    });
    await watched.until(() => watched.changes.length === 1);

    expect(watched.take()).toEqual(['~a']);
  });

  it('watch events that are repeated or replayed change nothing', async () => {
    await begin('a');
    const first = watched.api.put('a', { k: '1' });
    const second = watched.api.put('a', { k: '2' });
    watched.api.put('b');
    watched.api.remove('b');
    for (const one of [second, first, second]) watched.api.watch.send('MODIFIED', one);
    watched.api.watch.send('DELETED', first);
    watched.api.watch.send('ADDED', { metadata: { namespace: 'n', name: 'b', uid: 'uid-2', resourceVersion: '104' } });
    watched.api.put('c');
    await watched.until(() => watched.names.includes('c'));

    expect(watched.take()).toEqual(['~a', '~a', '+b', '-b', '+c']);
    expect(watched.cache.store.get('n/a')?.data).toEqual({ k: '2' });
  });

  it('watch events with resourceVersions of different lengths are compared as numbers, not as texts', async () => {
    await begin('a');
    watched.api.watch.send('ADDED', { metadata: { namespace: 'n', name: 'b', uid: 'b', resourceVersion: '999' } });
    watched.api.watch.send('ADDED', { metadata: { namespace: 'n', name: 'c', uid: 'c', resourceVersion: '1000' } });
    watched.api.watch.send('ADDED', {
      metadata: { namespace: 'n', name: 'd', uid: 'd', resourceVersion: '99999999999999999999' },
    });
    await watched.until(() => watched.changes.length === 3);

    expect(watched.take()).toEqual(['+b', '+c', '+d']);
  });

  it('watch events and bookmarks advance the resourceVersion of the next watch, never back', async () => {
    await begin('a');
    watched.api.tick(600);
    watched.api.watch.bookmark('500');
    watched.api.watch.bookmark('400');
    watched.api.watch.end();
    await reopened();
    const afterBookmark = watched.api.watch.query['resourceVersion'];
    watched.api.watch.send('ADDED', { metadata: { namespace: 'n', name: 'b', uid: 'b', resourceVersion: '700' } });
    watched.api.watch.end();
    await reopened();

    expect(afterBookmark).toBe('500');
    expect(watched.api.watch.query['resourceVersion']).toBe('700');
  }, 180_000);

  it('watch events may be a megabyte long', async () => {
    await begin();
    watched.api.put('big', { k: 'x'.repeat(1_048_576) });
    await watched.until(() => watched.names.includes('big'));

    expect(watched.cache.store.get('n/big')?.data?.['k']).toHaveLength(1_048_576);
  });

  it('watch events are complete wherever a chunk ends, also inside a character', async () => {
    await begin();
    const line = Buffer.from(
      `${JSON.stringify({
        type: 'ADDED',
        object: { metadata: { namespace: 'n', name: 'a', uid: 'a', resourceVersion: '900' }, data: { k: 'ä€😀' } },
      })}\n`,
    );
    for (let cut = 0; cut <= line.length; cut++) {
      const own = new CacheRig();
      await own.begin();
      own.api.watch.sendBytes(line.subarray(0, cut));
      await settle();
      own.api.watch.sendBytes(line.subarray(cut));
      await own.until(() => own.names.length === 1);
      expect(own.cache.store.get('n/a')?.data).toEqual({ k: 'ä€😀' });
      await own.cache.stop();
    }
  });

  it('watch events are separated when one chunk holds many', async () => {
    await begin();
    const lines = Array.from(
      { length: 1_000 },
      (_, index) =>
        `${JSON.stringify({ type: 'ADDED', object: { metadata: { namespace: 'n', name: `a${index}`, uid: `u${index}`, resourceVersion: String(900 + index) } } })}\n`,
    );
    watched.api.watch.sendBytes(Buffer.from(lines.join('')));
    await watched.until(() => watched.cache.store.size === 1_000);

    expect(watched.changes).toHaveLength(1_000);
  });
});

describe('a watch that ends', () => {
  it('a watch that ends on its timeout is resumed at once', async () => {
    await begin('a');
    for (let minute = 0; minute < 5; minute++) {
      await watched.clock.advance(60_000);
      watched.api.tick();
      watched.api.watch.bookmark(watched.api.version);
      await settle();
    }
    const lists = watched.api.lists.length;
    watched.api.watch.end();
    const took = await reopened();

    expect(took).toBe(0);
    expect(watched.api.watch.query['resourceVersion']).toBe('106');
    expect(watched.api.lists).toHaveLength(lists);
  });

  it.each<[string, () => void, string[]]>([
    ['too early', () => watched.api.watch.end(), []],
    ['with a reset connection', () => watched.api.watch.break(), ['Transport']],
    ['with an ERROR event of 500', () => watched.api.watch.error(500, 'InternalError'), ['Unavailable']],
    ['with an ERROR event of 429', () => watched.api.watch.error(429, 'TooManyRequests'), ['Throttled']],
    ['with an ERROR event without a code', () => watched.api.watch.send('ERROR', {}), ['Malformed']],
    ['with a line that is no JSON', () => watched.api.watch.sendBytes(Buffer.from('<html>\n')), ['Malformed']],
    ['with a line that is no object', () => watched.api.watch.sendBytes(Buffer.from('[]\n')), ['Malformed']],
    [
      'with an event of an unknown type',
      () => watched.api.watch.send('NEWS', { metadata: { resourceVersion: '999' } }),
      ['Malformed'],
    ],
    [
      'with an event without a resourceVersion',
      () => watched.api.watch.send('ADDED', { metadata: { name: 'x' } }),
      ['Malformed'],
    ],
    [
      'with an object without a name',
      () => watched.api.watch.send('ADDED', { metadata: { resourceVersion: '999' } }),
      ['Malformed'],
    ],
    ['with a line of more than 8 MiB', () => watched.api.watch.sendBytes(Buffer.alloc(9_000_000, 'x')), ['Malformed']],
  ])(
    'a watch that ends %s is opened again after a second, from where it was, and stays current',
    async (_, end, failures) => {
      await begin('a');
      watched.api.put('b');
      await watched.until(() => watched.names.includes('b'));
      end();
      const took = await reopened();

      expect(took).toBeGreaterThanOrEqual(1);
      expect(took).toBeLessThanOrEqual(2);
      expect(watched.api.watch.query['resourceVersion']).toBe('102');
      expect(watched.failures).toEqual(failures);
      expect(watched.cache.current()).toBe(true);
      expect(watched.names).toEqual(['a', 'b']);
    },
  );

  it('a watch that ends in the middle of a line loses nothing', async () => {
    await begin();
    watched.api.live = false;
    const late = watched.api.put('late');
    const line = JSON.stringify({ type: 'ADDED', object: late });
    watched.api.watch.sendBytes(Buffer.from(line.slice(0, -5)));
    watched.api.watch.end();
    await reopened();
    await watched.until(() => watched.names.includes('late'));

    expect(watched.take()).toEqual(['+late']);
  });

  it('a watch that ends at once, again and again, is opened with backoff, and never twice in a second', async () => {
    await begin();
    const opened: number[] = [];
    for (let second = 0; second < 300; second++) {
      if (watched.api.watch.open) {
        opened.push(watched.clock.monotonic() / 1000);
        watched.api.watch.end();
      }
      await settle();
      await watched.clock.advance(1_000);
    }
    const gaps = opened.slice(1).map((at, index) => at - (opened[index] ?? 0));

    expect(gaps.slice(0, 5)).toEqual([1, 2, 4, 8, 16]);
    expect(Math.max(...gaps)).toBe(30);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1);
  });

  it('a watch that ends at once after each event is opened no more than once a second', async () => {
    await begin();
    let ends = 0;
    for (let second = 0; second < 60; second++) {
      if (watched.api.watch.open) {
        watched.api.put('a', { second: String(second) });
        watched.api.watch.end();
        ends += 1;
      }
      await settle();
      await watched.clock.advance(1_000);
    }

    expect(ends).toBeGreaterThan(25);
    expect(watched.api.opened.length).toBeLessThanOrEqual(61);
  });
});

describe('a watch that is refused', () => {
  it('a watch that is refused with 410 leads to a list after one step of backoff', async () => {
    await begin('a');
    watched.api.compact();
    watched.api.live = false;
    watched.api.remove('a');
    watched.api.put('b');
    watched.api.compact();
    watched.api.watch.end();
    await watched.within(5, () => watched.names.join() === 'b');

    expect(watched.take()).toEqual(['-a', '+b']);
    expect(watched.failures).toEqual(['Gone']);
  });

  it('a watch that is refused with 410 as its code does so too, and does not spin when that goes on', async () => {
    await begin('a');
    watched.api.watch.end();
    const lists = watched.api.lists.length;
    for (let second = 0; second < 60; second++) {
      watched.api.fail(async (call) => {
        if (call.query?.['watch'] === undefined) return watched.api.page(call);
        const { errorFromResponse } = await import('../../../src/runtime/transport/apierror.js');
        throw errorFromResponse({ status: 410, body: {}, retryAfterMs: undefined }, call.target);
      });
      await watched.clock.advance(1_000);
    }

    expect(watched.failures.every((kind) => kind === 'Gone')).toBe(true);
    expect(watched.api.lists.length - lists).toBeLessThanOrEqual(7);
  });

  it('a watch that is refused waits as long as Retry-After says', async () => {
    await begin('a');
    watched.api.watch.end();
    watched.api.fail(async (call) => watched.api.page(call));
    watched.api.refuse(429, 'TooManyRequests', 20_000);
    await watched.within(5, () => watched.failures.length === 1);
    const calls = watched.api.calls.length;
    await watched.clock.advance(19_000);
    const during = watched.api.calls.length;
    await watched.within(3, () => watched.api.calls.length > during);

    expect(during).toBe(calls);
    expect(watched.failures).toEqual(['Throttled']);
    expect(watched.cache.current()).toBe(true);
  });

  it('a watch that is refused waits as long as an ERROR event says', async () => {
    await begin('a');
    watched.api.watch.send('ERROR', { kind: 'Status', code: 429, details: { retryAfterSeconds: 25 } });
    await settle();
    await watched.clock.advance(24_000);
    const during = watched.api.calls.length;
    await reopened(3);

    expect(during).toBe(2);
  });

  it('a watch that is refused with 403 leads to a list', async () => {
    await begin('a');
    watched.api.watch.end();
    watched.api.fail(async (call) => watched.api.page(call));
    watched.api.refuse(403, 'Forbidden');
    await watched.within(5, () => !watched.cache.current());
    await watched.within(10, () => watched.cache.current());

    expect(watched.failures).toEqual(['Forbidden']);
    expect(watched.states).toEqual([true, false, true]);
  });

  it('a watch that is refused while the server is down is resumed afterwards', async () => {
    await begin('a');
    watched.api.watch.break();
    for (let times = 0; times < 8; times++) watched.api.disconnect();
    const took = await reopened(300);

    expect(took).toBeGreaterThan(60);
    expect(watched.failures).toEqual(['Transport', ...Array(8).fill('Transport')]);
    expect(watched.states).toEqual([true]);
    expect(watched.api.watch.query['resourceVersion']).toBe('101');
  });

  it('a watch that is refused by unreadable events again and again leads to a list', async () => {
    await begin('a');
    for (let times = 0; times < 4; times++) {
      watched.api.watch.sendBytes(Buffer.from('garbage\n'));
      await reopened();
    }
    const before = watched.api.lists.filter((call) => call.query?.['limit'] === '100').length;
    watched.api.watch.sendBytes(Buffer.from('garbage\n'));
    await reopened();

    expect(watched.api.lists.filter((call) => call.query?.['limit'] === '100').length).toBe(before + 1);
  });
});

describe('a silent watch', () => {
  it('a silent watch with bookmarks every minute stays open', async () => {
    await begin('a');
    for (let minute = 0; minute < 4; minute++) {
      await watched.clock.advance(65_000);
      watched.api.tick();
      watched.api.watch.bookmark(watched.api.version);
      await settle();
    }

    expect(watched.api.watches).toHaveLength(1);
    expect(watched.api.watch.open).toBe(true);
  });

  it('a silent watch without bookmarks is opened again after two and a half minutes, from where it was', async () => {
    await begin('a');
    const took = await reopened(300);

    expect(took).toBeGreaterThanOrEqual(150);
    expect(took).toBeLessThanOrEqual(153);
    expect(watched.api.watch.query['resourceVersion']).toBe('101');
    expect(watched.failures).toEqual(['Transport']);
    expect(watched.api.watches[0]?.open).toBe(false);
  });

  it('a watch with bytes but no complete line is opened again, too', async () => {
    await begin('a');
    const before = watched.api.watches.length;
    for (let second = 0; second < 160 && watched.api.watches.length === before; second++) {
      watched.api.watch.sendBytes(Buffer.from('x'));
      await watched.clock.advance(1_000);
    }

    expect(watched.api.watches.length).toBe(before + 1);
  });

  it('a watch that does not end on its timeout is closed 15 s later', async () => {
    await begin('a');
    for (let second = 0; second < 320 && watched.api.watches.length === 1; second += 5) {
      watched.api.tick();
      watched.api.watch.bookmark(watched.api.version);
      await watched.clock.advance(5_000);
    }

    expect(watched.api.watches).toHaveLength(2);
    expect(watched.clock.monotonic()).toBeGreaterThanOrEqual(315_000);
  });

  it('a silent watch that never sends anything is closed', async () => {
    watched = new CacheRig();
    watched.api.fail(async (call) => watched.api.page(call));
    watched.api.silence();
    watched.cache.start();
    await watched.within(200, () => watched.api.watches.length === 1);

    expect(watched.failures).toEqual(['Transport']);
  });
});
