import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CachedCredentials } from '../../../src/runtime/transport/credentials.js';
import { loadKubeconfig, type KubeconfigOptions } from '../../../src/runtime/kubeconfig/kubeconfig.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { createTransport } from '../../../src/runtime/transport/transport.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { RecordingLog } from '../../support/fakes/log.js';
import { authority } from '../transport/certificate.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kubeconfig-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(user: object, cluster: object = {}, more: object = {}): Promise<string> {
  const file = path.join(folder, 'kubeconfig');
  await writeFile(
    file,
    JSON.stringify({
      'current-context': 'main',
      clusters: [{ name: 'c', cluster: { server: 'https://hub.example:6443/', ...cluster } }],
      users: [
        { name: 'other', user: { token: 'not this one' } },
        { name: 'u', user },
      ],
      contexts: [{ name: 'main', context: { cluster: 'c', user: 'u', namespace: 'ours' } }],
      ...more,
    }),
  );
  return file;
}
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a kubeconfig file', () => {
  it('a kubeconfig file says where the server is, and where it was found', async () => {
    const file = await write({ token: 't' });

    expect(loadKubeconfig({ path: file })).toMatchObject({
      server: 'https://hub.example:6443/',
      source: `context "main" of ${file}`,
    });
  });

  it.each<[string, object, object, object]>([
    ['a token', { token: 't' }, {}, { headers: { Authorization: 'Bearer t' }, tls: { rejectUnauthorized: true } }],
    ['a password', { username: 'u', password: 'p' }, {}, { headers: { Authorization: `Basic ${base64('u:p')}` } }],
    ['a token, which messages name', { token: 't' }, {}, { presented: 'the token of user "u"' }],
    [
      'a password, which messages name',
      { username: 'u', password: 'p' },
      {},
      { presented: 'the user name and password of user "u"' },
    ],
    [
      'an impersonated user',
      { token: 't', as: 'alice' },
      {},
      { headers: { Authorization: 'Bearer t', 'Impersonate-User': 'alice' } },
    ],
    ['another server name', { token: 't' }, { 'tls-server-name': 'inner' }, { tls: { servername: 'inner' } }],
    ['no verification', { token: 't' }, { 'insecure-skip-tls-verify': true }, { tls: { rejectUnauthorized: false } }],
    ['a proxy', { token: 't' }, { 'proxy-url': 'http://proxy:3128' }, { proxy: 'http://proxy:3128' }],
  ])('a kubeconfig file with %s gives it to every call', async (_, user, cluster, expected) => {
    const config = loadKubeconfig({ path: await write(user, cluster) });

    expect(await config.load(false)).toMatchObject(expected);
  });

  it('a kubeconfig file is read with another context, and its namespace, at each load', async () => {
    const contexts = [
      { name: 'main', context: { cluster: 'c', user: 'u', namespace: 'ours' } },
      { name: 'second', context: { cluster: 'c', user: 'other', namespace: 'theirs' } },
    ];
    const file = await write({ token: 't' }, {}, { contexts });

    expect(loadKubeconfig({ path: file }).namespace).toBe('ours');
    const second = loadKubeconfig({ path: file, context: 'second' });
    expect(second.namespace).toBe('theirs');
    for (const fresh of [false, true])
      expect((await second.load(fresh)).headers).toEqual({ Authorization: 'Bearer not this one' });
    expect(() => loadKubeconfig({ path: file, context: 'third' })).toThrow(
      `kubeconfig ${file}: there is no context "third"; it defines main, second`,
    );
  });

  it('every request is sent as the user that is to be impersonated', async () => {
    const file = await write({ token: 't', as: 'alice' });

    expect((await loadKubeconfig({ path: file, impersonate: 'bob' }).load(false)).headers).toEqual({
      Authorization: 'Bearer t',
      'Impersonate-User': 'bob',
    });
  });

  it('a kubeconfig file reads a token file beside it each time, white space around it cut off', async () => {
    await writeFile(path.join(folder, 'token'), 'first\n');
    const config = loadKubeconfig({ path: await write({ tokenFile: 'token' }) });
    const first = await config.load(false);
    await writeFile(path.join(folder, 'token'), 'second\n');
    const second = await config.load(false);

    expect([first, second].map((one) => one.headers['Authorization'])).toEqual(['Bearer first', 'Bearer second']);
    expect(first.presented).toBe(`the token in ${path.join(folder, 'token')}`);
  });

  it('a kubeconfig file prefers the token file to a token, as kubectl does', async () => {
    await writeFile(path.join(folder, 'token'), 'from file');
    const config = loadKubeconfig({ path: await write({ token: 'from field', tokenFile: 'token' }) });

    expect((await config.load(false)).headers['Authorization']).toBe('Bearer from file');
  });

  it('a kubeconfig file reads the files of authority and client certificate each time', async () => {
    const [first, second] = [authority('first').cert, authority('second').cert];
    await writeFile(path.join(folder, 'ca.crt'), first);
    const config = loadKubeconfig({ path: await write({ token: 't' }, { 'certificate-authority': 'ca.crt' }) });
    await config.load(false);
    await writeFile(path.join(folder, 'ca.crt'), second);

    expect((await config.load(false)).tls.ca?.toString()).toBe(second);
  });

  it('a kubeconfig file is itself read again each time', async () => {
    const file = await write({ token: 'first' });
    const config = loadKubeconfig({ path: file });
    await config.load(false);
    await write({ token: 'second' });

    expect((await config.load(false)).headers['Authorization']).toBe('Bearer second');
  });

  it.each<[string, () => Promise<string>, string]>([
    [
      'that is not there',
      async () => path.join(folder, 'none'),
      '/none cannot be read: no such file; name another file with --kubeconfig',
    ],
    ['without a cluster for its context', () => write({ token: 't' }, {}, { clusters: [] }), 'names no cluster'],
    [
      'with another kind of proxy',
      () => write({ token: 't' }, { 'proxy-url': 'ftp://me:canary@p:21' }),
      'cluster "c": proxy-url: its scheme must be http, https or socks5',
    ],
    [
      'with an authority that it does not verify by',
      () => write({ token: 't' }, { 'insecure-skip-tls-verify': true, 'certificate-authority-data': base64('ca') }),
      'cluster "c": insecure-skip-tls-verify must not be set together with a certificate authority',
    ],
    ['with a number as a token', () => write({ token: 12 }), 'users[1].user.token: must be a string'],
    [
      'with a plugin that does not say whether it asks',
      () => write({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'x' } }),
      'user "u": exec.interactiveMode must be one of Never, IfAvailable, Always, got nothing',
    ],
  ])('a kubeconfig file %s is refused with the reason', async (_, prepare, message) => {
    const file = await prepare();

    expect(() => loadKubeconfig({ path: file })).toThrow(message);
  });

  it('a kubeconfig file that is not YAML is refused without quoting its content', async () => {
    const file = path.join(folder, 'kubeconfig');
    await writeFile(file, 'users:\n- {name: u, user: {token: canary}\n');
    const error = catching(() => loadKubeconfig({ path: file }));

    expect(error).toMatch(/cannot be read: not valid YAML$/);
    expect(error).not.toContain('canary');
  });

  it.each([
    ['is missing', undefined, 'token cannot be read: no such file'],
    ['is empty', ' \n', 'is empty'],
  ])('a kubeconfig file whose token file %s fails without falling back', async (_, token, message) => {
    if (token !== undefined) await writeFile(path.join(folder, 'token'), token);
    const config = loadKubeconfig({ path: await write({ tokenFile: 'token' }) });

    await expect(config.load(false)).rejects.toThrow(message);
  });

  it('a kubeconfig file never sends a token over plain HTTP, as kubectl', async () => {
    const config = loadKubeconfig({ path: await write({ token: 't' }, { server: 'http://hub.example' }) });

    expect((await config.load(false)).headers).toEqual({});
  });

  it('a user without credentials is refused, and may be anonymous in a component', async () => {
    const file = await write({});

    await expect(loadKubeconfig({ path: file }).load(false)).rejects.toThrow(
      'user "u" has no token, certificate, plugin or user name: log in, or correct the user',
    );
    expect((await loadKubeconfig({ path: file, caller: 'component' }).load(false)).headers).toEqual({});
  });
});

describe('a credential plugin', () => {
  async function plugin(expiry?: string): Promise<string> {
    const script = path.join(folder, 'plugin');
    const status = { token: 'TOKEN', ...(expiry === undefined ? {} : { expirationTimestamp: expiry }) };
    const text = JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status });
    await writeFile(path.join(folder, 'runs'), '');
    await writeFile(
      script,
      `#!/bin/sh\necho run >> '${folder}/runs'\nsleep 0.1\necho '${text}' | sed "s/TOKEN/token-$(wc -l < '${folder}/runs' | tr -d ' ')/"\n`,
    );
    await chmod(script, 0o700);
    return write({
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command: script, interactiveMode: 'Never' },
    });
  }
  const runs = async (): Promise<number> => (await readFile(path.join(folder, 'runs'), 'utf8')).split('\n').length - 1;

  it('a credential plugin runs once for twenty calls at the same time', async () => {
    const kept = new CachedCredentials(loadKubeconfig({ path: await plugin() }), new ManualClock(), new RecordingLog());
    const all = await Promise.all(Array.from({ length: 20 }, () => kept.current()));

    expect(new Set(all.map((one) => one.headers['Authorization']))).toEqual(new Set(['Bearer token-1']));
    expect(await runs()).toBe(1);
  });

  it('a credential plugin runs again when its token was refused, not when the files are merely read again', async () => {
    const config = loadKubeconfig({ path: await plugin() });
    await config.load(false);
    await config.load(false);
    expect(await runs()).toBe(1);

    const { headers, presented } = await config.load(true);
    expect(headers['Authorization']).toBe('Bearer token-2');
    expect(presented).toBe(`the credentials of plugin ${path.join(folder, 'plugin')}`);
  });

  it('a call says why the plugin cannot be started, instead of a code', async () => {
    const command = path.join(folder, 'none');
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      interactiveMode: 'Never',
      installHint: 'get it at x',
    };
    const config = loadKubeconfig({ path: await write({ exec: { ...exec, command } }) });
    const options = { clock: systemClock, random: () => 0.5, log: new RecordingLog(), userAgent: 'test' };
    const target = { verb: 'get', resource: 'version' };
    const transport = createTransport(config, options);
    const call = transport.call({ method: 'GET', path: '/version', target, idempotent: true, attempts: 1 });

    await expect(call).rejects.toThrow(
      `get version: not sent: credential plugin ${command} cannot be started: no such file; get it at x`,
    );
    await transport.close();
  });

  it('a credential plugin runs again when its token has expired', async () => {
    const config = loadKubeconfig({ path: await plugin('2020-01-01T00:00:00Z') });
    await config.load(false);

    expect((await config.load(false)).headers['Authorization']).toBe('Bearer token-2');
  });
});

describe('in a pod', () => {
  const mount = 'var/run/secrets/kubernetes.io/serviceaccount';
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443', HOME: '/nowhere' };
  async function pod(more: Record<string, string> = {}): Promise<Pick<KubeconfigOptions, 'env' | 'mountPrefix'>> {
    await mkdir(path.join(folder, mount), { recursive: true });
    await writeFile(path.join(folder, mount, 'token'), 'pod token');
    await writeFile(path.join(folder, mount, 'ca.crt'), POD_CA);
    await writeFile(path.join(folder, mount, 'namespace'), 'pod-namespace\n');
    return { env: { ...env, ...more }, mountPrefix: folder };
  }
  const POD_CA = authority('pod').cert;
  const SERVICE_ACCOUNT = { server: 'https://10.0.0.1:443', source: 'the ServiceAccount of this pod' };
  const FILE = { server: 'https://hub.example:6443/' };

  it('the token of the ServiceAccount is read each time', async () => {
    const config = loadKubeconfig(await pod());
    const first = await config.load(false);
    await writeFile(path.join(folder, mount, 'token'), 'rotated');

    expect(config).toMatchObject(SERVICE_ACCOUNT);
    expect(first).toMatchObject({
      headers: { Authorization: 'Bearer pod token' },
      presented: `the token in ${path.join(folder, mount, 'token')}`,
      tls: { ca: POD_CA, rejectUnauthorized: true },
    });
    expect((await config.load(false)).headers['Authorization']).toBe('Bearer rotated');
  });

  it('IPv6 addresses get brackets', async () => {
    expect(loadKubeconfig(await pod({ KUBERNETES_SERVICE_HOST: 'fd00::1' })).server).toBe('https://[fd00::1]:443');
  });

  it.each<[string, 'user' | 'component', boolean, boolean, object]>([
    ['a person with KUBECONFIG uses it', 'user', true, false, FILE],
    ['a person with --kubeconfig uses it', 'user', false, true, FILE],
    ['a person without a kubeconfig uses the ServiceAccount', 'user', false, false, SERVICE_ACCOUNT],
    ['a component with KUBECONFIG uses the ServiceAccount', 'component', true, false, SERVICE_ACCOUNT],
    ['a component with --kubeconfig uses it', 'component', false, true, FILE],
  ])('%s', async (_, caller, inVariable, inFlag, expected) => {
    const file = await write({ token: 't' });
    const options = await pod(inVariable ? { KUBECONFIG: file } : {});

    expect(loadKubeconfig({ ...options, caller, ...(inFlag ? { path: file } : {}) })).toMatchObject(expected);
  });

  it('a component whose ServiceAccount is not mounted uses KUBECONFIG', async () => {
    const file = await write({ token: 't' });

    expect(
      loadKubeconfig({ env: { ...env, KUBECONFIG: file }, mountPrefix: folder, caller: 'component' }),
    ).toMatchObject(FILE);
  });

  it('the namespace is that of the context, else of the variable POD_NAMESPACE, else of the ServiceAccount', async () => {
    const named = await write({ token: 't' });
    expect(loadKubeconfig({ ...(await pod()), path: named }).namespace).toBe('ours');
    const contexts = [{ name: 'main', context: { cluster: 'c', user: 'u' } }];
    const unnamed = await write({ token: 't' }, {}, { contexts });
    expect(loadKubeconfig({ ...(await pod()), path: unnamed }).namespace).toBe('pod-namespace');
    expect(loadKubeconfig({ ...(await pod({ POD_NAMESPACE: 'own' })), path: unnamed }).namespace).toBe('own');
    expect(loadKubeconfig(await pod()).namespace).toBe('pod-namespace');
    expect(loadKubeconfig({ env: {}, path: unnamed }).namespace).toBeUndefined();
  });

  it('without any configuration, the files that were looked for are named', () => {
    expect(() => loadKubeconfig({ env: { HOME: folder } })).toThrow(
      `no kubeconfig was found (${folder}/.kube/config): give --kubeconfig, set KUBECONFIG, or run in a pod`,
    );
  });
});

function catching(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return String(error);
  }
  throw new Error('an error was expected');
}
