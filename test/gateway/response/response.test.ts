import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';

import { describe, expect, it } from '@jest/globals';

import { writeResponse } from '../../../src/gateway/response/response.js';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';

const MIB = 1024 * 1024;
const MINUTE = 60_000;

/** A connection whose client takes what was written only when `takeOne` is called. */
class SlowConnection extends Duplex {
  taken = '';
  #write: (() => void) | undefined;

  override _read(): void {}

  override _writev(parts: { readonly chunk: Buffer }[], done: () => void): void {
    this.#write = () => {
      this.taken += Buffer.concat(parts.map(({ chunk }) => chunk)).toString('latin1');
      done();
    };
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this._writev([{ chunk }], done);
  }

  /** Whether something was written that is not taken. */
  get waiting(): boolean {
    return this.#write !== undefined;
  }

  takeOne(): void {
    const write = this.#write;
    this.#write = undefined;
    write?.();
  }
}

interface Case {
  readonly clock: ManualClock;
  readonly connection: SlowConnection;
  readonly response: ServerResponse;
}

function start(): Case {
  const connection = new SlowConnection();
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.assignSocket(Object(connection));
  // As the HTTP server does it.
  connection.on('drain', () => response.emit('drain'));
  return { clock: new ManualClock(), connection, response };
}

/** Takes piece after piece, each after `ms`, until nothing more is written. */
async function takeSlowly({ clock, connection }: Case, ms: number): Promise<number> {
  let pieces = 0;
  for (await settle(); connection.waiting; await settle()) {
    await clock.advance(ms);
    connection.takeOne();
    pieces += 1;
  }
  return pieces;
}

async function* chunks(count: number): AsyncGenerator<Buffer> {
  for (let index = 0; index < count; index++) yield Buffer.alloc(64 * 1024, 'x');
}

const LARGE = [
  ['a body', () => ({ code: 200, headers: {}, body: 'x'.repeat(MIB) })],
  ['a stream', () => ({ code: 200, headers: {}, stream: chunks(16) })],
] as const;

describe('a response to a slow client', () => {
  it('a response with a stream is written to its end while the client takes a piece each minute', async () => {
    const slow = start();
    const written = writeResponse(slow.response, { code: 200, headers: {}, stream: chunks(16) }, slow.clock);

    const pieces = await takeSlowly(slow, MINUTE - 1);
    await written;

    expect(pieces).toBeGreaterThan(10);
    expect({ finished: slow.response.writableFinished, xs: slow.connection.taken.match(/x/g)?.length }).toEqual({
      finished: true,
      // One is of the header x-content-type-options.
      xs: MIB + 1,
    });
    expect(slow.clock.pending).toBe(0);
  });

  it('a response with a body is written to its end when the client takes it within a minute', async () => {
    const slow = start();
    const written = writeResponse(slow.response, { code: 200, headers: {}, body: 'x'.repeat(MIB) }, slow.clock);

    await takeSlowly(slow, MINUTE - 1);
    await written;

    expect(slow.response.writableFinished).toBe(true);
    expect(slow.clock.pending).toBe(0);
  });

  it.each(LARGE)('a response with %s ends when the client takes nothing for a minute', async (_what, make) => {
    const slow = start();
    const written = writeResponse(slow.response, make(), slow.clock);
    await settle();
    await slow.clock.advance(MINUTE - 1);
    expect(slow.response.destroyed).toBe(false);

    await slow.clock.advance(1);
    await written;

    expect({ destroyed: slow.connection.destroyed, finished: slow.response.writableFinished }).toEqual({
      destroyed: true,
      finished: false,
    });
    expect(slow.clock.pending).toBe(0);
  });

  it('a response with a stream ends when the client stops in its middle', async () => {
    const slow = start();
    const written = writeResponse(slow.response, { code: 200, headers: {}, stream: chunks(16) }, slow.clock);
    await settle();
    await slow.clock.advance(MINUTE - 1);
    slow.connection.takeOne();
    await settle();
    await slow.clock.advance(MINUTE - 1);
    expect(slow.response.destroyed).toBe(false);

    await slow.clock.advance(1);
    await written;

    expect(slow.connection.destroyed).toBe(true);
  });

  it('a response without a body ends when the client does not take its head for a minute', async () => {
    const slow = start();
    const written = writeResponse(slow.response, { code: 200, headers: {} }, slow.clock);
    await settle();
    await slow.clock.advance(MINUTE);
    await written;

    expect(slow.connection.destroyed).toBe(true);
  });
});

it('the time of a client does not run while the response is waited for', async () => {
  const slow = start();
  let more: () => void = () => undefined;
  const stream = (async function* (): AsyncGenerator<Buffer> {
    yield* chunks(1);
    await new Promise<void>((resolve) => (more = resolve));
    yield* chunks(1);
  })();
  const written = writeResponse(slow.response, { code: 200, headers: {}, stream }, slow.clock);
  await takeSlowly(slow, 1);

  expect(slow.clock.pending).toBe(0);
  await slow.clock.advance(100 * MINUTE);
  more();
  await takeSlowly(slow, 1);
  await written;

  expect(slow.response.writableFinished).toBe(true);
});

it('a response whose stream fails is rejected, with the connection closed', async () => {
  const slow = start();
  const stream = (async function* (): AsyncGenerator<Buffer> {
    yield* chunks(1);
    throw new Error('the stream has failed');
  })();
  const written = writeResponse(slow.response, { code: 200, headers: {}, stream }, slow.clock).catch(String);
  await takeSlowly(slow, 1);

  expect(await written).toBe('Error: the stream has failed');
  expect(slow.connection.destroyed).toBe(true);
  expect(slow.clock.pending).toBe(0);
});
