import { afterEach, describe, expect, it } from '@jest/globals';

import type { JsonObject } from '@multicluster-engine/values/json';
import type { ApiRequest, ApiResponse } from '../../../../src/request.js';
import { waitFor } from '../../../../testing/wait.js';
import { readToEnd, openListener, type ListenerFixture } from '../listenerfixture.js';

const MIB = 1024 * 1024;
const MOST = 8 * MIB;
const READERS = 24;
const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

let fixture: ListenerFixture | undefined;

afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

const ITEMS = Array.from({ length: 20 }, (_one, at) => ({
  metadata: { name: `c-${at}` },
  data: { text: String.fromCharCode(97 + at).repeat(MIB) },
}));
const LIST = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: ITEMS };

function value(one: JsonObject): ApiResponse {
  return { code: 200, headers: {}, body: { kind: 'value', value: one } };
}

async function* events(signal: AbortSignal): AsyncGenerator<JsonObject> {
  for (const object of ITEMS) yield object;
  await new Promise<void>((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve()),
  );
}

async function* silence(signal: AbortSignal): AsyncGenerator<JsonObject> {
  await new Promise<void>((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve()),
  );
  yield* [];
}

async function dispatch({ target, signal }: ApiRequest): Promise<ApiResponse> {
  if (target === '/list') return value(LIST);
  if (target === '/own') return value({ ...LIST, items: ITEMS.map((item) => ({ ...item })) });
  if (target === '/bytes')
    return { code: 200, headers: {}, body: { kind: 'bytes', bytes: Buffer.alloc(6 * MIB, 'y') } };
  if (target === '/watch') return { code: 200, headers: {}, body: { kind: 'stream', values: events(signal) } };
  if (target === '/idle') return { code: 200, headers: {}, body: { kind: 'stream', values: silence(signal) } };
  return value({ target });
}

/** Opens readers that read nothing; returns the maximum of unsent bytes, and the number of disconnected readers. */
async function stuck(
  path: string,
  on: ListenerFixture,
): Promise<{ readonly most: number; readonly cut: () => number }> {
  let most = 0;
  let cut = 0;
  for (let at = 0; at < READERS; at += 1) {
    const socket = await on.silent(GET(path));
    // A paused socket notices the end of its connection only as an error.
    socket
      .removeAllListeners('error')
      .on('error', () => undefined)
      .on('close', () => {
        cut += 1;
      });
    await waitFor('the server to be busy with others', () => on.get('/').then(({ code }) => code === 200));
    most = Math.max(most, on.listener.unsent);
  }
  return { most, cut: () => cut };
}

describe('slow readers', () => {
  it.each(['/list', '/own', '/bytes', '/watch'])(
    'slow readers of %s stay below the memory limit, and other clients are served',
    async (path) => {
      fixture = await openListener({ dispatch, mostUnsent: MOST });
      const { most } = await stuck(path, fixture);
      const whole = await fixture.get('/list');

      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(MOST);
      expect(fixture.listener.unsent).toBeLessThanOrEqual(MOST);
      expect(whole.bytes.equals(Buffer.from(`${JSON.stringify(LIST)}\n`))).toBe(true);
    },
    180_000,
  );

  it('a reader that resumes gets the whole response', async () => {
    fixture = await openListener({ dispatch });
    const socket = await fixture.silent(GET('/list').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    await waitFor('a list that nobody takes', () => (fixture?.listener.unsent ?? 0) > MIB);
    const text = (await readToEnd(socket)).toString('latin1');

    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text.length).toBeGreaterThan(20 * MIB);
    expect(text.slice(-7)).toBe('\r\n0\r\n\r\n'.slice(-7));
    await waitFor('nothing to be left', () => fixture?.listener.unsent === 0);
  }, 180_000);

  it('a reader that disconnects leaves no waiting bytes', async () => {
    fixture = await openListener({ dispatch });
    for (const path of ['/list', '/own', '/bytes', '/watch']) (await fixture.silent(GET(path))).unref();
    await waitFor('answers that nobody takes', () => (fixture?.listener.unsent ?? 0) > MIB);
    const { listener } = fixture;
    await fixture.close();

    await waitFor('nothing to be left', () => listener.unsent === 0);
  }, 180_000);
});

describe('a server that closes', () => {
  it('a closing server does not wait for idle connections', async () => {
    fixture = await openListener({ dispatch });
    for (let at = 0; at < 20; at += 1) {
      // An idle connection, an incomplete request, one after its response, and a watch.
      for (const text of ['\r\n', 'GET / HTTP/1.1\r\nHo', GET('/'), GET('/idle')])
        (await fixture.silent(text)).on('error', () => undefined);
    }
    await fixture.get('/');
    const { listener } = fixture;
    fixture = undefined;
    // Well below the grace period.
    await expect(listener.close(3_600_000)).resolves.toBeUndefined();
  }, 180_000);
});

describe('an answer', () => {
  it.each([
    ['that is short has its length', '/x', 'GET', { 'content-length': '16' }, 16],
    [
      'that is long comes in chunks',
      '/list',
      'GET',
      { 'transfer-encoding': 'chunked' },
      JSON.stringify(LIST).length + 1,
    ],
    ['to HEAD has no body', '/x', 'HEAD', { 'content-length': '16' }, 0],
    ['to HEAD for a long body has none either', '/list', 'HEAD', { date: expect.any(String) }, 0],
  ])('a response %s', async (_name, path, method, headers, length) => {
    fixture = await openListener({ dispatch });
    const answer = await fixture.get(path, method);

    expect(answer.headers).toMatchObject(headers);
    expect(answer.bytes.length).toBe(length);
  });
});
