import { describe, expect, it } from '@jest/globals';

import { Backlog } from '../../../../src/http/connection/backlog.js';
import { ManualClock } from '../../../../testing/clock.js';

const MINUTE = 60_000;

function rig(limit = 100): {
  backlog: Backlog;
  clock: ManualClock;
  cut: string[];
  wait: (name: string, bytes: Uint8Array, own?: number) => () => void;
} {
  const clock = new ManualClock();
  const backlog = new Backlog(clock, limit);
  const cut: string[] = [];
  return {
    backlog,
    clock,
    cut,
    wait: (name, bytes, own = 0) => backlog.add({ bytes, own, disconnect: () => cut.push(name) }),
  };
}

describe('what waits for readers', () => {
  it('waiting bytes count once for readers that share them, and not after they are read', () => {
    const { backlog, wait } = rig();
    const same = new Uint8Array(40);
    const first = wait('a', same, 3);
    const second = wait('b', same, 4);
    expect(backlog.bytes).toBe(47);
    first();
    first();
    expect(backlog.bytes).toBe(44);
    second();
    expect(backlog.bytes).toBe(0);
  });

  it('a reader that accepts nothing for a minute is disconnected', async () => {
    const { backlog, clock, cut, wait } = rig();
    wait('stuck', new Uint8Array(10));
    const slow = wait('slow', new Uint8Array(10));
    await clock.advance(MINUTE / 2);
    slow();
    wait('slow again', new Uint8Array(10));
    await clock.advance(MINUTE / 2);
    expect(cut).toEqual(['stuck']);
    expect(backlog.bytes).toBe(10);
    await clock.advance(MINUTE);
    expect(cut).toEqual(['stuck', 'slow again']);
    await clock.advance(MINUTE);
    expect([backlog.bytes, clock.pending]).toEqual([0, 0]);
  });

  it('above the limit, the readers with the most bytes for the longest time are disconnected', async () => {
    const { backlog, clock, cut, wait } = rig();
    wait('small and old', new Uint8Array(1));
    wait('large and old', new Uint8Array(60));
    await clock.advance(1000);
    wait('large', new Uint8Array(30));
    expect(cut).toEqual([]);
    await clock.advance(10);
    wait('new', new Uint8Array(40));

    expect(cut).toEqual(['large and old']);
    expect(backlog.bytes).toBe(71);
  });

  it('while the heap is scarce, a quarter of the readers is disconnected at a time', async () => {
    const clock = new ManualClock();
    let scarce = false;
    const backlog = new Backlog(clock, 1000, () => scarce);
    const cut: number[] = [];
    const wait = (at: number): (() => void) =>
      backlog.add({ bytes: new Uint8Array(8 - at), own: 0, disconnect: () => cut.push(at) });
    for (let at = 0; at < 7; at += 1) wait(at);
    await clock.advance(1);
    expect(cut).toEqual([]);
    scarce = true;
    wait(7);
    expect(cut).toEqual([0, 1]);
    // Their memory has to be collected before more readers are disconnected.
    wait(8)();
    expect(cut).toEqual([0, 1]);
    await clock.advance(1000);
    wait(8)();
    expect(cut).toEqual([0, 1, 2, 3]);
  });

  it('the backlog never stays above its limit, even for new readers', () => {
    const { backlog, wait } = rig();
    for (let at = 0; at < 1000; at += 1) {
      wait(String(at), new Uint8Array(at % 70));
      expect(backlog.bytes).toBeLessThanOrEqual(100);
    }
  });
});
