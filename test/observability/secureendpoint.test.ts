import { once } from 'node:events';
import { Agent, get } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Admission } from '../../src/observability/metricsaccess.js';
import { Endpoint } from '../../src/observability/server.js';
import { issueServingCertificate, type ServingCertificate } from '../../src/pki/serving.js';
import { RecordingLog } from '../support/fakes/log.js';

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

beforeAll(async () => {
  pair = await issueServingCertificate({ names: ['localhost'], now: Date.now() });
});

beforeEach(async () => {
  endpoint = new Endpoint({
    name: 'test',
    listen: { host: '127.0.0.1', port: 0 },
    route: () => ({ status: 200, contentType: 'text/plain', body: 'up 1\n' }),
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
    expect(await response.text()).toBe('this port serves HTTPS only\n');
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

  it('the replacement of certificates ends with the endpoint', async () => {
    const before = stopped;
    await endpoint.stop();
    expect(stopped).toBe(before + 1);
  });
});
