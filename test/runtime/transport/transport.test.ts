import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Call } from '../../../src/runtime/transport/call.js';
import type { CredentialLoader } from '../../../src/runtime/transport/credentials.js';
import { ServerClock } from '../../../src/runtime/transport/serverclock.js';
import type { Transport, TransportOptions } from '../../../src/runtime/transport/transport.js';
import { createTransport } from '../../../src/runtime/transport/transport.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { ApiError } from '../../../src/runtime/errors.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { RecordingLog } from '../../support/fakes/log.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { Script } from './scriptedserver.js';
import { authority, certificate } from './certificate.js';
import { TunnelProxy } from './tunnelproxy.js';
import { ScriptedServer, cut, json, raw, refusal, reset, silence, success } from './scriptedserver.js';

let server: ScriptedServer;
let transport: Transport;

beforeEach(async () => {
  server = await ScriptedServer.start();
  transport = transportTo();
});
afterEach(async () => {
  await transport.close();
  await server.stop();
});

function transportTo(
  options: Partial<TransportOptions> = {},
  loader: CredentialLoader = anonymous(server.url),
): Transport {
  return createTransport(loader, {
    clock: systemClock,
    random: () => 0,
    log: new RecordingLog(),
    userAgent: 'test',
    ...options,
  });
}

function anonymous(url: string): CredentialLoader {
  return {
    load: async () => ({ server: url, headers: { Authorization: 'Bearer t' }, tls: { rejectUnauthorized: true } }),
  };
}

const target = { verb: 'get', resource: 'things' };
const get: Call = { method: 'GET', path: '/x', target, idempotent: true };
const post: Call = { method: 'POST', path: '/x', target, body: '{}', idempotent: false };

async function failure(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error;
  throw new Error(`an ApiError was expected, not ${String(error)}`);
}

describe('the clock of the server', () => {
  it('each response, of calls and of streams, reports the time of the server', async () => {
    for (const send of [(to: Transport) => to.call(get), (to: Transport) => to.open({ ...get, path: '/y' })]) {
      const serverClock = new ServerClock(new ManualClock());
      const clocked = transportTo({ serverClock });
      server.next(success({ kind: 'Thing' }));

      await send(clocked);
      await clocked.close();

      expect(Math.abs(serverClock.now() - Date.now())).toBeLessThan(3_600_000);
    }
  });
});

describe('a call', () => {
  it('a call carries path, query, credentials, user agent, body and content type, and brings JSON back', async () => {
    server.next(success({ kind: 'Thing' }));

    const answer = await transport.call({
      ...post,
      method: 'PATCH',
      query: { fieldManager: 'a b' },
      body: '{"a":1}',
      contentType: 'application/merge-patch+json',
    });

    expect(answer).toEqual({ status: 200, body: { kind: 'Thing' } });
    expect(server.seen).toMatchObject([
      {
        method: 'PATCH',
        url: '/x?fieldManager=a+b',
        body: '{"a":1}',
        headers: {
          authorization: 'Bearer t',
          'user-agent': 'test',
          'content-type': 'application/merge-patch+json',
          accept: 'application/json',
        },
      },
    ]);
  });

  it('a call goes below the path of the server', async () => {
    const below = transportTo({}, anonymous(`${server.url}/k8s/clusters/a`));
    await below.call(get);
    await below.close();

    expect(server.seen[0]?.url).toBe('/k8s/clusters/a/x');
  });

  it('a call shares kept-alive connections with thousands of others, at most 32', async () => {
    const quick = transportTo({ limits: { default: { qps: 100_000, burst: 100_000 } } });
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 100 }, () => quick.call(get)));
    await quick.close();

    expect(server.seen).toHaveLength(2_000);
    expect(server.connections).toBeLessThanOrEqual(32);
  }, 180_000);

  it('a call is counted, with each attempt', async () => {
    const counted: string[] = [];
    const limited: string[] = [];
    const metrics = {
      requested: (...[method, host, code]: [string, string, string, number]) =>
        void counted.push(`${method} ${host} ${code}`),
      limited: (bucket: string) => void limited.push(bucket),
    };
    const counting = transportTo({ metrics });
    server.next(refusal(503), reset, success());
    await counting.call(get);
    await counting.close();

    const host = `127.0.0.1:${server.port}`;
    expect(counted).toEqual([`GET ${host} 503`, `GET ${host} <error>`, `GET ${host} 200`]);
    expect(limited).toEqual(['default', 'default', 'default']);
  });

  it('a call leaves no socket behind when the transport closes', async () => {
    await transport.call(get);
    const stop = new AbortController();
    server.next((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders());
    await transport.open({ ...get, signal: stop.signal });
    expect(server.open).toBe(2);

    await transport.close();

    await waitFor('the sockets to close', () => server.open === 0);
  });
});

describe('retries of a call', () => {
  const appliedOrNot: readonly [string, Script][] = [
    ['500', refusal(500)],
    ['502', refusal(502)],
    ['503', refusal(503)],
    ['504', refusal(504)],
    ['a reset', reset],
    ['a cut body', cut({ kind: 'Thing' })],
    ['an HTML page', raw(200, 'text/html', '<html></html>')],
    ['an empty answer', raw(200, 'application/json', '')],
  ];

  it.each(appliedOrNot)('after %s an idempotent call is retried, any other is not', async (_, script) => {
    server.next(script);
    await transport.call(get);
    expect(server.seen).toHaveLength(2);

    server.next(script);
    await failure(transport.call(post));
    expect(server.seen).toHaveLength(3);
  });

  it('every call is retried after 429, since it was not applied', async () => {
    server.next(refusal(429, 'TooManyRequests', { 'retry-after': '0' }), success({ kind: 'Thing' }));

    expect((await transport.call(post)).body).toEqual({ kind: 'Thing' });
    expect(server.seen).toHaveLength(2);
  });

  it('without a connection every call is sent again', async () => {
    const waits: unknown[] = [];
    const log = new RecordingLog();
    const unconnected = transportTo({ log });
    await server.stop();
    const error = await failure(unconnected.call(post));
    await unconnected.close();
    for (const line of log.lines) waits.push(Object.entries(line.fields).find(([key]) => key === 'waitMs')?.[1]);

    expect([error.kind, error.status, error.code]).toEqual(['Transport', 0, 'ECONNREFUSED']);
    expect(waits).toEqual([100, 200, 400]);
    server = await ScriptedServer.start();
  });

  it.each([400, 401, 403, 404, 405, 409, 410, 413, 415, 422])(
    'retries of a call never follow on %d',
    async (status) => {
      server.otherwise = refusal(status);
      await failure(transport.call({ ...get, path: `/${status}` }));

      // 401: once more with credentials read anew.
      expect(server.seen).toHaveLength(status === 401 ? 2 : 1);
    },
  );

  it('retries of a call end after four attempts, or as many as configured', async () => {
    server.otherwise = refusal(500);
    await failure(transport.call(get));
    expect(server.seen).toHaveLength(4);

    await failure(transport.call({ ...get, attempts: 1 }));
    expect(server.seen).toHaveLength(5);
  });

  it('retries of a call never follow a redirect', async () => {
    server.otherwise = raw(302, 'text/html', '', { location: '/elsewhere' });
    const error = await failure(transport.call({ ...get, attempts: 1 }));

    expect(error.kind).toBe('Malformed');
    expect(server.seen.map((seen) => seen.url)).toEqual(['/x']);
  });

  it('retries of a call run beforeAttempt each time, and stop when it throws', async () => {
    const fenced = new ApiError({ kind: 'Fenced', message: 'fenced', call: target });
    let asked = 0;
    server.otherwise = refusal(503);
    const beforeAttempt = (): void => {
      asked += 1;
      if (asked === 3) throw fenced;
    };

    expect(await failure(transport.call({ ...get, beforeAttempt }))).toBe(fenced);
    expect(server.seen).toHaveLength(2);
  });
});

describe('an invalid response', () => {
  it.each<[string, Script]>([
    ['an HTML page with code 200', raw(200, 'text/html', '<html>sign in</html>')],
    ['JSON of another content type', raw(200, 'text/plain', '{}')],
    ['cut JSON', raw(200, 'application/json', '{"kind":"ThingList","items":[')],
    ['an empty body', raw(200, 'application/json', '')],
    ['a list where an object belongs', raw(200, 'application/json', '[]')],
    ['a string', raw(200, 'application/json; charset=utf-8', '"ok"')],
  ])('a response with %s is malformed', async (_, script) => {
    server.otherwise = script;

    expect(await failure(transport.call({ ...get, attempts: 1 }))).toMatchObject({ kind: 'Malformed', status: 200 });
  });

  it('a response with an incomplete body is an error', async () => {
    server.otherwise = cut({ kind: 'ThingList', items: [] });

    expect(await failure(transport.call({ ...get, attempts: 1 }))).toMatchObject({ kind: 'Transport' });
  });

  it('a response whose body is above the limit is refused while it is read', async () => {
    const bounded = transportTo({ maxResponseBytes: 1_000 });
    server.otherwise = success({ a: 'x'.repeat(2_000) });
    const error = await failure(bounded.call({ ...get, attempts: 1 }));
    await bounded.close();

    expect(error).toMatchObject({ kind: 'Malformed' });
    expect(error.message).toContain('longer than 1000 bytes');
  });

  it('an error response that is not JSON is reported by its code', async () => {
    server.otherwise = raw(404, 'text/plain', '404 page not found');
    expect((await failure(transport.call({ ...get, attempts: 1 }))).kind).toBe('ResourceMissing');

    server.otherwise = raw(502, 'text/html', '<html>bad gateway</html>');
    expect((await failure(transport.call({ ...get, attempts: 1 }))).kind).toBe('Unavailable');
  });
});

describe('deadlines', () => {
  let clock: ManualClock;
  beforeEach(() => {
    clock = new ManualClock();
    transport = transportTo({ clock });
  });
  /** Lets the server have the request, and then the time run out. */
  async function expire(requests = 1): Promise<void> {
    await waitFor('the request', () => server.seen.length === requests);
    await clock.advance(100);
  }

  it('deadlines end a call without a response, and no attempt follows', async () => {
    server.otherwise = silence;
    const calling = failure(transport.call({ ...get, deadlineMs: 100 }));
    await expire();

    expect(await calling).toMatchObject({
      kind: 'Transport',
      message: expect.stringMatching(/^get things: no response from http:\/\/127\.0\.0\.1:\d+ within 0\.1 s; look at /),
    });
    expect(server.seen).toHaveLength(1);
    await waitFor('the connection to close', () => server.open === 0);
    expect(clock.pending).toBe(0);
  });

  it('deadlines end a call whose body never ends', async () => {
    server.otherwise = (_, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":');
    const calling = failure(transport.call({ ...get, deadlineMs: 100 }));
    await expire();

    expect(await calling).toMatchObject({ kind: 'Transport' });
  });

  it('deadlines end a call with the error of the attempt before, if there was one', async () => {
    server.next(refusal(503, 'Busy'), silence);
    const calling = failure(transport.call({ ...get, deadlineMs: 1_000 }));
    await waitFor('the first request', () => server.seen.length === 1 && clock.pending > 1);
    await clock.advance(200);
    await waitFor('the second request', () => server.seen.length === 2);
    await clock.advance(800);

    expect(await calling).toMatchObject({
      kind: 'Transport',
      code: 'ETIMEDOUT',
      message: 'scripted Busy; no further attempt was answered within 1 s',
    });
  });

  it('deadlines bound all attempts together', async () => {
    server.otherwise = refusal(503, '', { 'retry-after': '1' });
    const error = await failure(transport.call({ ...get, deadlineMs: 500 }));

    expect(error).toMatchObject({ kind: 'Unavailable', retryAfterMs: 1_000 });
    expect(server.seen).toHaveLength(1);
  });

  it('deadlines end the opening of a stream', async () => {
    server.next(silence);
    const opening = failure(transport.open({ ...get, deadlineMs: 100, attempts: 1 }));
    await expire();

    expect(await opening).toMatchObject({ kind: 'Transport' });
  });

  it('deadlines do not end a stream that is open', async () => {
    let end = (): void => undefined;
    server.next((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('first');
      end = () => void response.end('last');
    });
    const stream = await transport.open({ ...get, deadlineMs: 100 });
    await expire();
    end();

    let read = '';
    for await (const chunk of stream) read += Buffer.from(chunk).toString();
    expect(read).toBe('firstlast');
  });
});

describe("the caller's signal", () => {
  it('a call whose signal has already fired sends nothing', async () => {
    expect(await failure(transport.call({ ...get, signal: AbortSignal.abort() }))).toMatchObject({ kind: 'Aborted' });
    expect(server.seen).toEqual([]);
  });

  it("a call that waits for its response ends with the caller's signal", async () => {
    const stop = new AbortController();
    server.otherwise = () => stop.abort();

    expect(await failure(transport.call({ ...get, signal: stop.signal }))).toMatchObject({ kind: 'Aborted' });
    await waitFor('the connection to close', () => server.open === 0);
  });

  it("a stream ends with the caller's signal, read or not", async () => {
    server.otherwise = (_, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).write('first');
    const stop = new AbortController();
    const read: string[] = [];
    const reading = (async () => {
      for await (const chunk of await transport.open({ ...get, signal: stop.signal }))
        read.push(Buffer.from(chunk).toString());
    })();
    await transport.open({ ...get, signal: stop.signal });
    await waitFor('the first chunk', () => read.length === 1);
    stop.abort();

    expect(await failure(reading)).toMatchObject({ kind: 'Aborted' });
    await waitFor('the connections to close', () => server.open === 0);
  });
});

describe('a stream', () => {
  it('a stream that is refused is reported like a call', async () => {
    server.next(refusal(410, 'Expired'));

    expect(await failure(transport.open(get))).toMatchObject({ kind: 'Gone', reason: 'Expired' });
  });

  it('a stream that breaks is an error', async () => {
    server.next((_, response, socket) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('first', () => socket.destroy());
    });
    const reading = (async () => {
      for await (const _ of await transport.open(get)) continue;
    })();

    expect(await failure(reading)).toMatchObject({ kind: 'Transport' });
  });

  it('a stream takes no connection from the calls', async () => {
    const narrow = transportTo({ connections: 1 });
    server.next((_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('x'));
    const stop = new AbortController();
    await narrow.open({ ...get, signal: stop.signal });

    expect((await narrow.call(get)).status).toBe(200);
    stop.abort();
    await narrow.close();
  });
});

it('a response of 200 that has no kind is returned unchanged', async () => {
  server.next((_, response) => json(response, 201, { a: 1 }));

  expect(await transport.call(get)).toEqual({ status: 201, body: { a: 1 } });
});

describe('a proxy', () => {
  it('a proxy tunnels the connection without access to its content', async () => {
    const proxy = await TunnelProxy.start();
    const ca = authority('a');
    const secure = await ScriptedServer.start(certificate({ name: 'localhost', issuer: ca }));
    const through = transportTo(
      {},
      {
        load: async () => ({
          server: secure.url,
          headers: { Authorization: 'Bearer t' },
          tls: { ca: ca.cert, rejectUnauthorized: true },
          proxy: proxy.url,
        }),
      },
    );
    await through.call(get);
    const target = `127.0.0.1:${secure.port}`;
    await through.close();
    await proxy.stop();
    await secure.stop();

    expect(proxy.asked).toEqual([{ target, authorization: undefined }]);
    expect(secure.seen[0]?.headers.authorization).toBe('Bearer t');
  });
});
