import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, get } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect as connectPlain, type Socket } from 'node:net';
import { setImmediate as nextPass } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Admission } from '../../../src/runtime/endpoints/metricsaccess.js';
import { Endpoint } from '../../../src/runtime/endpoints/server.js';
import { issueServingCertificate, type ServingCertificate } from '../../../src/runtime/tls/serving.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { systemClock } from '../../../src/runtime/clock.js';
import { recordedHello } from '../../support/clients/clienthello.js';
import { RecordingLog } from '../../support/fakes/log.js';

const DECISIONS: Readonly<Record<string, Admission>> = { good: 'allowed', poor: 'forbidden', late: 'busy' };

let pair: ServingCertificate;
let use: (cert: string, key: string) => void;
let endpoint: Endpoint;
let port: number;
let stopped = 0;

async function ask(authorization?: string, agent?: Agent): Promise<[number | undefined, string | undefined, string]> {
  const headers = authorization === undefined ? {} : { authorization };
  const request = get({ host: 'localhost', port, path: '/metrics', ca: pair.certificate, headers, agent });
  const [response] = await once(request, 'response');
  return [response.statusCode, response.headers.connection, await text(response)];
}

async function opened(): Promise<TLSSocket> {
  const socket = connect({ host: 'localhost', port, ca: pair.certificate, servername: 'localhost' });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

/** A connection without a TLS handshake. */
async function openedPlain(): Promise<Socket> {
  const socket = connectPlain({ host: '127.0.0.1', port }).on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

beforeAll(async () => {
  pair = await issueServingCertificate({ names: ['localhost'], now: Date.now() });
});

beforeEach(async () => {
  endpoint = new Endpoint({
    name: 'test',
    listen: { host: '127.0.0.1', port: 0 },
    route: () => ({ status: 200, contentType: 'text/plain', body: 'up 1\n' }),
    clock: systemClock,
    log: new RecordingLog(),
    secure: {
      access: {
        decide: async (header = '') =>
          header === 'Bearer never' ? new Promise(() => undefined) : (DECISIONS[header.slice(7)] ?? 'unauthenticated'),
      },
      serve: async (setter) => {
        use = setter;
        use(pair.certificate, pair.privateKey);
      },
      stop: () => void (stopped += 1),
    },
  });
  port = await endpoint.start();
});

afterEach(() => endpoint.stop());

describe('a secure endpoint', () => {
  it.each([
    ['Bearer good', 200, 'keep-alive'],
    ['Bearer poor', 403, 'close'],
    ['Bearer late', 503, 'close'],
    ['Bearer other', 401, 'close'],
    [undefined, 401, 'close'],
  ])('a request with the header %j gets %i and the connection %s', async (header, code, connection) => {
    const agent = new Agent({ keepAlive: true });
    const [status, next, body] = await ask(header, agent);
    agent.destroy();

    expect([status, next]).toEqual([code, connection]);
    expect(body === 'up 1\n').toBe(code === 200);
  });

  it('a request without TLS gets 400 and one line, and no metrics', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: 'Bearer good' } });

    expect([response.status, response.headers.get('connection')]).toEqual([400, 'close']);
    expect(await response.text()).toBe('This port serves HTTPS only.\n');
  });

  it('a new certificate is used from the next connection on', async () => {
    const next = await issueServingCertificate({ names: ['localhost'], now: Date.now() });
    use(next.certificate, next.privateKey);

    await expect(ask('Bearer good')).rejects.toThrow('self-signed certificate');
    pair = next;
    expect(await ask('Bearer good')).toEqual([200, expect.anything(), 'up 1\n']);
  });

  it('a second request before the first response closes the connection', async () => {
    const socket = await opened();
    const closed = once(socket, 'close');
    const head = 'GET /metrics HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer never\r\n\r\n';
    socket.write(head + head);

    await closed;
  });

  it('connections without an accepted token keep nobody out, and close no connection with one', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await ask('Bearer good', agent);
    const [kept] = Object.values(agent.freeSockets).flat();
    const silent: TLSSocket[] = [];
    for (let count = 0; count < 70; count++) silent.push(await opened());

    const reply = await ask('Bearer good', agent);

    expect(reply[0]).toBe(200);
    expect(Object.values(agent.freeSockets).flat()[0]).toBe(kept);
    expect((await ask('Bearer good'))[0]).toBe(200);
    agent.destroy();
    for (const socket of silent) socket.destroy();
  });

  it('handshakes that begin at once are answered in one pass of the event loop each, so that they do not block it', async () => {
    const hello = await recordedHello();
    let accepted = 0;
    const onAccepted = (): number => (accepted += 1);
    subscribe('net.server.socket', onAccepted);
    const clients = await Promise.all(Array.from({ length: 60 }, openedPlain));
    // Node accepts one connection in each pass; that would be enough if all of them sent their first bytes at once.
    await waitFor('the connections', () => accepted === clients.length);
    unsubscribe('net.server.socket', onAccepted);
    let answered = 0;
    for (const client of clients) client.once('data', () => (answered += 1));

    for (const client of clients) client.write(hello);

    const inPasses: number[] = [];
    while (answered < clients.length) {
      const before = answered;
      await nextPass();
      inPasses.push(answered - before);
    }
    // The operating system may deliver the answers of a few passes together.
    expect(Math.max(...inPasses)).toBeLessThan(clients.length / 4);
    for (const client of clients) client.destroy();
  });

  it('an endpoint stops at once although a client has only begun its handshake', async () => {
    const client = await openedPlain();
    client.write(await recordedHello());
    await once(client, 'data');

    let stopped = false;
    void endpoint.stop().then(() => (stopped = true));

    // The time limit of a handshake is 5 s.
    await waitFor('the end of the endpoint', () => stopped, { deadlineMs: 4_000 });
  });

  it('the replacement of certificates ends with the endpoint', async () => {
    const before = stopped;
    await endpoint.stop();
    expect(stopped).toBe(before + 1);
  });
});
