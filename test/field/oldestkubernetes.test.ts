/**
 * The pages, charts and the bundle named a release of Kubernetes on which four of six CustomResourceDefinitions could not be
 * created, so that people were left with half an installation.
 * Right: one number in all places. It is proven in oldestkubernetes.nightly.test.ts, with the packages of that release, and at night
 * by the tests of the installation on its control plane (`oldest_release` of test/run.sh). An installation on an older API server
 * is refused before (`check --pre`, the chart); what runs there anyway says so at its start.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { OLDEST_KUBERNETES } from '../../src/api/names.js';
import { checkBefore } from '../../src/answers/check/pre.js';
import { preFacts } from '../support/builders/hubinput.js';
import { root } from '../support/repository/root.js';

const OLD = 'v1.29.15';
const OLDER = 'is older than';
const PROGRAM = path.join(root, 'dist', 'src', 'main.js');

/** Each place that names the oldest release, and how. */
const PLACES: readonly (readonly [file: string, named: RegExp])[] = [
  ['docs/how-to/install.md', /Needs Kubernetes (\d+\.\d+) or newer/],
  ['docs/reference/platforms.md', /\| Kubernetes API of the hub \| (\d+\.\d+) and newer/],
  ['deploy/helm/multicluster-engine/Chart.yaml', /^kubeVersion: ">=(\d+\.\d+)\.0-0"$/m],
  ['deploy/helm/multicluster-engine-agent/Chart.yaml', /^kubeVersion: ">=(\d+\.\d+)\.0-0"$/m],
  ['deploy/olm/manifests/multicluster-engine.clusterserviceversion.yaml', /^ {2}minKubeVersion: (\d+\.\d+)\.0$/m],
];

describe('the oldest release of Kubernetes', () => {
  it.each(PLACES)('is the same in %s', (file, named) => {
    const [, found] = named.exec(readFileSync(path.join(root, file), 'utf8')) ?? [];

    expect(found).toBe(OLDEST_KUBERNETES);
  });

  // In the other lines is what these packages require.
  it.each([
    ['the program of the slow test', 'oldestserver', /^\tk8s\.io\/a\S+ v0\.(\d+)\.\d+$/gm],
    ['the control plane of the night', 'oldesthub', /(?: => \S+ v0|\tk8s\.io\/kubernetes v1)\.(\d+)\.\d+/g],
  ])('is the release of which %s is made', (_, module, pattern) => {
    const text = readFileSync(path.join(root, 'test/support/programs', module, 'go.mod'), 'utf8');
    const versions = [...text.matchAll(pattern)].map(([, minor]) => `1.${minor}`);

    expect(versions.length).toBeGreaterThan(3);
    expect(new Set(versions)).toEqual(new Set([OLDEST_KUBERNETES]));
  });

  it.each([
    [`v${OLDEST_KUBERNETES}.0`, 'Passed'],
    [`v${OLDEST_KUBERNETES}.14-eks-2d5f260`, 'Passed'],
    ['v1.36.3', 'Passed'],
    ['v2.0.0', 'Passed'],
    ['v1.29.15', 'Failed'],
    ['v1.9.0+k3s1', 'Failed'],
    ['', 'Failed'],
  ])('decides check --pre of the server %s: %s', (server, status) => {
    const found = checkBefore(preFacts({ server })).find(({ name }) => name === 'server');

    expect(found).toMatchObject({ status, message: expect.stringContaining(server) });
  });

  it.each([
    ['operator', ['--controllers=engine,placement,clusters', '--leader-election-namespace=fleet']],
    ['agent', []],
  ])(
    'is named by one warning of the %s at its start on an older server, with both versions',
    async (command, flags) => {
      expect(await warningsOf(command, flags)).toEqual([{ level: 'warn', version: OLD, oldest: OLDEST_KUBERNETES }]);
    },
  );
});

/** What a process says of the version of its API server, which answers nothing but its version, and that after a failure. */
async function warningsOf(command: string, flags: readonly string[]): Promise<readonly object[]> {
  let asked = 0;
  const server = createServer(({ url }, response) => {
    const isAnswered = url === '/version' && asked++ > 0;
    response.writeHead(isAnswered ? 200 : 503, { 'content-type': 'application/json' });
    response.end(isAnswered ? JSON.stringify({ gitVersion: OLD }) : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(path.join(tmpdir(), 'oldserver-'));
  const kubeconfig = path.join(folder, 'config');
  await writeFile(kubeconfig, kubeconfigOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  const addresses = ['--health-listen=127.0.0.1:0', '--metrics-listen=127.0.0.1:0'];
  const args = [PROGRAM, command, `--kubeconfig=${kubeconfig}`, ...addresses, ...flags];
  const program = spawn(process.execPath, args, { env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (data: Buffer) => (log += String(data)));
  try {
    await waitFor('the process to know the version', async (seen) => {
      seen(`${asked} requests\n${log}`);
      return log.includes(OLDER) || undefined;
    });
  } finally {
    program.kill('SIGTERM');
    await once(program, 'exit');
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  }
  const lines = log.split('\n').filter((line) => line.includes(OLDER));
  return lines.map((line) => {
    const { level, version, oldest } = JSON.parse(line) as Record<string, unknown>;
    return { level, version, oldest };
  });
}

function kubeconfigOf(url: string): string {
  const name = 'hub';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}
