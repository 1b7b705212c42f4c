import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { ServerClock } from '../../../src/runtime/transport/serverclock.js';

const HUB = Date.parse('2026-11-22T10:00:00Z');
const DAY = 86_400_000;

/** A node whose wall clock is wrong, and the clock of the hub as it learns it. */
function node(): { readonly local: ManualClock; readonly clock: ServerClock; respond(over?: Response): Promise<void> } {
  const local = new ManualClock();
  const clock = new ServerClock(local);
  const start = local.monotonic();
  return {
    local,
    clock,
    /** A response whose header is half a second old. */
    async respond({ off = 0, took = 0 }: Response = {}) {
      const sentAt = local.monotonic();
      await local.advance(took);
      clock.observe(new Date(HUB + local.monotonic() - start + off - 500).toUTCString(), sentAt);
    },
  };
}

interface Response {
  /** By how much the server's clock is ahead of the others, in ms. */
  readonly off?: number;
  /** How long the response took, in ms. */
  readonly took?: number;
}

describe('ServerClock', () => {
  it('the time is that of the local clock until a response has come, then that of the server', async () => {
    const { local, clock, respond } = node();
    expect(clock.now()).toBe(local.now());

    await respond();
    await local.advance(90_000);

    expect(Math.abs(clock.now() - HUB - 90_000)).toBeLessThanOrEqual(1_000);
  });

  it('the time follows most of the servers, and neither one that is wrong nor a slow response', async () => {
    const { local, clock, respond } = node();
    for (let response = 0; response < 9; response++) {
      await respond(response % 3 === 0 ? { off: DAY } : {});
      await respond({ off: 5_000, took: 2_001 });
      await local.advance(5_000);
    }

    expect(Math.abs(clock.now() - HUB - 9 * 7_001)).toBeLessThanOrEqual(1_000);
  });

  it('the time follows a server that is set to another time within a minute', async () => {
    const { local, clock, respond } = node();
    for (let response = 0; response < 9; response++) await respond();
    for (let response = 0; response < 9; response++) {
      await local.advance(5_000);
      await respond({ off: DAY });
    }

    expect(Math.abs(clock.now() - HUB - DAY - 45_000)).toBeLessThanOrEqual(1_000);
  });

  it.each([undefined, '', 'yesterday', ['Sun, 22 Nov 2026 10:00:00 GMT']])('the header %j changes nothing', (date) => {
    const { local, clock } = node();

    clock.observe(date, local.monotonic());

    expect(clock.now()).toBe(local.now());
  });

  it('how far the local clock is ahead is not known until a response has come', async () => {
    const { local, clock, respond } = node();
    expect(clock.localAheadMs).toBeUndefined();

    await respond();

    expect(clock.localAheadMs).toBe(local.now() - clock.now());
  });
});
