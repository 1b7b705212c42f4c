import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CachedCredentials } from '../../../src/kube/transport/credentials.js';
import { loadKubeconfig } from '../../../src/kube/transport/kubeconfig.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { RecordingLog } from '../../support/fakes/log.js';

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
      server: 'https://hub.example:6443',
      source: `kubeconfig ${file}`,
    });
  });

  it.each<[string, object, object, object]>([
    ['a token', { token: 't' }, {}, { headers: { Authorization: 'Bearer t' }, tls: { rejectUnauthorized: true } }],
    ['a password', { username: 'u', password: 'p' }, {}, { headers: { Authorization: `Basic ${base64('u:p')}` } }],
    [
      'an impersonated user',
      { token: 't', as: 'alice' },
      {},
      { headers: { Authorization: 'Bearer t', 'Impersonate-User': 'alice' } },
    ],
    [
      'a client certificate',
      { 'client-certificate-data': base64('cert'), 'client-key-data': base64('key') },
      {},
      { tls: { cert: Buffer.from('cert'), key: Buffer.from('key') } },
    ],
    [
      'an authority',
      { token: 't' },
      { 'certificate-authority-data': base64('ca') },
      { tls: { ca: Buffer.from('ca'), rejectUnauthorized: true } },
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
      `kubeconfig ${file}: there is no context "third"`,
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
  });

  it('a kubeconfig file prefers the token file to a token, as kubectl does', async () => {
    await writeFile(path.join(folder, 'token'), 'from file');
    const config = loadKubeconfig({ path: await write({ token: 'from field', tokenFile: 'token' }) });

    expect((await config.load(false)).headers['Authorization']).toBe('Bearer from file');
  });

  it('a kubeconfig file reads the files of authority and client certificate each time', async () => {
    await writeFile(path.join(folder, 'ca.crt'), 'first');
    const config = loadKubeconfig({ path: await write({ token: 't' }, { 'certificate-authority': 'ca.crt' }) });
    await config.load(false);
    await writeFile(path.join(folder, 'ca.crt'), 'second');

    expect((await config.load(false)).tls.ca?.toString()).toBe('second');
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
    ['without a user for its context', () => write({}, {}, { users: [] }), 'names no user'],
    [
      'with a SOCKS proxy',
      () => write({ token: 't' }, { 'proxy-url': 'socks5://p:1080' }),
      'only http and https proxies',
    ],
  ])('a kubeconfig file %s is refused with the reason', async (_, prepare, message) => {
    const file = await prepare();

    expect(() => loadKubeconfig({ path: file })).toThrow(message);
  });

  it('a kubeconfig file that is not YAML is refused without quoting its content', async () => {
    const file = path.join(folder, 'kubeconfig');
    await writeFile(file, 'users:\n- {name: u, user: {token: canary}\n');
    const error = catching(() => loadKubeconfig({ path: file }));

    expect(error).toMatch(/cannot be read: not valid YAML; name another file with --kubeconfig/);
    expect(error).not.toContain('canary');
  });

  it.each([
    ['is missing', undefined, 'ENOENT'],
    ['is empty', ' \n', 'is empty'],
  ])('a kubeconfig file whose token file %s fails without falling back', async (_, token, message) => {
    if (token !== undefined) await writeFile(path.join(folder, 'token'), token);
    const config = loadKubeconfig({ path: await write({ tokenFile: 'token' }) });

    await expect(config.load(false)).rejects.toThrow(message);
  });

  it('a kubeconfig file never sends a token over plain HTTP, unless the file allows it', async () => {
    const config = loadKubeconfig({ path: await write({ token: 't' }, { server: 'http://hub.example' }) });

    await expect(config.load(false)).rejects.toThrow('HTTP protocol is not allowed');
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
    return write({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command: script } });
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

    expect((await config.load(true)).headers['Authorization']).toBe('Bearer token-2');
  });

  it('a credential plugin runs again when its token has expired', async () => {
    const config = loadKubeconfig({ path: await plugin('2020-01-01T00:00:00Z') });
    await config.load(false);

    expect((await config.load(false)).headers['Authorization']).toBe('Bearer token-2');
  });
});

describe('in a pod', () => {
  const before = {
    host: process.env['KUBERNETES_SERVICE_HOST'],
    port: process.env['KUBERNETES_SERVICE_PORT'],
    config: process.env['KUBECONFIG'],
  };
  afterEach(() => {
    set('KUBERNETES_SERVICE_HOST', before.host);
    set('KUBERNETES_SERVICE_PORT', before.port);
    set('KUBECONFIG', before.config);
  });
  function set(name: string, value: string | undefined): void {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  async function pod(): Promise<void> {
    const mount = path.join(folder, 'var/run/secrets/kubernetes.io/serviceaccount');
    await mkdir(mount, { recursive: true });
    await writeFile(path.join(mount, 'token'), 'pod token');
    await writeFile(path.join(mount, 'ca.crt'), 'pod ca');
    await writeFile(path.join(mount, 'namespace'), 'pod-namespace');
    set('KUBERNETES_SERVICE_HOST', '10.0.0.1');
    set('KUBERNETES_SERVICE_PORT', '443');
  }

  it('a process in a pod uses the ServiceAccount and reads its token each time', async () => {
    await pod();
    const config = loadKubeconfig({ mountPrefix: folder });
    const first = await config.load(false);
    await writeFile(path.join(folder, 'var/run/secrets/kubernetes.io/serviceaccount/token'), 'rotated');

    expect(config).toMatchObject({
      server: 'https://10.0.0.1:443',
      source: 'in-cluster ServiceAccount',
    });
    expect(first).toMatchObject({
      headers: { Authorization: 'Bearer pod token' },
      tls: { ca: Buffer.from('pod ca'), rejectUnauthorized: true },
    });
    expect((await config.load(false)).headers['Authorization']).toBe('Bearer rotated');
  });

  it('a process in a pod prefers a kubeconfig file that is named explicitly', async () => {
    await pod();

    expect(loadKubeconfig({ path: await write({ token: 't' }), mountPrefix: folder }).server).toBe(
      'https://hub.example:6443',
    );
  });

  it('a process in a pod prefers the ServiceAccount to KUBECONFIG', async () => {
    await pod();
    set('KUBECONFIG', await write({ token: 't' }));

    expect(loadKubeconfig({ mountPrefix: folder }).server).toBe('https://10.0.0.1:443');
  });

  it('a process outside a cluster uses KUBECONFIG, and fails without any configuration', async () => {
    set('KUBERNETES_SERVICE_HOST', undefined);
    set('KUBERNETES_SERVICE_PORT', undefined);
    set('KUBECONFIG', await write({ token: 't' }));
    expect(loadKubeconfig().source).toBe('default kubeconfig');

    const home = process.env['HOME'];
    set('KUBECONFIG', undefined);
    set('HOME', folder);
    try {
      expect(() => loadKubeconfig()).toThrow('no kubeconfig was found');
    } finally {
      set('HOME', home);
    }
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
