import { describe, expect, it } from '@jest/globals';
import type { Dispatcher } from 'undici';

import { Exchange } from '../../../src/runtime/http/exchange.js';

const LEFT = new Error('the client has left');
const MAX_UNREAD = 64 * 1024;
const PIECE = Buffer.alloc(40 * 1024, 'x');

/** What the dispatcher gives to its handler; keeps what is asked of it. */
class FakeController implements Dispatcher.DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;

  abort(reason: Error): void {
    this.aborted = true;
    this.reason = reason;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }
}

function started() {
  const controller = new FakeController();
  let over = 0;
  const exchange = new Exchange({ maxUnreadBytes: MAX_UNREAD, onOver: () => (over += 1) });
  exchange.onRequestStart(controller);
  return { exchange, controller, over: () => over };
}

describe('an exchange', () => {
  it('an exchange has the head of the response, not of a provisional one, and the chunks of the body in order', async () => {
    const { exchange, controller, over } = started();
    exchange.onResponseStart(controller, 103, { link: 'x' });
    exchange.onResponseStart(controller, 200, { etag: '"1"' });
    exchange.onResponseData(controller, Buffer.from('a'));
    const first = await exchange.next();
    const second = exchange.next();
    exchange.onResponseData(controller, Buffer.from('b'));
    exchange.onResponseEnd();

    expect(await exchange.head).toEqual({ status: 200, headers: { etag: '"1"' } });
    expect([first, await second, await exchange.next()].map(({ value }) => value?.toString())).toEqual([
      'a',
      'b',
      undefined,
    ]);
    expect(over()).toBe(1);
  });

  it('an exchange has the whole body at once when it has arrived, and nothing of one that has failed or goes on', () => {
    const whole = [false, true].map((failed) => {
      const { exchange, controller } = started();
      exchange.onResponseStart(controller, 200, {});
      exchange.onResponseData(controller, Buffer.from('a'));
      exchange.onResponseData(controller, Buffer.from('b'));
      const early = exchange.takeWhole();
      if (failed) exchange.abort(LEFT);
      exchange.onResponseEnd();
      return { early, taken: exchange.takeWhole()?.map(String), again: exchange.takeWhole() };
    });

    expect(whole).toEqual([
      { early: undefined, taken: ['a', 'b'], again: [] },
      { early: undefined, taken: undefined, again: undefined },
    ]);
  });

  it('an exchange reads no more than 64 KiB ahead, and goes on when they are taken', async () => {
    const { exchange, controller } = started();
    exchange.onResponseStart(controller, 200, {});
    exchange.onResponseData(controller, PIECE);
    const before = controller.paused;
    exchange.onResponseData(controller, PIECE);
    const ahead = controller.paused;
    await exchange.next();
    const taken = controller.paused;
    await exchange.next();

    expect({ before, ahead, taken, after: controller.paused }).toEqual({
      before: false,
      ahead: true,
      taken: true,
      after: false,
    });
  });

  it('an exchange that is aborted before the request is sent is not sent, and its connection is free when the dispatcher says so', async () => {
    const controller = new FakeController();
    let over = 0;
    const exchange = new Exchange({ maxUnreadBytes: MAX_UNREAD, onOver: () => (over += 1) });
    exchange.abort(LEFT);
    const before = over;
    exchange.onRequestStart(controller);
    exchange.onResponseError(controller, new Error('aborted'));

    await expect(exchange.head).rejects.toBe(LEFT);
    expect([controller.reason, before, over]).toEqual([LEFT, 0, 1]);
  });

  it('an exchange that is aborted in the middle of the body gives no further chunk', async () => {
    const { exchange, controller } = started();
    exchange.onResponseStart(controller, 200, {});
    exchange.onResponseData(controller, PIECE);
    await exchange.next();
    const next = exchange.next();
    exchange.abort(LEFT);

    await expect(next).rejects.toBe(LEFT);
    exchange.onResponseData(controller, PIECE);
    await expect(exchange.next()).rejects.toBe(LEFT);
  });

  it('an exchange gives the chunks that arrived before an error of the connection, and then what the error means', async () => {
    const controller = new FakeController();
    const meant = new Error('the connection was reset');
    const exchange = new Exchange({ maxUnreadBytes: MAX_UNREAD, onOver: () => undefined, errorFor: () => meant });
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 200, {});
    exchange.onResponseData(controller, Buffer.from('a'));
    exchange.onResponseError(controller, new Error('ECONNRESET'));

    expect(String((await exchange.next()).value)).toBe('a');
    await expect(exchange.next()).rejects.toBe(meant);
  });

  it('an exchange gives the whole body, whatever it had to wait for, up to a limit', async () => {
    const bodies = [100, 200].map(async (limitKib) => {
      const { exchange, controller } = started();
      exchange.onResponseStart(controller, 200, {});
      for (const _ahead of [1, 2]) exchange.onResponseData(controller, PIECE);
      const whole = exchange.bytes(limitKib * 1024);
      const resumed = !controller.paused;
      exchange.onResponseData(controller, PIECE);
      exchange.onResponseEnd();
      return { resumed, bytes: (await whole)?.length, aborted: controller.aborted };
    });

    expect(await Promise.all(bodies)).toEqual([
      { resumed: true, bytes: undefined, aborted: true },
      { resumed: true, bytes: 3 * PIECE.length, aborted: false },
    ]);
  });
});
