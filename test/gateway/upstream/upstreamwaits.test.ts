import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Upstream, type UpstreamCall, type UpstreamRequest } from '../../../src/gateway/upstream/upstream.js';
import { createGatewayMetrics } from '../../../src/gateway/metrics.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { CANARY } from '../client.js';
import { pairFor } from '../rig.js';
import { ENGINE, answerNormally, RecordingUpstream } from '../upstream.js';

/** Longer than any test takes: undici measures the time of a connection attempt by itself. */
const TIMEOUT_MS = 60_000;
/** The connections that calls with an accepted token may take. */
const CONNECTIONS = 192;
const READ: UpstreamRequest = { method: 'GET', path: '/x', token: CANARY, known: true };
const CREATE: UpstreamRequest = {
  method: 'POST',
  path: '/x',
  token: CANARY,
  known: true,
  body: JSON.stringify(ENGINE),
};
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** Accepts connections for an API server and passes nothing on before it is opened. */
class Gate {
  readonly accepted: Socket[] = [];
  readonly #server: Server;
  #target: number | undefined;

  constructor() {
    this.#server = createServer((socket) => {
      socket.on('error', () => undefined);
      this.accepted.push(socket);
      if (this.#target !== undefined) pass(socket, this.#target);
    });
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Passes all connections on to that port of this machine, also those that were accepted before. */
  open(target: number): void {
    this.#target = target;
    for (const socket of this.accepted) pass(socket, target);
  }

  stop(): void {
    for (const socket of this.accepted) socket.destroy();
    this.#server.close();
  }
}

function pass(socket: Socket, target: number): void {
  const onward = connect(target, '127.0.0.1');
  onward.on('error', () => undefined);
  socket.pipe(onward).pipe(socket);
  socket.on('close', () => onward.destroy());
}

let server: RecordingUpstream;
let gate: Gate;
let upstream: Upstream;
let clock: ManualClock;
let port = 0;

beforeEach(async () => {
  const pair = await pairFor();
  server = new RecordingUpstream(pair);
  port = Number(new URL(await server.start()).port);
  gate = new Gate();
  clock = new ManualClock();
  upstream = new Upstream({
    origin: await gate.start(),
    clock,
    timeoutMs: TIMEOUT_MS,
    userAgent: 'test',
    metrics: createGatewayMetrics(),
  });
  upstream.trust(pair.certificate);
});

afterEach(async () => {
  await upstream.close();
  gate.stop();
  await server.stop();
});

/** Sends a request; resolves with the status code, or the reason why there is none. */
async function send(request: UpstreamRequest, clientGone = new AbortController().signal): Promise<number | string> {
  const call = upstream.begin(request, clientGone);
  try {
    const { status, body } = await call.send();
    for await (const _chunk of body) continue;
    return status;
  } catch (error) {
    return String(Object(error)['reason']);
  } finally {
    call.end();
  }
}

describe('an API server that accepts connections and says nothing', () => {
  it('every call to an API server that says nothing ends at the timeout, also those that wait for a connection', async () => {
    const calls = Array.from({ length: 900 }, () => send(READ));
    await waitFor('the connections', () => gate.accepted.length === CONNECTIONS);

    await clock.advance(TIMEOUT_MS);

    expect(new Set(await Promise.all(calls))).toEqual(new Set(['timeout']));
    expect({ connections: gate.accepted.length, timers: clock.pending }).toEqual({
      connections: CONNECTIONS,
      timers: 0,
    });
  });

  it('a call of a client that leaves ends at once, also while it waits for a connection', async () => {
    const calls = Array.from({ length: CONNECTIONS }, () => send(READ));
    const client = new AbortController();
    const last = send(READ, client.signal);
    await waitFor('the connections', () => gate.accepted.length === CONNECTIONS);

    client.abort();

    expect(await last).toBe('abandoned');
    await clock.advance(TIMEOUT_MS);
    await Promise.all(calls);
  });

  it('requests whose call has ended are never sent, and later ones are', async () => {
    const calls = [send(CREATE), send(CREATE)];
    await waitFor('the connections', () => gate.accepted.length === calls.length);
    await clock.advance(TIMEOUT_MS);
    await Promise.all(calls);

    gate.open(port);
    await waitFor('the end of the connections', () => gate.accepted.every(({ destroyed }) => destroyed));

    expect(await send(READ)).toBe(200);
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
  });
});

describe('an API server that has taken a request and says nothing', () => {
  it.each([
    ['GET', READ],
    ['POST', CREATE],
  ])('a %s that the API server has taken ends at the timeout without a response', async (_method, request) => {
    gate.open(port);
    server.script = () => undefined;
    const call = send(request);
    await waitFor('the request', () => server.requests.length === 1);

    await clock.advance(TIMEOUT_MS - 1);
    expect(clock.pending).toBe(1);
    await clock.advance(1);

    expect(await call).toBe('timeout');
  });
});

describe('the body of a response', () => {
  let call: UpstreamCall;
  let write: (text: string) => void = () => undefined;

  /** Sends the request; the head of its response and ten bytes of its body have arrived. */
  async function begin(request: UpstreamRequest): Promise<AsyncIterableIterator<Buffer>> {
    gate.open(port);
    server.script = (_request, socket) => {
      write = (text) => void socket.write(text);
      write(`${HEAD}Content-Length: 100\r\n\r\n${'x'.repeat(10)}`);
    };
    call = upstream.begin(request, new AbortController().signal);
    const { body } = await call.send();
    expect(String((await body.next()).value)).toBe('x'.repeat(10));
    return body;
  }

  afterEach(() => call.end());

  it('the body of a response to a read may take longer than the timeout in all, while it goes on', async () => {
    const body = await begin(READ);
    for (let index = 0; index < 9; index++) {
      const next = body.next();
      await clock.advance(TIMEOUT_MS - 1);
      write('y'.repeat(10));
      expect(String((await next).value)).toBe('y'.repeat(10));
    }

    expect(await body.next()).toMatchObject({ done: true });
    expect(clock.pending).toBe(0);
  });

  it('the body of a response to a read ends when it stalls for the timeout', async () => {
    const body = await begin(READ);
    const next = body.next().catch((error: unknown) => error);

    await clock.advance(TIMEOUT_MS);

    expect(await next).toMatchObject({ reason: 'timeout' });
  });

  it('the body of a response to a read does not end while nobody asks for it', async () => {
    const body = await begin(READ);
    await clock.advance(100 * TIMEOUT_MS);
    write('y'.repeat(90));

    expect(String((await body.next()).value)).toBe('y'.repeat(90));
  });

  it('the body of a response to a write has to arrive within the timeout of the call', async () => {
    const body = await begin(CREATE);
    const next = body.next();
    await clock.advance(TIMEOUT_MS - 1);
    write('y');
    await next;
    const last = body.next().catch((error: unknown) => error);

    await clock.advance(1);

    expect(await last).toMatchObject({ reason: 'timeout' });
  });
});

it('a call whose body is not read leaves its connection to others', async () => {
  gate.open(port);
  server.script = answerNormally;
  for (let index = 0; index < CONNECTIONS + 10; index++) {
    const call = upstream.begin(READ, new AbortController().signal);
    await call.send();
    call.end();
  }

  expect(await send(READ)).toBe(200);
});

it('calls whose clients leave in the middle of them open no further connections', async () => {
  const LEAVING = 10;
  gate.open(port);
  server.script = () => undefined;
  const client = new AbortController();
  const calls = Array.from({ length: LEAVING }, () => send(READ, client.signal));
  await waitFor('the requests', () => server.requests.length === LEAVING);

  client.abort();

  expect(new Set(await Promise.all(calls))).toEqual(new Set(['abandoned']));
  await waitFor('the end of the connections', () => gate.accepted.every(({ destroyed }) => destroyed));
  server.script = answerNormally;
  expect(await send(READ)).toBe(200);
  expect(gate.accepted.length).toBe(LEAVING + 1);
});

it('a call that cannot connect leaves its connection to others', async () => {
  gate.stop();

  for (let index = 0; index < CONNECTIONS + 10; index++) expect(await send(READ)).toBe('unreachable');
});
