import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { closeServer, startConsole, type MemoryConsole } from '../../support/rigs/console/hub.js';
import { EXAMPLE_SPEC, exampleWorld } from '../../support/builders/examplefleet.js';
import { rawCluster } from '../../support/builders/world.js';

/** What somebody sends who means harm, byte by byte: nothing of it is an error of the server, and none of it gets at anything. */

const PAGE = Buffer.from('the page');
const ASSET = { contentType: 'text/html', bytes: PAGE, brotli: PAGE, gzip: PAGE, isHashed: false };
/** More than the buffers of a connection take. */
const LONG = 'x'.repeat(24_000_000);
const clock = new ManualClock();
let started: MemoryConsole;
let key: string;
let host: string;

beforeAll(async () => {
  const world = exampleWorld(EXAMPLE_SPEC);
  const managedclusters = [...world.objects.managedclusters, rawCluster('long', { labels: { long: LONG } })];
  started = await startConsole(
    { ...world, objects: { ...world.objects, managedclusters } },
    { shell: ASSET, find: () => undefined, build: 'b' },
    clock,
  );
  host = `127.0.0.1:${started.port}`;
  const opened = await post('session', JSON.stringify({ code: started.sessions.code() }));
  ({ key } = JSON.parse(opened.split('\r\n\r\n')[1] ?? ''));
});
afterAll(() => closeServer(started.server));

/** What is answered to these bytes until the server ends the connection. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(started.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

function get(path: string, headers: readonly string[] = [`Host: ${host}`]): Promise<string> {
  const own = [`Authorization: Bearer ${key}`, 'Connection: close'];
  return raw([`GET ${path} HTTP/1.1`, ...headers, ...own, '', ''].join('\r\n'));
}

function post(path: string, body: string, type = 'application/json'): Promise<string> {
  const headers = [
    `Host: ${host}`,
    `Authorization: Bearer ${key}`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return raw([`POST /api/v1/${path} HTTP/1.1`, ...headers, '', body].join('\r\n'));
}

function codeOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
}

describe('paths', () => {
  it.each([
    ['//', 400],
    ['//[', 400],
    ['//evil.example/api/v1/fleet', 400],
    ['http://evil.example/api/v1/fleet', 400],
    ['http://[/', 400],
    ['*', 400],
    ['/api/v1/%', 400],
    ['/api/v1/fleet?limit=0x10', 400],
    ['/api/v1/fleet?limit=1e1', 400],
    ['/api/v1/fleet?after=-1', 400],
    ['/api/v1/events?about=Placement/../web', 400],
    ['/api/v1/events?about=Placement/%2e%2e/web', 400],
    ['/api/v1/events?about=Placement/%252e%252e%252fx/web', 400],
    ['/api/v1/placements/shop/web/matrix?show=constructor', 400],
    ['/api/v1/fleet?sort=__proto__', 400],
    ['/api/v1/%00', 404],
    ['/api/v1//fleet', 404],
    ['/api/v1/fleet%2f', 404],
    ['/api/v1/fleet/', 404],
    ['/api/v1/%73ession', 404],
    ['/api/v2/fleet', 404],
    ['/api/v1/yaml/placements/..%2fshop/web', 404],
    ['/api/v1/yaml/placements/%252e%252e/web', 404],
    ['/api/v1/yaml/__proto__/web', 404],
    ['/api/v1/yaml/secrets/shop/web', 404],
    ['/api/v1/clusters/__proto__', 404],
    ['/api/v1/placements/shop/constructor', 404],
    ['/api/v1/fleet/map?color=score:__proto__/constructor', 404],
    ['/api/v1/plan/__proto__/map', 404],
    ['/api/v1/plan/constructor/placements/shop/web/%2B', 404],
    ['/main.js.map', 404],
    ['/api/v1/fleet?q=label:__proto__&limit=0', 200],
    ['/api/v1/fleet/map?group=label:constructor&q=edge', 200],
    ['/api/v1/find?q=why+constructor+__proto__', 200],
  ])('GET %s is answered with %s', async (path, code) => {
    expect(codeOf(await get(path))).toBe(code);
  });

  it.each([
    '/api/v1/../../etc/passwd',
    '/%2e%2e/etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/api%2fv1/fleet',
    '/API/v1/fleet',
  ])('%s is the page, for whatever lies below it', async (path) => {
    expect(await get(path)).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\nthe page$/);
  });

  it.each(['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'])('%s asks for nothing', async (method) => {
    for (const [path, code] of [
      ['/api/v1/session', 405],
      ['/api/v1/fleet', 404],
      ['/fleet', 405],
    ] as const) {
      const lines = [
        `${method} ${path} HTTP/1.1`,
        `Host: ${host}`,
        `Authorization: Bearer ${key}`,
        'Connection: close',
      ];
      expect(codeOf(await raw([...lines, '', ''].join('\r\n')))).toBe(code);
    }
  });
});

describe('hosts', () => {
  it.each([
    ['another name', ['Host: evil.example:PORT'], 421],
    ['a user before it', ['Host: 127.0.0.1@evil.example:PORT'], 421],
    ['another spelling of this machine', ['Host: 127.1:PORT'], 421],
    ['all addresses', ['Host: 0.0.0.0:PORT'], 421],
    ['a port beyond all', ['Host: 127.0.0.1:99999'], 421],
    ['two names', ['Host: evil.example', 'Host: 127.0.0.1:PORT'], 421],
    ['an empty name', ['Host:'], 421],
    ['no name', [], 400],
    ['two lengths of the body', ['Host: 127.0.0.1:PORT', 'Content-Length: 1', 'Transfer-Encoding: chunked'], 400],
  ])('%s: the answer has no data', async (_what, headers, code) => {
    const answer = await get(
      '/api/v1/fleet',
      headers.map((one) => one.replace('PORT', String(started.port))),
    );
    expect([codeOf(answer), answer.includes('"data"')]).toEqual([code, false]);
  });

  it('no name in HTTP/1.0: the answer has no data', async () => {
    const answer = await raw(`GET /api/v1/fleet HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    expect([codeOf(answer), answer.includes('"data"')]).toEqual([421, false]);
  });
});

const HEAD = 'apiVersion: cluster.fleetmgmt.io/v1alpha1\nkind: Placement\nmetadata: {name: w, namespace: shop}\n';

function manifests(text: string): string {
  return JSON.stringify({ manifests: text });
}

describe('bodies', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', '{"manifests":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['100,000 lists in each other', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['40,000 objects in each other', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`],
    ['a draft in a prototype', '{"__proto__":{"manifests":""}}'],
    ['the last of two fields alone', '{"manifests":"","manifests":1}'],
    ['lists where a text belongs', `{"manifests":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['a number among labels', '{"manifests":"","labels":[1]}'],
    ['65 labels', JSON.stringify({ manifests: '', labels: Array<string>(65).fill('a:b=c') })],
    ['an action of another name', '{"manifests":"","action":{"kind":"constructor"}}'],
  ])('%s is refused', async (_what, body) => {
    expect(codeOf(await post('plan', body))).toBe(400);
  });

  it.each([
    ['a field of prototypes', `${HEAD}spec: {__proto__: {numberOfClusters: 1}}`, 'unknown field \\"spec.__proto__'],
    ['a constructor', `${HEAD}spec: {constructor: {prototype: {a: 1}}}`, 'unknown field \\"spec.constructor'],
    ['a label of prototypes', HEAD.replace('{name', '{labels: {__proto__: a}, name'), '__proto__'],
    ['another namespace', HEAD.replace('shop', '../other'), 'metadata.namespace'],
    ['another path', HEAD.replace('name: w', 'name: ../w'), 'metadata.name'],
    ['a function', `${HEAD}spec: !!js/function "function(){}"`, 'must be an object'],
    ['100,000 lists in each other', '['.repeat(100_000), 'nesting exceeded'],
    ['40,000 maps in each other', '{a: '.repeat(40_000), 'nesting exceeded'],
    ['120,000 dashes', '- '.repeat(120_000), 'nesting exceeded'],
    ['a number of 200,000 digits', `${HEAD}spec: {numberOfClusters: ${'9'.repeat(200_000)}}`, 'cannot unmarshal'],
    ['60,000 aliases of nothing', '*a '.repeat(60_000), 'unknown anchor'],
    ['a label as long as all', `${HEAD.replace('{name', `{labels: {${'a'.repeat(100_000)}: b}, name`)}`, 'label'],
  ])('%s in a draft is a fault of it', async (_what, text, fault) => {
    const answer = await post('plan', manifests(text));
    expect(codeOf(answer)).toBe(200);
    expect(answer).toContain('{"fault":"');
    expect(answer).toContain(fault);
  });

  it.each([
    ['labels', 'edge-eu-1:__proto__=x'],
    ['labels', '__proto__:a=b'],
    ['drains', 'constructor'],
    ['losses', 'label/__proto__=x'],
    ['losses', 'constructor/a=b'],
    ['each', 'label/constructor'],
  ])('the name of a prototype is none of %s: %s', async (field, text) => {
    expect(await post('plan', JSON.stringify({ manifests: '', [field]: [text] }))).toContain('{"fault":"');
  });

  it('a body beyond the limit ends the connection, that of a link long before', async () => {
    expect(codeOf(await post('plan', manifests(' '.repeat(300_000))))).toBe(413);
    expect(codeOf(await post('session', JSON.stringify({ code: ' '.repeat(2_000) })))).toBe(413);
    expect(codeOf(await post('plan', 'manifests=', 'application/x-www-form-urlencoded'))).toBe(415);
    expect(codeOf(await post('plan', '{}', 'text/plain;application/json'))).toBe(415);
  });

  it('after all of it the server answers, and nothing has got a field that it did not have', async () => {
    expect(codeOf(await get('/api/v1/reading'))).toBe(200);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['manifests']).toBeUndefined();
  });
});

describe('readers that do not read', () => {
  /** Asks for the long answer, and reads nothing of it. */
  function stalled(): Socket {
    const socket = connect(started.port, '127.0.0.1');
    socket.pause();
    socket.write(`GET /api/v1/clusters/long HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    return socket;
  }

  it('an answer that nobody reads is given up after a minute, and others are answered meanwhile', async () => {
    const before = clock.pending;
    const socket = stalled();
    await waitFor('the answer to wait for its reader', () => clock.pending > before || undefined);
    expect(codeOf(await get('/api/v1/reading'))).toBe(200);
    await clock.advance(59_000);
    expect(clock.pending).toBe(before + 1);
    await clock.advance(1_000);
    expect(clock.pending).toBe(before);
    socket.resume();
    let read = 0;
    socket.on('data', (chunk: Buffer) => (read += chunk.length));
    await new Promise((resolve) => socket.on('error', resolve).on('close', resolve));
    expect(read).toBeLessThan(LONG.length);
  });

  it('a person on this machine has so many connections, and who comes then is turned away', () => {
    expect(started.server.maxConnections).toBe(256);
  });

  it('a head or a body that does not come to its end is waited for half a minute', () => {
    const { requestTimeout, headersTimeout } = started.server;
    expect([requestTimeout, headersTimeout]).toEqual([30_000, 30_000]);
  });
});
