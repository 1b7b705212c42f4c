import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';
import { delay, systemClock, systemRandom, yieldToEventLoop } from '../../src/runtime/clock.js';
import { ApiError, isFailure } from '../../src/runtime/errors.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

describe('delay', () => {
  it('delay resolves when its time has come', async () => {
    const clock = new ManualClock();
    let done = false;
    void delay(clock, 100, new AbortController().signal).then(() => (done = true));

    await clock.advance(99);
    const before = done;
    await clock.advance(1);

    expect(before).toBe(false);
    expect(done).toBe(true);
  });

  it.each([
    ['an error', new Error('over'), 'over'],
    ['a text', 'over', 'over'],
  ])('delay rejects with the reason of the signal, %s, and leaves no timer', async (_name, reason, message) => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const waiting = delay(clock, 100, stop.signal);

    stop.abort(reason);

    await expect(waiting).rejects.toThrow(message);
    expect(clock.pending).toBe(0);
    await expect(delay(clock, 100, stop.signal)).rejects.toThrow(message);
    expect(clock.pending).toBe(0);
  });
});

describe('the system clock', () => {
  it('the system clock runs a callback unless it is cancelled, for any number of ms', async () => {
    const ran: string[] = [];
    const before = systemClock.monotonic();
    systemClock.after(0, () => ran.push('cancelled')).cancel();
    systemClock.after(2 ** 40, () => ran.push('in a month')).cancel();

    await new Promise<void>((resolve) => {
      const alive = setTimeout(() => undefined, 10_000);
      systemClock.after(-5, () => {
        clearTimeout(alive);
        resolve();
      });
    });

    expect(ran).toEqual([]);
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
    expect(systemClock.now()).toBeGreaterThan(Date.parse('2024-01-01'));
    expect(systemRandom()).toBeLessThan(1);
  });
});

describe('an API error', () => {
  it('an API error is distinguished by its kind', () => {
    const error = new ApiError({
      kind: 'NotFound',
      message: 'no such thing',
      call: { verb: 'get', resource: 'things' },
    });

    expect(isFailure(error, 'Conflict', 'NotFound')).toBe(true);
    expect(isFailure(error, 'Conflict')).toBe(false);
    expect(isFailure(new Error('NotFound'), 'NotFound')).toBe(false);
    expect(error).toMatchObject({ name: 'ApiError', status: 0, reason: '', causes: [], retryAfterMs: undefined });
  });
});

describe('the clock of a command that waits', () => {
  const module = fileURLToPath(new URL('../../src/runtime/clock.js', import.meta.url));

  it.each([
    ['waitingClock', 0, 'waited', 1],
    // An hour: a process that waited for it would not end in time.
    ['systemClock', 13, '', 3_600_000],
  ])('a process that waits by %s alone ends with code %s', (clock, code, printed, ms) => {
    const script = `import { delay, ${clock} } from '${module}'; await delay(${clock}, ${ms}); process.stdout.write('waited');`;
    const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });

    expect([status, stdout]).toEqual([code, printed]);
  });
});

describe('yielding to the event loop', () => {
  it('of several that yield at once, each continues in its own iteration of the loop, in their order', async () => {
    let iteration = 0;
    const continued: [number, number][] = [];
    const yields = [1, 2, 3].map(async (one) => {
      await yieldToEventLoop();
      continued.push([one, iteration]);
    });
    let done = false;
    const count = (): void => {
      iteration += 1;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(yields).finally(() => (done = true));

    expect(continued.map(([one]) => one)).toEqual([1, 2, 3]);
    expect(new Set(continued.map(([, at]) => at)).size).toBe(3);
  });

  it('work that yields again and again continues while others yield', async () => {
    const turns: [number, number] = [0, 0];
    const loop = async (one: 0 | 1): Promise<void> => {
      for (let turn = 0; turn < 5; turn++) {
        await yieldToEventLoop();
        turns[one] += 1;
        expect(Math.abs(turns[0] - turns[1])).toBeLessThanOrEqual(1);
      }
    };
    await Promise.all([loop(0), loop(1)]);

    expect(turns).toEqual([5, 5]);
  });
});
