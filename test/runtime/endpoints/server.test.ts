import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  Endpoint,
  healthRoute,
  metricsRoute,
  type Route,
  type HealthCheck,
} from '../../../src/runtime/endpoints/server.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { RecordingLog } from '../../support/fakes/log.js';

const open: Endpoint[] = [];

afterEach(async () => {
  for (const endpoint of open.splice(0)) await endpoint.stop();
});

async function serve(route: Route, log = new RecordingLog()): Promise<string> {
  const endpoint = new Endpoint({
    name: 'test',
    listen: { host: '127.0.0.1', port: 0 },
    route,
    clock: systemClock,
    log,
  });
  open.push(endpoint);
  return `http://127.0.0.1:${await endpoint.start()}`;
}

function check(name: string, reason?: string): HealthCheck {
  return { name, check: () => reason };
}

async function ask(url: string, init?: RequestInit): Promise<[number, string]> {
  const response = await fetch(url, init);
  return [response.status, await response.text()];
}

describe('the health endpoint', () => {
  const route = healthRoute({
    livez: [check('event-loop'), check('passes')],
    readyz: [check('caches'), check('lease', 'not\nread yet')],
  });

  it.each<[string, number, string]>([
    ['/livez', 200, 'ok'],
    ['/livez?verbose', 200, '[+]event-loop ok\n[+]passes ok\nlivez check passed\n'],
    ['/livez/passes', 200, 'ok'],
    ['/livez/passes?verbose', 200, '[+]passes ok\nlivez check passed\n'],
    ['/readyz', 500, '[+]caches ok\n[-]lease failed: not read yet\nreadyz check failed\n'],
    ['/readyz?verbose', 500, '[+]caches ok\n[-]lease failed: not read yet\nreadyz check failed\n'],
    ['/readyz/caches', 200, 'ok'],
    ['/readyz/lease', 500, '[-]lease failed: not read yet\nreadyz check failed\n'],
    ['/readyz/unknown', 404, 'not found\n'],
    ['/readyz/caches/more', 404, 'not found\n'],
    ['/livez/', 404, 'not found\n'],
    ['/', 404, 'not found\n'],
    ['/metrics', 404, 'not found\n'],
  ])('the health endpoint responds to %s with %i', async (path, status, body) => {
    const base = await serve(route);

    expect(await ask(base + path)).toEqual([status, body]);
  });
});

describe('an endpoint', () => {
  it('an endpoint responds to HEAD with headers only', async () => {
    const base = await serve(healthRoute({ livez: [], readyz: [] }));

    const response = await fetch(`${base}/livez`, { method: 'HEAD' });

    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe('2');
    expect(await response.text()).toBe('');
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('an endpoint refuses %s', async (method) => {
    const base = await serve(healthRoute({ livez: [], readyz: [] }));

    const response = await fetch(`${base}/livez`, { method });

    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });

  it.each(['*', 'http://elsewhere/livez', '//'])('an endpoint refuses the path %s', async (path) => {
    const port = Number(new URL(await serve(healthRoute({ livez: [], readyz: [] }))).port);
    const socket = connect(port, '127.0.0.1');

    socket.end(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);

    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 40[04] /);
  });

  it('an endpoint responds with 500 and logs when its route throws, and stays up', async () => {
    const log = new RecordingLog();
    const err = new Error('boom');
    const base = await serve((url) => {
      if (url.pathname === '/bad') throw err;
      return undefined;
    }, log);

    expect(await ask(`${base}/bad`)).toEqual([500, 'failed\n']);
    expect(await ask(`${base}/other`)).toEqual([404, 'not found\n']);
    expect(log.lines.at(-1)).toEqual({ level: 'error', message: 'endpoint failed', fields: { err, endpoint: 'test' } });
  });

  it('an endpoint serves the metrics under /metrics with their content type', async () => {
    const base = await serve(
      metricsRoute({ contentType: 'text/plain; version=0.0.4', text: async () => Buffer.from('up 1\n') }),
    );

    const response = await fetch(`${base}/metrics`);

    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4');
    expect(await response.text()).toBe('up 1\n');
    expect((await ask(`${base}/`))[0]).toBe(404);
  });

  it('an endpoint responds beside as many silent connections as it can hold', async () => {
    const url = await serve(() => ({ status: 200, contentType: 'text/plain', body: 'up 1' }));
    const silent: Socket[] = [];
    for (let count = 0; count < 70; count++) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      silent.push(socket);
    }

    expect(await ask(url)).toEqual([200, 'up 1']);
    for (const socket of silent) socket.destroy();
  });

  it.each(['', 'expect: nothing\r\n'])(
    'an endpoint responds to the first of 50 requests in one write with the header %j, and closes the connection',
    async (header) => {
      let [parsed, routed] = [0, 0];
      const url = await serve(() => ({ status: 200, contentType: 'text/plain', body: `response ${(routed += 1)}` }));
      const count = (): number => (parsed += 1);
      subscribe('http.server.request.start', count);
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      // More than the parser gets at a time.
      const long = `x: ${'y'.repeat(1024)}\r\n`;

      socket.write(`GET / HTTP/1.1\r\nhost: a\r\n${header}${long}\r\n`.repeat(50));
      const received = await readAll(socket);

      unsubscribe('http.server.request.start', count);
      expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*connection: close\r\n[^]*\r\nresponse 1$/i);
      expect([parsed, routed]).toEqual([1, 1]);
    },
  );

  it('an endpoint logs its port, and rejects when its address is in use', async () => {
    const log = new RecordingLog();
    const port = Number(new URL(await serve(() => undefined, log)).port);
    const second = new Endpoint({
      name: 'second',
      listen: { host: '127.0.0.1', port },
      route: () => undefined,
      clock: systemClock,
      log,
    });

    await expect(second.start()).rejects.toThrow('EADDRINUSE');
    expect(log.lines).toEqual([
      { level: 'info', message: 'listening', fields: { endpoint: 'test', host: '127.0.0.1', port } },
    ]);
  });

  it('an endpoint stops although a client holds a connection open', async () => {
    const endpoint = new Endpoint({
      name: 'test',
      listen: { host: '127.0.0.1', port: 0 },
      route: () => undefined,
      clock: systemClock,
      log: new RecordingLog(),
    });
    const socket = connect(await endpoint.start(), '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));

    await endpoint.stop();
    await closed;

    expect(socket.destroyed).toBe(true);
  });
});
