import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { startChild, type Child, freePorts } from '@multicluster-engine/kube-apiserver';
import { pathWithKubectl } from '../../support/clients/kubectl.js';
import { headNonconformities } from '../../gateway/openapi/conformance.js';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { root } from '../../support/repository/root.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { startGateway, type GatewayProcess } from './process.js';

const PAGE = readFileSync(path.join(root, 'docs/how-to/https-interface.md'), 'utf8');
const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
/** The command that runs until it is stopped, and a part of the block that needs it. */
const SERVING = /^`(multicluster-engine gateway .*)`$/m.exec(PAGE)?.[1] ?? '';
const ITS_CLIENT = 'https://localhost:9443';
/** The command blocks with the headings above them, in order. */
const BLOCKS = [...PAGE.matchAll(/^## (.*)$|^```sh\n([\s\S]*?)^```$/gm)].reduce<{
  heading: string;
  blocks: { title: string; text: string }[];
}>(
  (found, [, heading, text]) => {
    if (heading !== undefined) return { ...found, heading };
    return {
      ...found,
      blocks: [...found.blocks, { title: `${found.heading} (${found.blocks.length + 1})`, text: text ?? '' }],
    };
  },
  { heading: '', blocks: [] },
).blocks;
const NAMESPACE = 'multicluster-engine';

/** Makes curl connect to `target` and print the response head on stderr, between two markers. */
function curlrc(service: string, target: string): string {
  return `connect-to = "${service}:${target}"\nwrite-out = "%{stderr}@@%{method} %{url} %{response_code} %{header_json}@@"\n`;
}

/** The differences of the responses of curl from the OpenAPI document, and the number of responses. */
function held(stderr: string): { readonly answers: number; readonly wrong: readonly string[] } {
  const found = [...stderr.matchAll(/@@(\w+) https:\/\/[^/]+(\S+) (\d+) ([^]*?)@@/g)];
  const wrong = found.flatMap(([, method = '', target = '', code = '', headers = '{}']) => {
    const fields = Object.entries(JSON.parse(headers)).map(([name, values]) => [name, String(values)]);
    return headNonconformities(method, target, { status: Number(code), headers: Object.fromEntries(fields) });
  });
  return { answers: found.length, wrong };
}

/** The expected output of a block, by a part of its commands. */
const PRINTS: readonly (readonly [string, RegExp])[] = [
  ['$ENGINES/trial"', /"kind":"MultiClusterEngineList"[\s\S]*kind: MultiClusterEngine\n/],
  ['-H "$AUTH" "$PLACEMENTS"\n', /"kind":"PlacementList"[\s\S]*"kind":"Placement"/],
  ['s/numberOfClusters: 2/', /"numberOfClusters":3/],
  ['s/numberOfClusters: 3/', /"numberOfClusters":4/],
  ['openapi.json', /^\{"openapi":"3\.1/],
  [ITS_CLIENT, /"kind":"PlacementList"/],
];

describeWithServer('docs/how-to/https-interface.md', { own: true, capabilities: ['requestLog'] }, (server) => {
  let gateway: GatewayProcess;
  let byHand: Child | undefined;
  let folder = '';
  let exports = '';

  beforeAll(async () => {
    await installCrds(server());
    gateway = await startGateway(server());
    folder = await mkdtemp(path.join(server().folder, 'reader-'));
    const [service, target] = ['gateway.multicluster-engine.svc:443', `127.0.0.1:${gateway.port}`];
    await writeFile(path.join(folder, '.curlrc'), curlrc(service, target));
    await mkdir(path.join(folder, 'bin'));
    await writeFile(
      path.join(folder, 'bin', 'multicluster-engine'),
      `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`,
      { mode: 0o700 },
    );
    await server().call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
    await server().call({
      method: 'POST',
      path: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
      body: { metadata: { name: 'gateway-ca' }, data: { 'ca.crt': gateway.ca } },
    });
  }, 300_000);

  afterAll(async () => {
    await byHand?.stop();
    await gateway.stop();
  });

  function environment(): Record<string, string> {
    const commands = pathWithKubectl(path.join(folder, 'bin'));
    return { PATH: commands, HOME: folder, KUBECONFIG: server().adminKubeconfig };
  }

  /** Starts the gateway as on the page, in a process of its own, but with free ports. */
  async function serve(): Promise<void> {
    const [port = 0, metrics = 0, health = 0] = await freePorts(3);
    const ports: Readonly<Record<string, number>> = { 9443: port, 9080: metrics, 9081: health };
    const command = SERVING.replaceAll(
      /127\.0\.0\.1:(\d+)/g,
      (_all, documented: string) => `127.0.0.1:${ports[documented] ?? documented}`,
    );
    await writeFile(path.join(folder, '.curlrc'), curlrc('localhost:9443', `127.0.0.1:${port}`));
    byHand = await startChild({
      command: ['bash', '-c', `${exports}\nexec ${command}`],
      env: environment(),
      cwd: folder,
      output: 'pipe',
    });
    byHand.output.resume();
    await waitFor('the gateway by hand to be ready', async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok);
  }

  /** Runs a block in the same shell session as the blocks before, so that exported variables are set. */
  function type(
    text: string,
  ): Promise<{ readonly code: number | null; readonly output: string; readonly stderr: string }> {
    const session = path.join(folder, 'session');
    const script = `set -euo pipefail\n${exports}\n${text}\nexport -p > '${session}'\n`;
    const child = spawn('bash', ['-c', script], { cwd: folder, env: environment(), timeout: 120_000 });
    let [output, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    return new Promise((resolve) =>
      child.on('close', (code) => {
        if (code === 0) exports = readFileSync(session, 'utf8');
        resolve({ code, output, stderr });
      }),
    );
  }

  it.each(BLOCKS)('the command block under $title works as documented', async ({ text }) => {
    if (text.includes(ITS_CLIENT)) await serve();
    const { code, output, stderr } = await type(text);

    expect({ code, output, stderr }).toMatchObject({ code: 0 });
    expect(held(stderr)).toEqual({ answers: text.split(/\bcurl -/).length - 1, wrong: [] });
    for (const [piece, printed] of PRINTS) if (text.includes(piece)) expect(output).toMatch(printed);
    if (text.includes('clusterrolebinding')) {
      await waitFor(
        'the rights',
        async () =>
          (
            await type(
              'curl -sS --fail --cacert gateway-ca.crt -H "COOKIE: Authorization: Bearer $TOKEN" "$GATEWAY/platform/apis/multicluster.platform.io/v1alpha1/multiclusterengines"',
            )
          ).code === 0,
      );
    }
  });

  it('the page creates and deletes no object of README.md, and its gateway listens on another port than that of `make run`', () => {
    const walk = ['examples/engine.yaml', 'examples/fleet.yaml', 'examples/placement.yaml']
      .map((file) => readFileSync(path.join(root, file), 'utf8'))
      .join('\n');
    const made = [...walk.matchAll(/^  name: (\S+)$/gm)].map(([, name = '']) => name);
    const named = [...PAGE.matchAll(/^  name: (\S+)$|create namespace (\S+)$/gm)].map(
      ([, name, namespace]) => name ?? namespace ?? '',
    );
    expect(made).toEqual(expect.arrayContaining(['engine', 'shop', 'web']));
    expect(named).toHaveLength(3);
    expect(named.filter((name) => made.includes(name))).toEqual([]);
    expect([...SERVING.matchAll(/-?listen=(\S+)/g)].map(([, address]) => address)).toEqual([
      '127.0.0.1:9443',
      '127.0.0.1:9080',
      '127.0.0.1:9081',
    ]);
  });

  it('the page shows every operation, each with the ServiceAccount of the page', async () => {
    const log = await server().requestLog({ user: 'system:serviceaccount:books:robot' });
    const done = new Set(log.filter(({ code }) => code < 300).map(({ verb, resource }) => `${verb} ${resource}`));

    expect([...done].sort()).toEqual([
      'create multiclusterengines',
      'create placements',
      'delete multiclusterengines',
      'delete placements',
      'get multiclusterengines',
      'get placements',
      'list multiclusterengines',
      'list placements',
      'update placements',
    ]);
    expect(log.every(({ userAgent }) => userAgent.startsWith('multicluster-engine-gateway/'))).toBe(true);
  });
});
