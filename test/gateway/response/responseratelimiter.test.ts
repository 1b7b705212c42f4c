import { describe, expect, it } from '@jest/globals';

import { ResponseRateLimiter } from '../../../src/gateway/response/responseratelimiter.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

const KIB = 1024;
const here = (): AbortSignal => new AbortController().signal;

/** Asks for these responses at once; returns the times, ms, at which they may be written. */
async function timesOf(
  clock: ManualClock,
  limiter: ResponseRateLimiter,
  received: readonly number[],
): Promise<number[]> {
  const start = clock.monotonic();
  const times: number[] = [];
  const waits = received.map(async (bytes) => {
    await limiter.wait(bytes, here());
    times.push(clock.monotonic() - start);
  });
  await clock.advance(10_000);
  await Promise.all(waits);
  return times;
}

describe('the rate limit of responses to clients without an accepted token', () => {
  it('a first response does not wait, and the next ones are written 8 ms apart', async () => {
    const clock = new ManualClock();

    expect(await timesOf(clock, new ResponseRateLimiter(clock), [0, 0, 0, 0])).toEqual([0, 8, 16, 24]);
  });

  it('a request body lengthens the wait of those after it by 1 ms for each 4 KiB', async () => {
    const clock = new ManualClock();

    expect(await timesOf(clock, new ResponseRateLimiter(clock), [64 * KIB, 0, 0])).toEqual([0, 24, 32]);
  });

  it('no response waits longer than 8 s', async () => {
    const clock = new ManualClock();
    const times = await timesOf(
      clock,
      new ResponseRateLimiter(clock),
      Array.from({ length: 1_500 }, () => 0),
    );

    expect([times[999], times[1_002], times[1_499]]).toEqual([7_992, 8_000, 8_000]);
  });

  it('a response that is asked for after a pause does not wait', async () => {
    const clock = new ManualClock();
    const limiter = new ResponseRateLimiter(clock);
    await timesOf(clock, limiter, [0, 0]);

    expect(await timesOf(clock, limiter, [0])).toEqual([0]);
  });

  it('a wait ends when its client leaves', async () => {
    const clock = new ManualClock();
    const limiter = new ResponseRateLimiter(clock);
    const left = new AbortController();
    await limiter.wait(0, here());
    const waiting = limiter.wait(0, left.signal);

    left.abort('closed');

    await expect(waiting).resolves.toBeUndefined();
  });
});
