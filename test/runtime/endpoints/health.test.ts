import { describe, expect, it } from '@jest/globals';
import type { Clock, Timer } from '../../../src/runtime/clock.js';
import { StallDetector } from '../../../src/runtime/endpoints/server.js';

/** A loop whose timer fires only when the test turns it, however late that is. */
class StallingLoop implements Clock {
  #at = 0;
  #armed: (() => void) | undefined;

  now(): number {
    return this.#at;
  }

  monotonic(): number {
    return this.#at;
  }

  after(_ms: number, run: () => void): Timer {
    this.#armed = run;
    return { cancel: () => (this.#armed = undefined) };
  }

  get armed(): boolean {
    return this.#armed !== undefined;
  }

  turnAfter(ms: number): void {
    this.#at += ms;
    this.#armed?.();
  }
}

function run(turns: readonly number[]): string | undefined {
  const loop = new StallingLoop();
  const detector = new StallDetector(loop);
  detector.start();
  for (const ms of turns) loop.turnAfter(ms);
  return detector.check();
}

const smooth = (seconds: number): number[] => Array.from({ length: seconds * 2 }, () => 500);

describe('the stall detector', () => {
  it.each<[string, number[], string | undefined]>([
    ['a loop that turns', smooth(60), undefined],
    ['a busy loop', Array.from({ length: 60 }, () => 950), undefined],
    ['one stall of 20 s', [20_000], undefined],
    ['one stall of 25 s, just over', [25_000], 'stalled for 24500 ms of the last 30000 ms'],
    ['one stall of an hour, a moment later', [3_600_000, ...smooth(1)], 'stalled for 29000 ms of the last 30000 ms'],
    ['one stall of an hour, ten seconds later', [3_600_000, ...smooth(10)], undefined],
    [
      'stalls again and again',
      [6_000, 500, 6_000, 500, 6_000, 500, 6_000, 500],
      'stalled for 22000 ms of the last 30000 ms',
    ],
    ['stalls long ago', [6_000, 6_000, 6_000, 6_000, ...smooth(31)], undefined],
  ])('the stall detector reports the stalls of %s and no others', (_name, turns, verdict) => {
    expect(run(turns)).toBe(verdict);
  });

  it('the stall detector leaves no timer behind', () => {
    const loop = new StallingLoop();
    const detector = new StallDetector(loop);
    detector.start();
    loop.turnAfter(500);

    detector.stop();

    expect(loop.armed).toBe(false);
  });
});
