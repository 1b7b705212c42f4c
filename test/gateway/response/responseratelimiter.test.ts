import { describe, expect, it } from '@jest/globals';

import { ResponseRateLimiter } from '../../../src/gateway/response/responseratelimiter.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

const here = (): AbortSignal => new AbortController().signal;

/** Asks for that many responses at once; returns the times, ms, at which they may be written. */
async function timesOf(clock: ManualClock, limiter: ResponseRateLimiter, count: number): Promise<number[]> {
  const start = clock.monotonic();
  const times: number[] = [];
  const waits = Array.from({ length: count }, async () => {
    await limiter.wait(here());
    times.push(clock.monotonic() - start);
  });
  await clock.advance(10_000);
  await Promise.all(waits);
  return times;
}

describe('the rate limit of responses to clients without an accepted token', () => {
  it('a first response does not wait, and the next ones are written 8 ms apart', async () => {
    const clock = new ManualClock();

    expect(await timesOf(clock, new ResponseRateLimiter(clock), 4)).toEqual([0, 8, 16, 24]);
  });

  it('no response waits longer than 8 s', async () => {
    const clock = new ManualClock();
    const times = await timesOf(clock, new ResponseRateLimiter(clock), 1_500);

    expect([times[999], times[1_002], times[1_499]]).toEqual([7_992, 8_000, 8_000]);
  });

  it('a response that is asked for after a pause does not wait', async () => {
    const clock = new ManualClock();
    const limiter = new ResponseRateLimiter(clock);
    await timesOf(clock, limiter, 2);

    expect(await timesOf(clock, limiter, 1)).toEqual([0]);
  });

  it('a wait ends when its client leaves', async () => {
    const clock = new ManualClock();
    const limiter = new ResponseRateLimiter(clock);
    const left = new AbortController();
    await limiter.wait(here());
    const waiting = limiter.wait(left.signal);

    left.abort('closed');

    await expect(waiting).resolves.toBeUndefined();
  });
});
