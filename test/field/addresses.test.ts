/**
 * On hubs and clusters whose pods have IPv6 addresses only, processes that listen on 0.0.0.0 are alive and refuse every probe,
 * so that the kubelet restarts them for ever.
 * Right: an address without a host means all addresses of both families, which is the default of every command and what every
 * manifest sets; a host in brackets is an IPv6 address.
 */
import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { field, textField } from '../../src/runtime/vocabulary/json.js';
import { addressOf, FlagValue } from '../../src/runtime/flags/flags.js';
import { issueServingCertificate } from '../../src/runtime/tls/serving.js';
import { HAS_IPV6 } from '../support/ipv6.js';
import { root } from '../support/repository/root.js';

const KUBECONFIG = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
  contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  users: [{ name: 'a', user: { token: 't' } }],
  'current-context': 'a',
});

/** Every file below a folder of the repository. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

describe('the addresses that manifests and defaults listen on', () => {
  it('no manifest, page or default names an address of one family', () => {
    const flags = filesBelow('src').filter((file) => path.basename(file) === 'flags.ts');
    const files = [...filesBelow('deploy'), ...filesBelow('examples'), ...flags];
    const naming = files.filter((file) => readFileSync(file, 'utf8').includes('0.0.0.0'));

    expect(naming).toEqual([]);
  });

  it('every variable of a listener in the manifests is a port without a host', () => {
    const texts = filesBelow('deploy').map((file) => readFileSync(file, 'utf8'));
    const values = texts.flatMap((text) =>
      [...text.matchAll(/name: \w+_LISTEN\n\s+value: (.*)$/gm)].map(([, at]) => at),
    );

    expect(values.length).toBeGreaterThan(10);
    expect(values.filter((value) => !/^"?:\d+"?$/.test(value ?? ''))).toEqual([]);
  });

  it.each<[string, string, number]>([
    [':8443', '', 8443],
    ['[::]:8443', '::', 8443],
    ['[::1]:8443', '::1', 8443],
    ['[fe80::1]:0', 'fe80::1', 0],
    ['0.0.0.0:8443', '0.0.0.0', 8443],
  ])('%s is read as host "%s" and port %i, and written the same again', (text, host, port) => {
    const listen = new FlagValue(text, '--listen').listen();

    expect(listen).toEqual({ host, port });
    expect(addressOf(listen)).toBe(text);
  });
});

const onIpv6 = HAS_IPV6 ? describe : describe.skip;
if (!HAS_IPV6) process.stderr.write('not run: processes that listen on all addresses: no address ::1 here\n');

onIpv6('a process that listens without a host', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'addresses-'));
  const file = (name: string): string => path.join(folder, name);
  const children: ChildProcess[] = [];
  const observed = ['--metrics-listen=:0', '--health-listen=:0'];
  const kubeconfig = `--kubeconfig=${file('kubeconfig')}`;
  const served = [
    '--upstream=https://127.0.0.1:1',
    `--tls-cert=${file('crt')}`,
    `--tls-key=${file('key')}`,
    `--upstream-ca=${file('crt')}`,
    '--listen=:0',
    ...observed,
  ];
  const commands: Readonly<Record<string, readonly string[]>> = {
    agent: [kubeconfig, ...observed],
    console: ['--on-hub', ...served],
    gateway: served,
    operator: [kubeconfig, ...observed],
  };

  beforeAll(async () => {
    const { certificate, privateKey } = await issueServingCertificate({ names: ['a'], now: Date.now() });
    writeFileSync(file('kubeconfig'), KUBECONFIG);
    writeFileSync(file('crt'), certificate);
    writeFileSync(file('key'), privateKey);
  });
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['agent', ['health', 'metrics']],
    ['console', ['console', 'health', 'metrics']],
    ['operator', ['health', 'metrics']],
    ['gateway', ['gateway', 'health', 'metrics']],
  ])(
    '%s accepts connections of both families at %s',
    async (command, endpoints) => {
      const child = spawn(process.execPath, [
        path.join(root, 'dist', 'src', 'main.js'),
        command,
        ...(commands[command] ?? []),
      ]);
      children.push(child);
      const ports = await listening(child, endpoints.length);
      const accepted = ['::1', '127.0.0.1'].flatMap((host) => [...ports.values()].map((port) => accepts(host, port)));

      expect([...ports.keys()].sort()).toEqual(endpoints);
      expect(await Promise.all(accepted)).toEqual(accepted.map(() => true));
      // As the kubelet probes a pod that has an IPv6 address alone.
      expect((await fetch(`http://[::1]:${ports.get('health')}/livez`)).status).toBe(200);
    },
    60_000,
  );
});

/** The ports of the endpoints of a process, by name, once it has so many; fewer when it ends before. */
async function listening(child: ChildProcessWithoutNullStreams, count: number): Promise<ReadonlyMap<string, number>> {
  const ports = new Map<string, number>();
  for await (const line of createInterface(child.stdout)) {
    if (!line.includes('"listening"')) continue;
    const entry: unknown = JSON.parse(line);
    ports.set(textField(entry, 'endpoint'), Number(field(entry, 'port')));
    if (ports.size === count) break;
  }
  return ports;
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
