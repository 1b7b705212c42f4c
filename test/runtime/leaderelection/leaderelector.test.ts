import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import type { Candidate } from './leaserig.js';
import { LeaseRig, NAME } from './leaserig.js';

let world: LeaseRig;
beforeEach(() => {
  world = new LeaseRig();
});

describe('a lease holder', () => {
  let holder: Candidate;
  beforeEach(async () => {
    holder = await world.holder('one');
  });

  it('a lease holder has created the lease, with microseconds and without a transition', () => {
    expect(world.lease).toMatchObject({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: NAME,
      spec: {
        holderIdentity: 'one',
        leaseDurationSeconds: 15,
        acquireTime: '2026-01-01T00:00:00.000000Z',
        renewTime: '2026-01-01T00:00:00.000000Z',
        leaseTransitions: 0,
      },
    });
    expect(holder.elector.held()).toBe(true);
    expect(holder.reported).toEqual([false, true]);
  });

  it('a lease holder renews every two seconds and changes nothing else', async () => {
    await world.clock.advance(10_000);

    expect(world.writes).toBe(6);
    expect(world.lease?.spec).toMatchObject({
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:10.000000Z',
      leaseTransitions: 0,
    });
    await world.clock.advance(600_000);
    expect(holder.elector.held()).toBe(true);
    expect(holder.lost?.aborted).toBe(false);
  });

  it('a lease holder watches nothing while it holds', () => {
    expect(holder.caches.map((cache) => cache.current())).toEqual([false]);
  });

  it.each(['Transport', 'Unavailable', 'Throttled', 'Forbidden', 'hang'] as const)(
    'a lease holder steps down ten seconds after its last renewal when every one fails by %s',
    async (fault) => {
      await world.clock.advance(4_000);
      holder.fault = fault;
      await world.clock.advance(9_999);
      expect([holder.elector.held(), holder.lost?.aborted]).toEqual([true, false]);
      await world.clock.advance(1);

      expect([holder.elector.held(), holder.lost?.aborted]).toEqual([false, true]);
      expect(holder.reported).toEqual([false, true, false]);
      await world.clock.advance(60_000);
      expect(world.clock.pending).toBe(0);
    },
  );

  it('a lease holder keeps the lease when a renewal succeeds in time', async () => {
    holder.fault = 'Transport';
    await world.clock.advance(7_000);
    holder.fault = 'none';
    await world.clock.advance(20_000);

    expect(holder.elector.held()).toBe(true);
    expect(holder.lost?.aborted).toBe(false);
  });

  it('a lease holder gives a renewal that hangs five seconds, and tries again', async () => {
    await world.clock.advance(1_000);
    holder.fault = 'hang';
    await world.clock.advance(2_000);
    holder.fault = 'none';
    const before = world.writes;
    await world.clock.advance(4_000);

    expect(world.writes).toBeGreaterThan(before);
    expect(holder.elector.held()).toBe(true);
  });

  it('a lease holder counts from the start of a renewal, not from its response', async () => {
    holder.answer = 'hang';
    await world.clock.advance(2_000);
    // The renewal of second 2 is stored; its answer never comes.
    expect(world.lease?.spec?.renewTime).toBe('2026-01-01T00:00:02.000000Z');
    await world.clock.advance(8_000);

    expect(holder.elector.held()).toBe(false);
  });

  it('a lease holder counts from the start of a renewal whose response is slow', async () => {
    let free = (): void => undefined;
    world.api.before = () => new Promise<void>((resolve) => (free = resolve));
    await world.clock.advance(5_000);
    free();
    await settle();
    holder.fault = 'Transport';
    await world.clock.advance(6_999);
    expect(holder.elector.held()).toBe(true);
    await world.clock.advance(1);

    expect(holder.elector.held()).toBe(false);
  });

  it('a lease holder that was suspended longer than the deadline does not hold the lease, before any timer has run', async () => {
    holder.freeze();
    await world.clock.advance(10_000);
    expect([holder.elector.held(), holder.lost?.aborted]).toEqual([false, false]);
    holder.thaw();
    await settle();

    expect([holder.elector.held(), holder.lost?.aborted]).toEqual([false, true]);
    expect(world.writes).toBe(1);
  });

  it('a lease holder that was suspended in the middle of a renewal does not hold the lease after its response', async () => {
    let free = (): void => undefined;
    world.api.before = () => new Promise<void>((resolve) => (free = resolve));
    await world.clock.advance(2_000);
    holder.freeze();
    free();
    await world.clock.advance(20_000);
    expect(world.lease?.spec?.renewTime).toBe('2026-01-01T00:00:02.000000Z');
    holder.thaw();
    await settle();

    expect([holder.elector.held(), holder.lost?.aborted]).toEqual([false, true]);
  });

  it.each([3_600_000, -3_600_000, 315_360_000_000, -315_360_000_000])(
    'a lease holder does not care for a wall clock that is %d ms wrong',
    async (offset) => {
      world.wallOffsetMs = offset;
      await world.clock.advance(30_000);

      expect(holder.elector.held()).toBe(true);
    },
  );

  it('a lease holder reads the lease again when somebody has labelled it, and renews it', async () => {
    world.write({}, { labels: { a: 'b' } });
    await world.clock.advance(2_000);

    expect(holder.elector.held()).toBe(true);
    expect(world.lease).toMatchObject({
      metadata: { labels: { a: 'b' } },
      spec: { renewTime: '2026-01-01T00:00:02.000000Z' },
    });
  });

  it.each<[string, () => void]>([
    ['to a holder that somebody wrote into it', () => world.write({ holderIdentity: 'forger' })],
    ['to nobody', () => world.write({ holderIdentity: '' })],
    ['to another process of its identity', () => world.write({ acquireTime: '2026-01-01T00:00:01.000000Z' })],
  ])('a lease holder loses the lease at the next renewal %s', async (_, forge) => {
    forge();
    const forged = world.holderIdentity;
    await world.clock.advance(2_000);

    expect([holder.elector.held(), holder.lost?.aborted]).toEqual([false, true]);
    expect(world.holderIdentity).toBe(forged);
    expect(world.clock.pending).toBe(0);
  });

  it('a lease holder creates a deleted lease again and keeps it', async () => {
    world.remove();
    await world.clock.advance(2_000);

    expect(world.holderIdentity).toBe('one');
    expect(holder.elector.held()).toBe(true);
    await world.clock.advance(20_000);
    expect(holder.elector.held()).toBe(true);
  });

  it('a lease holder loses a deleted lease to a faster process', async () => {
    world.remove();
    world.write({ holderIdentity: 'two', leaseDurationSeconds: 15 });
    await world.clock.advance(2_000);

    expect(holder.elector.held()).toBe(false);
    expect(world.holderIdentity).toBe('two');
  });

  it('a lease holder cannot acquire the lease again', async () => {
    await expect(holder.elector.acquire(new AbortController().signal)).rejects.toThrow('already held');
  });

  it('a lease holder takes it again, at once, after it was lost in a network failure', async () => {
    holder.fault = 'Transport';
    await world.clock.advance(10_000);
    expect(holder.elector.held()).toBe(false);
    holder.fault = 'none';
    holder.lost = undefined;
    holder.start();
    await settle();

    expect(holder.elector.held()).toBe(true);
    expect(world.lease?.spec).toMatchObject({ leaseTransitions: 0, acquireTime: '2026-01-01T00:00:10.000000Z' });
  });
});

describe('a release of the lease', () => {
  let holder: Candidate;
  beforeEach(async () => {
    holder = await world.holder('one');
  });

  it('a release of the lease removes the holder, after which no request or timer is left', async () => {
    const releasing = holder.elector.release();
    expect(holder.elector.held()).toBe(false);
    await releasing;

    expect(world.lease?.spec).toMatchObject({ holderIdentity: '', leaseTransitions: 0, leaseDurationSeconds: 15 });
    expect(holder.lost?.aborted).toBe(true);
    expect(world.clock.pending).toBe(0);
  });

  it('a release of the lease follows a pending renewal, stored or not', async () => {
    holder.answer = 'hang';
    await world.clock.advance(2_000);
    const releasing = holder.elector.release();
    holder.answer = 'none';
    await releasing;

    expect(world.holderIdentity).toBe('');
  });

  it('a release of the lease does nothing to a lease that is held by another identity', async () => {
    world.write({ holderIdentity: 'two' });
    await holder.elector.release();

    expect(world.holderIdentity).toBe('two');
  });

  it('a release of the lease does not create a deleted lease again', async () => {
    world.remove();
    await holder.elector.release();

    expect(world.lease).toBeUndefined();
  });

  it.each(['Transport', 'hang'] as const)(
    'a release of the lease ends within a second and a half when it fails by %s',
    async (fault) => {
      holder.fault = fault;
      let ended = false;
      void holder.elector.release().then(() => (ended = true));
      await world.clock.advance(1_500);

      expect(ended).toBe(true);
      expect(world.holderIdentity).toBe('one');
      expect(world.clock.pending).toBe(0);
    },
  );

  it('a release of the lease twice, or without holding it, does nothing', async () => {
    await holder.elector.release();
    const writes = world.writes;
    await holder.elector.release();
    await world.contender('two').elector.release();

    expect(world.writes).toBe(writes);
  });
});

describe('two lease candidates', () => {
  it('two lease candidates hand over within 17 s when the holder stops renewing, and the old one has stepped down long before', async () => {
    const one = await world.holder('one');
    const two = await world.holder('two');
    await world.clock.advance(7_000);
    one.fault = 'hang';
    let silent = 0;
    for (; silent < 30_000 && !two.elector.held(); silent += 100) {
      expect([one, two].filter((contender) => contender.elector.held()).length).toBeLessThanOrEqual(1);
      await world.clock.advance(100);
    }

    expect(silent).toBeLessThanOrEqual(17_000);
    expect(one.elector.held()).toBe(false);
    expect(world.lease?.spec).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
  });

  it('two lease candidates never both hold the lease, under any faults', async () => {
    const step = fc.record({
      who: fc.nat(1),
      happening: fc.constantFrom(
        'well',
        'well',
        'hang',
        'Transport',
        'Unavailable',
        'mute',
        'freeze',
        'release',
        'label',
        'cachePaused',
      ),
      ms: fc.integer({ min: 100, max: 9_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        const own = new LeaseRig();
        const both = [own.contender('one').start(), own.contender('two').start()];
        for (const { who, happening, ms } of steps) {
          const contender = both[who];
          if (contender === undefined) continue;
          contender.fault =
            happening === 'hang' || happening === 'Transport' || happening === 'Unavailable' ? happening : 'none';
          contender.answer = happening === 'mute' ? 'hang' : 'none';
          if (happening === 'freeze') contender.freeze();
          else contender.thaw();
          if (happening === 'release') await contender.elector.release();
          if (happening === 'label') own.write({}, { labels: { at: String(own.clock.monotonic()) } });
          if (happening === 'cachePaused') contender.caches.at(-1)?.pause();
          for (let passed = 0; passed < ms; passed += 500) {
            await own.clock.advance(500);
            expect(both.filter((one) => one.elector.held()).length).toBeLessThanOrEqual(1);
            for (const one of both) {
              if (one.lost?.aborted !== true) continue;
              one.lost = undefined;
              one.start();
            }
          }
        }
        for (const one of both) {
          one.fault = 'none';
          one.answer = 'none';
          one.thaw();
          if (one.lost?.aborted === true) one.start();
        }
        await own.clock.advance(40_000);
        expect(both.filter((one) => one.elector.held())).toHaveLength(1);
      }),
      { numRuns: 25 },
    );
  }, 600_000);
});
