import { once } from 'node:events';
import { createServer, Socket, type AddressInfo } from 'node:net';
import { setImmediate as nextPass } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Handshakes } from '../../../src/runtime/http/handshakes.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const TIMEOUT_MS = 10_000;
/** A TLS record of 20 bytes. */
const HELLO = Buffer.concat([Buffer.from([0x16, 3, 1, 0, 20]), Buffer.alloc(20, 'h')]);

let clock: ManualClock;
let handshakes: Handshakes;
let server: ReturnType<typeof createServer>;
/** What the handshakes that have begun find in the buffers of their sockets. */
const begun: string[] = [];
const opened: Socket[] = [];
let dropped = 0;
let onBegin: () => void;

beforeEach(() => {
  begun.length = 0;
  dropped = 0;
  clock = new ManualClock();
  handshakes = new Handshakes({ clock, timeoutMs: TIMEOUT_MS, onDropped: () => (dropped += 1) });
  onBegin = () => undefined;
  server = createServer((socket) => {
    begun.push(String(socket.read()));
    onBegin();
  });
  handshakes.attach(server);
});

afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

function connected(): Socket {
  const socket = new Socket();
  opened.push(socket);
  server.emit('connection', socket);
  return socket;
}

/** Sends bytes from the client of that connection. */
function send(socket: Socket, bytes: Buffer): void {
  socket.push(bytes);
}

describe('handshakes', () => {
  it('handshakes begin one in each pass of the event loop, that of the newest connection first', async () => {
    const records = ['1', '2', '3'].map((digit) => Buffer.concat([HELLO.subarray(0, 5), Buffer.alloc(20, digit)]));
    for (const record of records) send(connected(), record);
    const counts = [0];
    while (begun.length < records.length) {
      await nextPass();
      counts.push(begun.length);
    }

    expect(begun).toEqual(records.map(String).reverse());
    for (const [at, count] of counts.entries()) expect(count - (counts[at - 1] ?? 0)).toBeLessThanOrEqual(1);
  });

  it('handshakes begin when the first record is complete', async () => {
    const socket = connected();
    for (const byte of HELLO.subarray(0, -1)) send(socket, Buffer.from([byte]));
    await nextPass();
    await nextPass();
    expect(begun).toEqual([]);

    send(socket, HELLO.subarray(-1));

    await waitFor('the handshake', () => begun.length > 0);
    expect(begun).toEqual([String(HELLO)]);
    expect(clock.pending).toBe(0);
  });

  it('handshakes begin with bytes that claim to be a record of 65,535 bytes, as soon as there are 16 KiB', async () => {
    send(connected(), Buffer.concat([Buffer.from([0x16, 3, 1, 255, 255]), Buffer.alloc(16_384)]));

    await waitFor('the handshake', () => begun.length > 0);
  });

  it('handshakes do not begin with HTTP: its client gets one line of text, and is disconnected', async () => {
    const listener = server.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/livez`);

    expect([response.status, response.headers.get('connection')]).toEqual([400, 'close']);
    expect(await response.text()).toBe('This port serves HTTPS only.\n');
    expect([begun, dropped]).toEqual([[], 1]);
    // Ends when the connection is closed.
    await new Promise((resolve) => listener.close(resolve));
  });

  it('handshakes close a connection whose first record is not complete in time', async () => {
    const socket = connected();
    send(socket, HELLO.subarray(0, 8));
    await nextPass();

    await clock.advance(TIMEOUT_MS - 1);
    expect(socket.destroyed).toBe(false);
    await clock.advance(1);

    expect([socket.destroyed, dropped]).toEqual([true, 1]);
    send(connected(), HELLO);
    await waitFor('the other', () => begun.length > 0);
  });

  it('handshakes do not begin for a connection that was closed while it waited', async () => {
    const [older, newer] = [connected(), connected()];
    onBegin = () => older.destroy();
    send(older, HELLO);
    send(newer, HELLO);
    await waitFor('the older one to be closed', () => older.destroyed);
    for (let pass = 0; pass < 3; pass++) await nextPass();

    expect(begun).toHaveLength(1);
  });

  it('handshakes end with the server, whose stop does not wait for silent connections', () => {
    const silent = connected();

    handshakes.close();

    expect(silent.destroyed).toBe(true);
  });
});
