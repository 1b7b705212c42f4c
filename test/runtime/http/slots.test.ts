import { describe, expect, it } from '@jest/globals';

import { Slots } from '../../../src/runtime/http/slots.js';

describe('slots', () => {
  const never = new AbortController().signal;
  const LEFT = new Error('the client has gone');

  it('slots are taken in the order of asking', async () => {
    const slots = new Slots(1);
    const order: number[] = [];
    const all = [1, 2, 3].map((index) => slots.take(never).then(() => order.push(index)));
    await all[0];
    slots.release();
    await all[1];
    slots.release();
    await all[2];

    expect({ order, waiting: slots.waiting }).toEqual({ order: [1, 2, 3], waiting: 0 });
  });

  it('a slot is taken at once when one is free, and otherwise not', async () => {
    const slots = new Slots(2);
    await slots.take(never);

    expect([slots.tryTake(), slots.tryTake()]).toEqual([true, false]);
    slots.release();
    expect(slots.tryTake()).toBe(true);
  });

  it('whoever stops waiting for a slot is passed over', async () => {
    const slots = new Slots(1);
    await slots.take(never);
    const leaving = new AbortController();
    const first = slots.take(leaving.signal).catch((error: unknown) => error);
    const second = slots.take(never);

    leaving.abort(LEFT);
    expect(await first).toBe(LEFT);
    expect(slots.waiting).toBe(1);
    slots.release();

    await second;
  });

  it('nobody who has stopped already takes a slot', async () => {
    const slots = new Slots(1);

    await expect(slots.take(AbortSignal.abort(LEFT))).rejects.toBe(LEFT);
    await slots.take(never);
    expect(slots.waiting).toBe(0);
  });
});
