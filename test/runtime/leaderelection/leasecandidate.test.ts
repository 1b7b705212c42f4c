import { beforeEach, describe, expect, it } from '@jest/globals';
import { Leases } from '../../../src/runtime/vocabulary/kinds.js';
import { settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { failure } from '../../support/fakes/api.js';
import { LeaseRig, NAME } from './leaserig.js';

let world: LeaseRig;
beforeEach(() => {
  world = new LeaseRig();
});

describe('a lease candidate', () => {
  beforeEach(() =>
    world.write({
      holderIdentity: 'other',
      leaseDurationSeconds: 15,
      leaseTransitions: 3,
      renewTime: '2026-01-01T00:00:00.000000Z',
    }),
  );

  it('a lease candidate takes the lease exactly when it expires, counted from when it saw it, and counts a transition', async () => {
    const standby = await world.holder('one');
    await world.clock.advance(14_999);
    expect(world.writes).toBe(0);
    await world.clock.advance(1);

    expect(standby.elector.held()).toBe(true);
    expect(world.lease?.spec).toEqual({
      holderIdentity: 'one',
      leaseDurationSeconds: 15,
      leaseTransitions: 4,
      acquireTime: '2026-01-01T00:00:15.000000Z',
      renewTime: '2026-01-01T00:00:15.000000Z',
    });
  });

  it('a lease candidate restarts its wait with every renewal that it observes', async () => {
    const standby = await world.holder('one');
    for (let renewal = 1; renewal <= 5; renewal++) {
      await world.clock.advance(10_000);
      world.write({ renewTime: `2026-01-01T00:00:0${renewal}.000000Z` });
    }
    await world.clock.advance(14_999);
    expect(standby.elector.held()).toBe(false);
    await world.clock.advance(1);

    expect(standby.elector.held()).toBe(true);
  });

  it('a lease candidate reads from the server once and then follows the watch', async () => {
    await world.holder('one');
    world.write({ renewTime: '2026-01-01T00:00:01.000000Z' });
    await world.clock.advance(10_000);

    expect(world.api.calls.map((call) => call.verb)).toEqual(['get']);
  });

  it.each<[string, () => void]>([
    ['is released', () => world.write({ holderIdentity: '' })],
    ['is deleted', () => world.remove()],
  ])('a lease candidate takes the lease at once when it %s', async (_, free) => {
    const standby = await world.holder('one');
    await world.clock.advance(3_000);
    free();
    await settle();

    expect(standby.elector.held()).toBe(true);
    expect(standby.caches.map((cache) => cache.current())).toEqual([false]);
  });

  it('a lease candidate of the same identity takes the lease at once, without a transition', async () => {
    const standby = await world.holder('other');

    expect(standby.elector.held()).toBe(true);
    expect(world.lease?.spec).toMatchObject({ leaseTransitions: 3, acquireTime: '2026-01-01T00:00:00.000000Z' });
  });

  it.each(['1970-01-01T00:00:00.000000Z', '2100-01-01T00:00:00.000000Z', 'never'])(
    'a lease candidate does not believe a renewal at %s',
    async (renewTime) => {
      world.write({ renewTime });
      const standby = await world.holder('one');
      await world.clock.advance(14_999);
      expect(standby.elector.held()).toBe(false);
      await world.clock.advance(1);

      expect(standby.elector.held()).toBe(true);
    },
  );

  it.each([
    [1, 15_000],
    [0, 15_000],
    [-5, 15_000],
    [20, 20_000],
    [3_600, 60_000],
  ])('a lease candidate waits for a lease of %d s for %d ms', async (seconds, ms) => {
    world.write({ leaseDurationSeconds: seconds });
    const standby = await world.holder('one');
    await world.clock.advance(ms - 1);
    expect(standby.elector.held()).toBe(false);
    await world.clock.advance(1);

    expect(standby.elector.held()).toBe(true);
  });

  it('a lease candidate does not count a new label as a renewal', async () => {
    const standby = await world.holder('one');
    await world.clock.advance(14_000);
    world.write({}, { labels: { a: 'b' } });
    await world.clock.advance(1_000);

    expect(standby.elector.held()).toBe(true);
  });

  it('a lease candidate reads from the server every two seconds while its watch is not current', async () => {
    const standby = await world.holder('one');
    standby.caches[0]?.pause();
    standby.caches[0]?.fail(new Error('no watch'));
    await world.clock.advance(6_000);
    const asked = world.api.calls.length;
    world.write({ holderIdentity: '' });
    await world.clock.advance(2_000);

    expect(asked).toBeGreaterThanOrEqual(4);
    expect(standby.elector.held()).toBe(true);
  });

  it('a lease candidate that observes an old copy does not take a renewed lease', async () => {
    const standby = await world.holder('one');
    standby.caches[0]?.pause();
    await world.clock.advance(14_000);
    world.write({ renewTime: '2026-01-01T00:00:14.000000Z' });
    await world.clock.advance(10_000);
    expect(standby.elector.held()).toBe(false);
    expect(world.holderIdentity).toBe('other');
    await world.clock.advance(7_000);

    expect(standby.elector.held()).toBe(true);
  });

  it('a lease candidate that loses the race while it takes the lease goes on waiting', async () => {
    const standby = await world.holder('one');
    let stolen = false;
    world.api.before = (call) => {
      if (call.verb === 'update' && !stolen) {
        stolen = true;
        world.write({ holderIdentity: 'thief', renewTime: '2026-01-01T00:00:15.000000Z' });
      }
    };
    await world.clock.advance(15_000);
    await world.clock.advance(14_000);
    expect(world.holderIdentity).toBe('thief');
    await world.clock.advance(2_000);

    expect(standby.elector.held()).toBe(true);
  });

  it('a lease candidate that loses the race to create the lease goes on waiting', async () => {
    world.remove();
    world.api.before = (call) => {
      if (call.verb !== 'apply') return;
      world.api.before = () => undefined;
      world.write({ holderIdentity: 'faster', leaseDurationSeconds: 15 });
      throw failure('Conflict', 'apply', Leases, NAME);
    };
    const standby = await world.holder('one');
    await world.clock.advance(14_000);
    expect(world.holderIdentity).toBe('faster');
    await world.clock.advance(2_000);

    expect(standby.elector.held()).toBe(true);
  });

  it.each(['Transport', 'Forbidden', 'hang'] as const)(
    'a lease candidate keeps trying while the server fails by %s',
    async (fault) => {
      const standby = world.contender('one');
      standby.fault = fault;
      standby.start();
      await world.clock.advance(60_000);
      expect(standby.elector.held()).toBe(false);
      standby.fault = 'none';
      await world.clock.advance(22_000);

      expect(standby.elector.held()).toBe(true);
    },
  );

  it('a lease candidate stops when it is aborted, without a request or timer left', async () => {
    const stop = new AbortController();
    const standby = world.contender('one').start(stop.signal);
    await world.clock.advance(5_000);
    stop.abort(new Error('enough'));
    await settle();

    expect(standby.failure).toEqual(new Error('enough'));
    expect(world.clock.pending).toBe(0);
    await world.clock.advance(60_000);
    expect(world.holderIdentity).toBe('other');
  });

  it('a lease candidate that is aborted while it takes the lease releases it', async () => {
    const stop = new AbortController();
    const standby = world.contender('one').start(stop.signal);
    await settle();
    world.api.before = (call) => {
      if (call.verb === 'update') stop.abort(new Error('enough'));
    };
    await world.clock.advance(15_000);

    expect(standby.failure).toEqual(new Error('enough'));
    expect(world.holderIdentity).toBe('');
    expect(standby.elector.held()).toBe(false);
    expect(world.clock.pending).toBe(0);
  });
});

describe('what the holder of a lease says of itself', () => {
  const differs = 'the holder of the lease differs from this process';

  it('is written with the lease and not again, and each candidate that differs says so once for each holder', async () => {
    const holder = await world.holder('one', { data: '2025a' });
    const [same, other, silent] = [
      world.contender('two', { data: '2025a' }).start(),
      world.contender('three', { data: '2025c' }).start(),
      world.contender('four').start(),
    ];
    await world.clock.advance(60_000);
    expect(world.lease?.metadata.annotations).toEqual({ data: '2025a' });
    const warned = [same, other, silent].map(
      ({ log }) => log.lines.filter(({ message }) => message === differs).length,
    );
    expect(warned).toEqual([0, 1, 0]);
    expect(other.log.lines.find(({ message }) => message === differs)).toMatchObject({
      level: 'warn',
      fields: { holder: 'one', annotation: 'data', ours: '2025c', theirs: '2025a' },
    });
    expect(holder.elector.held()).toBe(true);
  });

  it('is that of the next holder when another process takes the lease', async () => {
    const first = await world.holder('one', { data: '2025a' });
    await first.elector.release();
    await world.holder('two', { data: '2025c' });

    expect(world.holderIdentity).toBe('two');
    expect(world.lease?.metadata.annotations).toEqual({ data: '2025c' });
  });
});
