import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';

import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';

import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { ownName } from '@multicluster-engine/kube-apiserver/testing/names';
import { broken, FAULTS, page, throttled, type Fault } from '../support/proxy/fault.js';
import { Proxy } from '../support/proxy/proxy.js';
import { passing } from '../support/proxy/request.js';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

describeWithServer('the fault proxy', {}, (server) => {
  let proxy: Proxy;
  let token: string;

  beforeAll(async () => {
    proxy = await Proxy.start({ url: server().url, caFile: server().caFile, mark: 'through-the-proxy' });
    token = await server().tokenFor({ user: 'admin' });
  });
  beforeEach(() => {
    proxy.plan = () => undefined;
  });
  afterAll(() => proxy.stop());

  function call(method: string, path: string, body?: object): Promise<Got> {
    const agent = new Agent({ ca: readFileSync(server().caFile) });
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'user-agent': 'tester' };
      const outgoing = request(new URL(path, proxy.url), { method, agent, headers }, (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (part: string) => (text += part));
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }));
        incoming.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  function configMap(name: string): object {
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { at: 'home' } };
  }

  const COLLECTION = '/api/v1/namespaces/default/configmaps';

  async function create(fault: Fault): Promise<{ readonly outcome: Got | Error; readonly stored: boolean }> {
    const name = ownName('fault');
    proxy.plan = ({ write }) => (write ? fault : undefined);
    const outcome = await call('POST', COLLECTION, configMap(name)).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    );
    const { status } = await server().call({ path: `${COLLECTION}/${name}` });
    return { outcome, stored: status === 200 };
  }

  it('the fault proxy passes requests on with its mark, and the responses back', async () => {
    const name = ownName('passed');
    const mark = await server().logMark();
    expect(await call('POST', COLLECTION, configMap(name))).toMatchObject({ status: 201 });
    const got = await call('GET', `${COLLECTION}/${name}`);
    expect(JSON.parse(got.text)).toMatchObject({ data: { at: 'home' } });
    const log = await server().requestLog({ after: mark, name, resources: ['configmaps'] });
    expect(log.map(({ verb, userAgent }) => [verb, userAgent])).toEqual([
      ['create', 'tester through-the-proxy'],
      ['get', 'tester through-the-proxy'],
    ]);
  });

  it.each<[string, Fault, boolean, object]>([
    ['a 429', throttled, false, { status: 429, headers: { 'retry-after': '1' } }],
    ['a 500 for what was not done', broken(500, false), false, { status: 500 }],
    ['a 503 for what was done', broken(503, true), true, { status: 503 }],
    ['a page of HTML with 200', page, false, { status: 200, headers: { 'content-type': 'text/html' } }],
    [
      'a part of the JSON as a whole answer',
      { kind: 'cut', bytes: 20, whole: true },
      true,
      { status: 201, text: expect.stringMatching(/^\{"[^]{18}$/) },
    ],
    ['nothing as a whole answer', { kind: 'cut', bytes: 0, whole: true }, true, { status: 201, text: '' }],
  ])('the fault proxy answers with %s', async (_what, fault, applied, wanted) => {
    const { outcome, stored } = await create(fault);
    expect(outcome).toMatchObject(wanted);
    expect(stored).toBe(applied);
  });

  it.each<[string, Fault, boolean]>([
    ['before the server has the request', { kind: 'reset', applied: false }, false],
    ['after the server has answered', { kind: 'reset', applied: true }, true],
    ['inside the answer', { kind: 'cut', bytes: 20, whole: false }, true],
  ])('the fault proxy cuts the connection %s', async (_what, fault, applied) => {
    const { outcome, stored } = await create(fault);
    expect(outcome).toBeInstanceOf(Error);
    expect(stored).toBe(applied);
  });

  it.each([
    [false, [false]],
    [true, [true]],
  ])('the fault proxy interrupts a request (after the server has processed it: %j)', async (applied, wanted) => {
    const name = ownName('moment');
    const there: boolean[] = [];
    const run = async (): Promise<void> => {
      const { status } = await server().call({ path: `${COLLECTION}/${name}` });
      there.push(status === 200);
    };
    proxy.plan = ({ write }) => (write ? { kind: 'interrupt', applied, run, passOn: false } : undefined);
    await expect(call('POST', COLLECTION, configMap(name))).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect(there).toEqual(wanted);
  });

  it('the fault proxy passes a watch on event by event, and cuts it', async () => {
    const name = ownName('watched');
    let text = '';
    let ended = false;
    const path = `${COLLECTION}?watch=true&fieldSelector=metadata.name%3D${name}`;
    const agent = new Agent({ ca: readFileSync(server().caFile) });
    const outgoing = request(
      new URL(path, proxy.url),
      { agent, headers: { authorization: `Bearer ${token}` } },
      (incoming) => {
        incoming.setEncoding('utf8').on('data', (part: string) => (text += part));
        incoming.on('error', () => undefined);
        incoming.on('close', () => (ended = true));
      },
    );
    outgoing.on('error', () => undefined);
    outgoing.end();
    await waitFor('the watch to be open', () => proxy.count > 0);
    await server().call({ method: 'POST', path: COLLECTION, body: configMap(name) });
    await waitFor('the event', () => text.includes('"ADDED"'));
    expect(ended).toBe(false);
    proxy.cutWatches();
    await waitFor('the end of the watch', () => ended);
  });

  it('the fault proxy sends nothing for a silent fault', async () => {
    proxy.plan = () => ({ kind: 'silence' });
    let answered = false;
    void call('GET', COLLECTION).then(
      () => (answered = true),
      () => undefined,
    );
    await quietWindow(300);
    expect(answered).toBe(false);
    proxy.cutAll();
  });

  it('the fault proxy names every fault once', () => {
    expect(new Set(FAULTS.map(([name]) => name)).size).toBe(FAULTS.length);
  });

  it.each([
    [
      'GET',
      '/apis/cluster.fleetmgmt.io/v1alpha1/placements?watch=true&resourceVersion=1',
      { resource: 'placements', watch: true, write: false },
    ],
    [
      'PUT',
      '/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/a/placements/b/status',
      { resource: 'placements/status', namespace: 'a', name: 'b', write: true },
    ],
    [
      'DELETE',
      '/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters/c?x=y',
      { resource: 'managedclusters', namespace: '', name: 'c', write: true },
    ],
    ['POST', '/api/v1/namespaces/a/configmaps', { resource: 'configmaps', namespace: 'a', name: '' }],
    ['GET', '/readyz', { resource: '', name: '' }],
  ])('the fault proxy parses the request %s %s', (method, path, wanted) => {
    expect(passing(1, method, path)).toMatchObject(wanted);
  });
});
