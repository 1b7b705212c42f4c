import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type ApiServer, type ApiServerOptions, startApiServer } from '../../../src/server/apiserver.js';
import { isArray, isObject, type Json } from '@multicluster-engine/values/json';
import { systemClock } from '../../../src/clock.js';
import { waitFor } from '../../../testing/wait.js';

let folder: string;
const running: ApiServer[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'apiserver-test-'));
});

afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
  await rm(folder, { recursive: true });
});

async function start(options: Partial<ApiServerOptions> = {}): Promise<ApiServer> {
  const server = await startApiServer({
    folder: path.join(folder, 'data'),
    listen: { host: '127.0.0.1', port: 0 },
    clock: systemClock,
    ...options,
  });
  running.push(server);
  return server;
}

async function stop(server: ApiServer): Promise<void> {
  running.splice(running.indexOf(server), 1);
  await server.close();
}

interface Sent {
  readonly method?: string;
  readonly body?: Json;
  readonly token?: string;
}

function ask(
  { url, ca, token: admin }: ApiServer,
  target: string,
  { method = 'GET', body, token = admin }: Sent = {},
): Promise<{ code: number; value: Json }> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${target}`, { method, headers, ca, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ code: response.statusCode ?? 0, value: JSON.parse(Buffer.concat(chunks).toString('utf8')) }),
      );
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function names(list: Json): readonly Json[] {
  const items = isObject(list) && isArray(list['items']) ? list['items'] : [];
  return items.map((item) =>
    isObject(item) && isObject(item['metadata']) ? (item['metadata']['name'] ?? null) : null,
  );
}

const CM = '/api/v1/namespaces/default/configmaps';
const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1' } };

describe('a server', () => {
  it('a server starts with the objects of every cluster', async () => {
    const server = await start();
    const { value } = await ask(server, '/api/v1/namespaces');

    expect(names(value)).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
    expect(names((await ask(server, '/apis/rbac.authorization.k8s.io/v1/clusterroles')).value)).toEqual(
      expect.arrayContaining(['admin', 'cluster-admin', 'edit', 'system:discovery', 'view']),
    );
    expect((await ask(server, '/api/v1/namespaces/default/services/kubernetes')).code).toBe(200);
    await waitFor(
      'the ServiceAccount of a namespace',
      async () => (await ask(server, '/api/v1/namespaces/default/serviceaccounts/default')).code === 200,
    );
  });

  it('a server keeps objects, certificate, token and keys over a restart', async () => {
    const first = await start();
    await ask(first, CM, { method: 'POST', body: OBJECT });
    const response = await ask(first, '/api/v1/namespaces/default/serviceaccounts', {
      method: 'POST',
      body: { metadata: { name: 'robot' } },
    });
    const token = await ask(first, '/api/v1/namespaces/default/serviceaccounts/robot/token', {
      method: 'POST',
      body: {},
    });
    await stop(first);
    const second = await start();

    expect(response.code).toBe(201);
    expect([second.ca, second.token]).toEqual([first.ca, first.token]);
    expect((await ask(second, `${CM}/a`)).value).toMatchObject({ data: { x: '1' } });
    const status = isObject(token.value) && isObject(token.value['status']) ? token.value['status'] : {};
    expect((await ask(second, `${CM}/a`, { token: textOf(status['token']) })).value).toMatchObject({
      code: 403,
      reason: 'Forbidden',
    });
  });

  it('the secrets of a server have access for their owner only', async () => {
    const server = await start();
    const files = await readdir(path.dirname(server.caFile));
    const modes = await Promise.all(
      files.map(async (name) => (await stat(path.join(path.dirname(server.caFile), name))).mode & 0o077),
    );

    expect(files).toEqual(
      expect.arrayContaining([
        'admin.token',
        'apiserver.crt',
        'apiserver.key',
        'ca.crt',
        'ca.key',
        'kubeconfig',
        'service-account.key',
      ]),
    );
    expect(new Set(modes)).toEqual(new Set([0]));
    expect(await readFile(server.kubeconfig, 'utf8')).toContain(server.url);
  });

  it('a server is not started twice on one folder', async () => {
    await start();

    await expect(start()).rejects.toThrow(String(process.pid));
  });

  it('a server knows its configured users, and trusts the user of a request from within the process', async () => {
    const server = await start({ users: [{ user: 'ann', groups: ['system:masters'], token: 'secret' }] });
    const within = await server.dispatch({
      method: 'GET',
      target: `${CM}/a`,
      headers: {},
      body: undefined,
      user: { name: 'eve', groups: [] },
      signal: new AbortController().signal,
    });

    expect((await ask(server, `${CM}`, { token: 'secret' })).code).toBe(200);
    expect((await ask(server, CM, { token: 'guess' })).code).toBe(401);
    expect(within.code).toBe(403);
  });

  it('a server creates its configured objects once', async () => {
    const objects = [{ ...OBJECT, metadata: { name: 'a', namespace: 'default' } }];
    const first = await start({ objects });
    const { value: made } = await ask(first, `${CM}/a`);
    await stop(first);

    expect((await ask(await start({ objects }), `${CM}/a`)).value).toEqual(made);
  });

  it('a server drops its history when it is compacted', async () => {
    const server = await start();
    const { value } = await ask(server, CM);
    const version = isObject(value) && isObject(value['metadata']) ? textOf(value['metadata']['resourceVersion']) : '';
    await ask(server, CM, { method: 'POST', body: OBJECT });
    server.compact();

    expect((await ask(server, `${CM}?watch=1&timeoutSeconds=1&resourceVersion=${version}`)).value).toMatchObject({
      type: 'ERROR',
      object: { code: 410, reason: 'Expired' },
    });
  });

  it('a server writes an audit log', async () => {
    const file = path.join(folder, 'audit.log');
    const server = await start({ audit: { file, level: 'Metadata' } });
    await ask(server, `${CM}/a`);
    await stop(server);

    expect(
      (await readFile(file, 'utf8'))
        .trim()
        .split('\n')
        .map((line): Json => JSON.parse(line)),
    ).toEqual([
      expect.objectContaining({
        verb: 'get',
        requestURI: `${CM}/a`,
        responseStatus: expect.objectContaining({ code: 404 }),
      }),
    ]);
  });
});
