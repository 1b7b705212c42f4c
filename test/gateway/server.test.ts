import { once } from 'node:events';

import { afterEach, describe, expect, it } from '@jest/globals';

import { Connections } from '../../src/gateway/server/connections.js';
import { GatewayServer, type IncomingRequest } from '../../src/gateway/server/server.js';
import { createGatewayMetrics } from '../../src/observability/gatewaymetrics.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { pairFor } from './rig.js';
import { open, parseReplies, type RawClientOptions } from './rawclient.js';

const REQUEST = 'GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** More than the operating system buffers for a client that does not read. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

let server: GatewayServer | undefined;
const arrivals: IncomingRequest[] = [];

afterEach(async () => {
  await server?.stop(0);
  server = undefined;
  arrivals.length = 0;
});

/** Starts a server that handles each request with `answer`. */
async function serve(
  answer: (arrival: IncomingRequest, nth: number) => void,
): Promise<RawClientOptions & { readonly clock: ManualClock }> {
  const clock = new ManualClock();
  const limits = { headerTimeoutMs: 60_000, requestTimeoutMs: 60_000 };
  const handler = async (arrival: IncomingRequest): Promise<void> => {
    arrivals.push(arrival);
    const over = new Promise<void>((resolve) => arrival.response.once('close', resolve));
    answer(arrival, arrivals.length);
    await over;
  };
  const connections = new Connections(10);
  server = new GatewayServer({
    limits,
    connections,
    strict: false,
    clock,
    metrics: createGatewayMetrics(),
    handler,
  });
  const pair = await pairFor();
  server.setCertificate({ cert: pair.certificate, key: pair.privateKey, notBefore: 0, notAfter: 0 });
  return { port: await server.start('127.0.0.1', 0), ca: pair.certificate, clock };
}

describe('a server whose client sends requests before it has read the response', () => {
  it('the server serves the next request after the last byte of the previous response was written', async () => {
    const wire = await serve(({ response }, nth) => response.end(nth === 1 ? LARGE : 'second'));
    const socket = await open(wire);
    socket.pause();
    socket.write(REQUEST);
    await waitFor('the first request', () => arrivals.length === 1);
    socket.write(REQUEST);
    await waitFor('the second one', () => server !== undefined && arrivals[0]?.response.writableEnded === true);

    expect(arrivals).toHaveLength(1);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
    await waitFor(
      'the second answer',
      () => arrivals.length === 2 && chunks.at(-1)?.toString('latin1').endsWith('second'),
    );
    socket.destroy();
  });

  it('the server closes the connection at the third request of a client that has read no response', async () => {
    const wire = await serve(({ response }) => response.end(LARGE));
    const socket = await open(wire);
    socket.pause();
    socket.write(REQUEST);
    await waitFor('the first request', () => arrivals.length === 1);
    socket.write(REQUEST.repeat(20));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();

    await new Promise((resolve) => socket.once('close', resolve));
    const replies = parseReplies(Buffer.concat(chunks));
    expect(replies.map(({ body }) => body.length)).toEqual([LARGE.length]);
    expect(arrivals).toHaveLength(1);
  });

  it('the server drops the waiting request when the client closes the connection', async () => {
    const wire = await serve(({ response }) => response.end(LARGE));
    const socket = await open(wire);
    socket.pause();
    socket.write(REQUEST);
    await waitFor('the first request', () => arrivals.length === 1);
    socket.write(REQUEST);
    const [first] = arrivals;
    if (first === undefined) throw new Error('no request');
    const closed = once(first.response, 'close');

    socket.destroy();

    await closed;
    expect(arrivals).toHaveLength(1);
  });
});

describe('a draining server', () => {
  it('a draining server sends Connection: close in the response in progress', async () => {
    const wire = await serve(() => undefined);
    const socket = await open(wire);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.write(REQUEST);
    await waitFor('the request', () => arrivals.length === 1);

    server?.beginDrain();
    arrivals[0]?.response.end('last');

    await new Promise((resolve) => socket.once('close', resolve));
    expect(parseReplies(Buffer.concat(chunks))).toMatchObject([
      { status: 200, headers: { connection: 'close' }, body: 'last' },
    ]);
  });

  it('a draining server serves one more request of a client whose response head was sent before the drain', async () => {
    const wire = await serve(({ response }, nth) => (nth === 1 ? response.write('begun') : response.end('last')));
    const socket = await open(wire);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.write(REQUEST);
    await waitFor('the answer to begin', () => Buffer.concat(chunks).includes('begun'));

    server?.beginDrain();
    arrivals[0]?.response.end('ended');
    await waitFor('the first answer', () => Buffer.concat(chunks).includes('ended'));
    socket.write(REQUEST);

    await new Promise((resolve) => socket.once('close', resolve));
    expect(parseReplies(Buffer.concat(chunks))).toMatchObject([
      { body: 'begunended' },
      { headers: { connection: 'close' }, body: 'last' },
    ]);
  });
});

describe('a malformed request', () => {
  it('a malformed request gets an error response, and its connection is closed when the client does not read it in time', async () => {
    const wire = await serve(() => undefined);
    const socket = await open(wire);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));

    socket.write('nonsense\r\n\r\n');

    await new Promise((resolve) => socket.once('close', resolve));
    expect(parseReplies(Buffer.concat(chunks))).toMatchObject([{ status: 400, headers: { connection: 'close' } }]);
    await waitFor('the timer to be given back', () => wire.clock.pending === 0);
  });

  it('a malformed request during a response closes the connection after that response', async () => {
    const wire = await serve(({ response }) => response.write('begun'));
    const socket = await open(wire);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.write(REQUEST);
    await waitFor('the answer to begin', () => Buffer.concat(chunks).includes('begun'));

    socket.write('nonsense\r\n\r\n');
    arrivals[0]?.response.end('ended');

    await new Promise((resolve) => socket.once('close', resolve));
    expect(parseReplies(Buffer.concat(chunks)).map(({ status, body }) => [status, body])).toEqual([
      [200, 'begunended'],
    ]);
  });
});
