import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { mustConform } from './openapi/conformance.js';
import { CANARY } from './client.js';
import { ENGINE_YAML, ENGINES, PATIENT, PLACEMENTS, startRig, type Rig } from './rig.js';
import { answerNormally, PLACEMENT, reply } from './upstream.js';
import { open, parseReplies, readReplies, sendRaw } from './rawclient.js';

const COOKIE = `COOKIE: Authorization: Bearer ${CANARY}\r\n`;
const READ = `GET ${ENGINES} HTTP/1.1\r\nHost: localhost\r\n${COOKIE}\r\n`;
const CREATE = `POST ${ENGINES} HTTP/1.1\r\nHost: localhost\r\n${COOKIE}Content-Type: application/yaml\r\nContent-Length: ${ENGINE_YAML.length}\r\n\r\n${ENGINE_YAML}`;
const REMOVE = `DELETE ${ENGINES}/engine HTTP/1.1\r\nHost: localhost\r\n${COOKIE}\r\n`;

const LIST = { apiVersion: PLACEMENT.apiVersion, kind: 'PlacementList', metadata: {} };

let rig: Rig;

beforeAll(async () => {
  rig = await startRig({ limits: { ...PATIENT, maxConnections: 300 } });
});

afterAll(async () => {
  await rig.stop();
});

beforeEach(() => {
  rig.upstream.script = answerNormally;
  rig.upstream.requests.length = 0;
});

/** Sends a byte at intervals until the server closes the connection; returns what was received. */
function drip(socket: TLSSocket, text: string): Promise<string> {
  return new Promise((resolve) => {
    let at = 0;
    let back = '';
    const timer = setInterval(() => socket.writable && socket.write(text[at++ % text.length] ?? ''), 50);
    socket.on('data', (chunk: Buffer) => (back += chunk.toString('latin1')));
    socket.on('close', () => {
      clearInterval(timer);
      resolve(back);
    });
  });
}

/** The status codes of the responses, after these were checked against the OpenAPI document. */
function checkedStatusCodes(method: string, text: string): number[] {
  const replies = parseReplies(Buffer.from(text, 'latin1'));
  for (const reply of replies) mustConform(method, ENGINES, reply);
  return replies.map(({ status }) => status);
}

afterAll(() => {
  expect(rig.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

describe('a client that closes its connection', () => {
  it.each([
    ['GET', READ],
    ['POST', CREATE],
    ['DELETE', REMOVE],
  ])(
    'the gateway aborts the upstream call of a client that disconnects during a %s at once, before any timeout',
    async (_method, bytes) => {
      const manualTime = await startRig({ clock: new ManualClock(Date.now()) });
      manualTime.upstream.script = () => undefined;
      const socket = await open(manualTime.wire);
      socket.write(bytes);
      await waitFor('the call upstream', () => manualTime.upstream.requests.length === 1, { everyMs: 5 });
      const [upstream] = manualTime.upstream.sockets;
      const ended = upstream === undefined ? Promise.reject(new Error('no connection')) : once(upstream, 'close');

      socket.destroy();

      await ended;
      expect(manualTime.upstream.requests).toHaveLength(1);
      await manualTime.stop();
    },
  );

  it('the gateway aborts the upstream call of a client that disconnects with a TLS close_notify', async () => {
    rig.upstream.script = () => undefined;
    const socket = await open(rig.wire);
    socket.write(READ);
    await waitFor('the call upstream', () => rig.upstream.requests.length === 1, { everyMs: 5 });
    const [upstream] = rig.upstream.sockets;

    socket.end();

    if (upstream !== undefined && !upstream.destroyed) await once(upstream, 'close');
    expect([...rig.upstream.sockets].filter((one) => !one.destroyed)).toEqual([]);
  });

  it('the gateway makes no upstream call for a client that disconnects in the middle of its body', async () => {
    const posts = (): object[] =>
      rig.log.lines.filter(({ message, fields }) => message === 'request' && Object(fields)['method'] === 'POST');
    const socket = await open(rig.wire);
    socket.write(CREATE.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n').slice(0, -5));
    // The head has been parsed when 100 Continue is received.
    await once(socket, 'data');
    socket.destroy();
    await waitFor('the connection to be gone', async () =>
      (await rig.metrics.text()).includes('multicluster_gateway_connections 0\n'),
    );
    await waitFor('the access log', () => posts().length > 0);

    expect(rig.upstream.requests).toEqual([]);
    expect(posts()).toMatchObject([{ fields: { whole: false } }]);
  });

  it('the gateway leaks no connection and no memory budget when clients disconnect 200 times', async () => {
    rig.upstream.script = () => undefined;
    for (let round = 0; round < 4; round++) {
      const sockets = await Promise.all(Array.from({ length: 50 }, () => open(rig.wire)));
      sockets.forEach((socket, index) => socket.write([READ, CREATE, REMOVE, CREATE.slice(0, -3)][index % 4] ?? ''));
      await waitFor(
        'the calls upstream',
        () => rig.upstream.sockets.size === 38 && rig.upstream.requests.length === (round + 1) * 38,
      );
      for (const socket of sockets) socket.destroy();
      await waitFor('every connection upstream to be gone', () => rig.upstream.sockets.size === 0);
    }

    await waitFor('every connection to be gone', async () =>
      (await rig.metrics.text()).includes('multicluster_gateway_connections 0\n'),
    );
    expect(rig.upstream.requests).toHaveLength(4 * 38);
  });
});

describe('a client that does not read its response', () => {
  const LARGE = 'x'.repeat(16 * 1024 * 1024);

  it('the gateway disconnects a client that stops reading its response, and delays no other client', async () => {
    const clock = new ManualClock(Date.now());
    const ownRig = await startRig({ clock, upstreamTimeoutMs: 600_000 });
    ownRig.upstream.script = (_request, socket) =>
      socket.write(reply(200, { ...LIST, items: [{ ...PLACEMENT, spec: { x: LARGE } }] }));
    const socket = await open(ownRig.wire);
    socket.write(`GET ${PLACEMENTS} HTTP/1.1\r\nHost: localhost\r\n${COOKIE}\r\n`);
    await new Promise((resolve) => socket.once('readable', resolve));
    expect((await ownRig.ask({ path: '/livez', token: '' })).status).toBe(200);
    expect(ownRig.upstream.sockets.size).toBe(1);

    await waitFor('the connection upstream to be gone', async () => {
      await clock.advance(60_000);
      return ownRig.upstream.sockets.size === 0;
    });
    const taken = await new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      socket.on('close', () => resolve(text));
    });
    expect(taken.length).toBeLessThan(LARGE.length);
    expect(String(await ownRig.metrics.text())).toMatch(
      /multicluster_gateway_abandoned_requests_total\{route="[^"]+"\} 1/,
    );
    await ownRig.stop();
  });

  it('the gateway sends a client no further response before the client has read the first', async () => {
    const ownRig = await startRig();
    const socket = await open(ownRig.wire);
    socket.pause();
    socket.write(`GET ${PLACEMENTS} HTTP/1.1\r\nHost: localhost\r\n${COOKIE}\r\n`.repeat(1_000));
    await waitFor('the end of the connection', async () =>
      (await ownRig.metrics.text()).includes('multicluster_gateway_connections 0\n'),
    );

    expect(ownRig.upstream.requests.length).toBeLessThanOrEqual(2);
    socket.destroy();
    await ownRig.stop();
  });
});

describe('a slow client', () => {
  let limited: Rig;

  beforeAll(async () => {
    // Node measures these timeouts by itself from the start of a connection: long enough for a handshake and a head on
    // any machine.
    limited = await startRig({ limits: { maxConnections: 300, headerTimeoutMs: 5_000, requestTimeoutMs: 7_000 } });
  });

  afterAll(async () => {
    await limited.stop();
    expect(limited.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('the gateway sends an error to a client that sends its head too slowly, and disconnects it', async () => {
    const back = await drip(
      await open(limited.wire),
      `GET ${ENGINES} HTTP/1.1\r\nHost: localhost\r\n${'X: y\r\n'.repeat(1000)}`,
    );

    expect(checkedStatusCodes('GET', back)).toEqual([408]);
    expect(limited.upstream.requests).toEqual([]);
  });

  it('the gateway sends an error to a client that sends its body too slowly, and disconnects it', async () => {
    const socket = await open(limited.wire);
    socket.write(
      `POST ${ENGINES} HTTP/1.1\r\nHost: localhost\r\n${COOKIE}Content-Type: application/yaml\r\nContent-Length: 60000\r\n\r\n`,
    );

    expect(checkedStatusCodes('POST', await drip(socket, '# '))).toEqual([408]);
    expect(limited.upstream.requests).toEqual([]);
    await waitFor('the access log', () => limited.log.lines.some(({ fields }) => Object(fields)['code'] === 408));
    expect(String(await limited.metrics.text())).toContain(
      `multicluster_gateway_requests_total{route="${ENGINES}",method="POST",code="408"} 1\n`,
    );
  });

  it('the gateway disconnects a client that sends nothing', async () => {
    const socket = await open(limited.wire);
    socket.resume();

    await once(socket, 'close');
    expect(limited.upstream.requests).toEqual([]);
  });

  it('the gateway disconnects a client that does not finish the TLS handshake', async () => {
    const { connect } = await import('node:net');
    const socket = connect({ port: limited.wire.port, host: '127.0.0.1' });
    socket.resume();
    socket.write(Buffer.from([0x16, 3, 1, 2]));

    await once(socket, 'close');
    expect(limited.upstream.requests).toEqual([]);
  });
});

describe('connections at the limit', () => {
  it('the gateway replaces idle connections by new ones at the connection limit', async () => {
    const crowd = await Promise.all(Array.from({ length: 300 }, () => open(rig.wire)));

    const { replies } = await sendRaw(READ, rig.wire);

    expect(replies).toMatchObject([{ status: 200 }]);
    for (const socket of crowd) socket.destroy();
  });

  it('the gateway replaces connections in the middle of a slow request by new ones at the connection limit', async () => {
    const small = await startRig({ limits: { ...PATIENT, maxConnections: 10 } });
    const slow = await Promise.all(Array.from({ length: 10 }, () => open(small.wire)));
    for (const socket of slow) socket.write(CREATE.slice(0, -1));
    await waitFor('the reviews of their tokens', async () =>
      (await small.metrics.text()).includes(
        'multicluster_gateway_upstream_requests_total{method="POST",code="201"} 10\n',
      ),
    );

    const { replies } = await sendRaw(READ, small.wire);

    expect(replies).toMatchObject([{ status: 200 }]);
    expect(String(await small.metrics.text())).toContain(
      'multicluster_gateway_dropped_connections_total{cause="capacity"} 1\n',
    );
    expect(small.upstream.requests.map(({ method }) => method)).toEqual(['GET']);
    for (const socket of slow) socket.destroy();
    await small.stop();
  });

  it('the gateway closes a new connection at the connection limit while upstream calls are in progress on all others', async () => {
    const small = await startRig({ limits: { ...PATIENT, maxConnections: 10 } });
    small.upstream.script = () => undefined;
    const busy = await Promise.all(Array.from({ length: 10 }, () => open(small.wire)));
    for (const socket of busy) socket.write(READ);
    await waitFor('every call upstream', () => small.upstream.requests.length === 10);

    await expect(open(small.wire)).rejects.toThrow(/socket|ECONNRESET|EPIPE/);

    for (const socket of busy) socket.destroy();
    await small.stop();
  });
});

describe('several requests on one connection', () => {
  it('the gateway answers several requests on one connection in order', async () => {
    const socket = await open(rig.wire);
    for (let index = 0; index < 5; index++) {
      const { replies } = await readReplies(socket, () => socket.write(CREATE));
      for (const one of replies) mustConform('POST', ENGINES, one);
      expect(replies.map(({ status }) => status)).toEqual([200]);
      socket.removeAllListeners('data');
    }
    socket.destroy();
    expect(rig.upstream.requests).toHaveLength(5);
  });

  it('the gateway answers the first of several pipelined requests, then closes the connection', async () => {
    const { replies, closed } = await sendRaw(CREATE + REMOVE + REMOVE, rig.wire, 3);

    expect(replies.map(({ status }) => status)).toEqual([200]);
    expect(closed).toBe(true);
    expect(rig.upstream.requests.map(({ method }) => method)).toEqual(['POST']);
  });
});

describe('malformed bytes after a complete request', () => {
  const AFTER = [
    '\x00\x01\x02',
    'FOO / HTTP/1.1\r\n\r\n',
    'GET / HTTP/1.1\r\nCOOKIE: \x00\r\n\r\n',
    `GET / HTTP/1.1\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
    'GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
  ];

  it.each(
    AFTER.flatMap(
      (after) =>
        [
          ['POST', CREATE, after],
          ['GET', READ, after],
          ['DELETE', REMOVE, after],
        ] as const,
    ),
  )(
    'the gateway answers a %s that is followed by malformed bytes, and not the bytes (case %#)',
    async (method, before, after) => {
      const { replies, closed } = await sendRaw(before + after, rig.wire, 2);

      expect({ codes: replies.map(({ status }) => status), closed }).toEqual({ codes: [200], closed: true });
      expect(rig.upstream.requests.map((request) => request.method)).toEqual([method]);
    },
  );

  it('the gateway does not truncate a response in progress when malformed bytes follow the request', async () => {
    const list = {
      ...LIST,
      metadata: {},
      items: Array.from({ length: 40 }, (_, index) => ({
        ...PLACEMENT,
        metadata: { name: `web-${index}`, annotations: { a: 'x'.repeat(60_000) } },
      })),
    };
    rig.upstream.script = (_request, socket) => socket.write(reply(200, list));
    const socket = await open(rig.wire);
    socket.pause();
    socket.write(`GET ${PLACEMENTS} HTTP/1.1\r\nHost: localhost\r\n${COOKIE}\r\n`);
    await new Promise((resolve) => socket.once('readable', resolve));

    const { replies } = await readReplies(socket, () => socket.write('\x00'), { wanted: 2 });

    expect(replies.map(({ status, body }) => [status, body.length])).toEqual([[200, JSON.stringify(list).length]]);
    socket.destroy();
  });
});

describe('a client that sends Expect: 100-continue', () => {
  const expecting = (token: string, length: number): string =>
    `POST ${ENGINES} HTTP/1.1\r\nHost: localhost\r\n${token}Content-Type: application/yaml\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;

  it('the gateway sends 100 Continue to a client that expects it when it has accepted the head', async () => {
    const socket = await open(rig.wire);
    socket.write(expecting(COOKIE, ENGINE_YAML.length));
    const [chunk] = await once(socket, 'data');

    expect(String(chunk)).toMatch(/^HTTP\/1\.1 100 Continue/);
    const { replies } = await readReplies(socket, () => socket.write(ENGINE_YAML));
    for (const one of replies) mustConform('POST', ENGINES, one);
    expect(replies).toMatchObject([{ status: 200 }]);
    socket.destroy();
  });

  it.each<[string, string, number, number]>([
    ['a token', '', 10, 403],
    ['a body that fits', COOKIE, 2 ** 30, 413],
  ])('the gateway sends no 100 Continue to a client that expects it without %s', async (_what, token, length, code) => {
    const { replies, bytes } = await sendRaw(expecting(token, length), rig.wire);

    expect(replies).toMatchObject([{ status: code }]);
    expect(bytes.toString()).not.toContain('100 Continue');
    expect(rig.upstream.requests).toEqual([]);
  });
});
