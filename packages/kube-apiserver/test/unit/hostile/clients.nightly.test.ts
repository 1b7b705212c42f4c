import { connect as plainConnect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { connectionLimit } from '../../../testing/files.js';
import { waitFor } from '../../../testing/wait.js';
import { head, ServerProcess } from './serverprocess.js';

/** Time limit in ms, far above what a test takes: machines are slow and busy. */
const LONG = 600_000;
const FILE = 'test/unit/hostile/clients.nightly.test.ts';
const MB = 1024 * 1024;
const MAPS = '/api/v1/namespaces/default/configmaps';
/** The allowed growth of the server's memory: unbounded buffers would need far more. */
const MOST = 300 * MB;

let server: ServerProcess;
let open: (TLSSocket | Socket)[] = [];

beforeAll(async () => {
  server = await ServerProcess.start();
  // 12 MB in all: a list of it exceeds the buffers of the system.
  for (let count = 0; count < 30; count++) {
    const { status } = await server.call({
      method: 'POST',
      path: MAPS,
      body: { metadata: { name: `big-${count}` }, data: { text: 'x'.repeat(400_000) } },
    });
    expect(status).toBe(201);
  }
}, LONG);

afterEach(() => {
  for (const socket of open) socket.destroy();
  open = [];
});

afterAll(() => server.stop(), LONG);

async function sockets(count: number): Promise<TLSSocket[]> {
  const made: TLSSocket[] = [];
  while (made.length < count)
    made.push(
      ...(await Promise.all(Array.from({ length: Math.min(50, count - made.length) }, () => server.connect()))),
    );
  open.push(...made);
  return made;
}

/** Other clients are served: writes, reads and a watch, each within a client's time limit. */
async function serves(): Promise<void> {
  const name = `other-${open.length}`;
  const answers = [
    await server.call({ method: 'POST', path: MAPS, body: { metadata: { name } } }),
    await server.call({ path: `${MAPS}/${name}` }),
    await server.call({ path: `${MAPS}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3D${name}` }),
    await server.call({ method: 'DELETE', path: `${MAPS}/${name}` }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
}

/** Writes that every watch of ConfigMaps receives. */
async function stir(times: number): Promise<void> {
  const text = 'y'.repeat(100_000);
  for (let count = 0; count < times; count++) {
    const { status } = await server.call({
      method: 'PATCH',
      path: `${MAPS}/big-0`,
      body: { data: { text, count: String(count) } },
      contentType: 'application/merge-patch+json',
    });
    expect(status).toBe(200);
  }
}

describe('misbehaving clients', () => {
  it(
    'clients that send a request byte by byte do not delay others',
    async () => {
      const before = server.memory();
      const heads = await sockets(200);
      const bodies = await sockets(100);
      const request = head('POST', MAPS, ['Content-Type: application/json', 'Content-Length: 3000000']);
      for (const socket of bodies) socket.write(request);
      for (let at = 0; at < 10; at++) {
        for (const socket of heads) socket.write(request.charAt(at));
        for (const socket of bodies) socket.write(' ');
        await serves();
      }
      expect(server.memory() - before).toBeLessThan(MOST);
    },
    LONG,
  );

  it(
    'clients that never read a large list take no more memory than its size each',
    async () => {
      const before = server.memory();
      for (const socket of await sockets(20)) {
        socket.pause();
        socket.write(head('GET', MAPS));
      }
      await serves();
      await serves();
      expect(server.memory() - before).toBeLessThan(MOST + 20 * 13 * MB);
    },
    LONG,
  );

  it(
    'clients that never read their watch do not take memory for all its events',
    async () => {
      const before = server.memory();
      const readers = await sockets(100);
      for (const socket of readers) {
        socket.pause();
        socket.write(head('GET', `${MAPS}?watch=true&resourceVersion=0&fieldSelector=metadata.name%3Dbig-0`));
      }
      await serves();
      await stir(100);
      await serves();
      expect(server.memory() - before).toBeLessThan(MOST);
    },
    LONG,
  );

  it(
    'a thousand idle watches get new events, take little memory, and leave none',
    async () => {
      const before = server.memory();
      const watches = await sockets(connectionLimit(1000, FILE));
      let received = 0;
      for (const socket of watches) {
        let text = '';
        socket.on('data', (part: Buffer) => {
          text = text.slice(-40) + part.toString('latin1');
          if (!text.includes('"idle-end"')) return;
          text = '';
          received += 1;
        });
        socket.write(head('GET', '/apis/coordination.k8s.io/v1/leases?watch=true'));
      }
      await serves();
      expect(server.memory() - before).toBeLessThan(MOST);
      const lease = { metadata: { name: 'idle-end' } };
      expect(
        (
          await server.call({
            method: 'POST',
            path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
            body: lease,
          })
        ).status,
      ).toBe(201);
      await waitFor('all watches to receive the event', (seen) => {
        seen(received);
        return received >= watches.length;
      });
      for (const socket of watches) socket.destroy();
      await serves();
    },
    LONG,
  );

  it(
    'clients above the connection limit do not affect those that are connected',
    async () => {
      const before = server.memory();
      // The server accepts 10,000.
      for (let left = connectionLimit(10_500, FILE); left > 0; left -= 500) {
        const some = Array.from({ length: Math.min(500, left) }, () =>
          plainConnect({ host: '127.0.0.1', port: server.port }).on('error', () => undefined),
        );
        open.push(...some);
        await Promise.all(
          some.map(
            (socket) =>
              new Promise<void>(
                (resolve) => void socket.once('connect', () => resolve()).once('close', () => resolve()),
              ),
          ),
        );
      }
      await serves();
      expect(server.memory() - before).toBeLessThan(MOST);
      for (const socket of open) socket.destroy();
      await waitFor('a new connection to be served', async () => {
        const session = server.session();
        const { status } = await session.call({ path: '/readyz' });
        session.close();
        return status === 200;
      });
    },
    LONG,
  );
});
