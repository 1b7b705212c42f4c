import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { readConfig } from '../../../src/config.js';
import { binary } from '../../support/controlplane/binaries.js';
import { installCrds } from '../../support/controlplane/install.js';
import { describeWithServer } from '../../support/controlplane/suite.js';
import { root } from '../../support/root.js';
import { waitFor } from '../../support/wait.js';
import { startGateway, type GatewayProcess } from './process.js';

const PAGE = readFileSync(path.join(root, 'docs/how-to/https-interface.md'), 'utf8');
/** The command blocks with the headings above them, in order. */
const BLOCKS = [...PAGE.matchAll(/^## (.*)$|^```sh\n([\s\S]*?)^```$/gm)].reduce<{ heading: string; blocks: { title: string; text: string }[] }>((found, [, heading, text]) => {
  if (heading !== undefined) return { ...found, heading };
  return { ...found, blocks: [...found.blocks, { title: `${found.heading} (${found.blocks.length + 1})`, text: text ?? '' }] };
}, { heading: '', blocks: [] }).blocks;
const NAMESPACE = 'multicluster-engine';

/** What a block must print, by a piece of its commands. */
const PRINTS: readonly (readonly [string, RegExp])[] = [
  ['$ENGINES/engine"', /"kind":"MultiClusterEngineList"[\s\S]*kind: MultiClusterEngine\n/],
  ['-H "$AUTH" "$PLACEMENTS"\n', /"kind":"PlacementList"[\s\S]*"kind":"Placement"/],
  ['If-Match', /"numberOfClusters":3/],
  ['openapi.json', /^\{"openapi":"3\.1/],
];

describeWithServer('docs/how-to/https-interface.md', { own: true, capabilities: ['requestLog'] }, (server) => {
  let gateway: GatewayProcess;
  let folder = '';
  let exports = '';

  beforeAll(async () => {
    await installCrds(server());
    gateway = await startGateway(server());
    folder = await mkdtemp(path.join(server().folder, 'reader-'));
    const [service, target] = ['gateway.multicluster-engine.svc:443', `127.0.0.1:${gateway.port}`];
    await writeFile(path.join(folder, '.curlrc'), `connect-to = "${service}:${target}"\n`);
    await mkdir(path.join(folder, 'bin'));
    await copyFile(path.join(gateway.folder, 'tls.crt'), path.join(folder, 'tls.crt'));
    await copyFile(path.join(gateway.folder, 'tls.key'), path.join(folder, 'tls.key'));
    await server().call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
    await server().call({ method: 'POST', path: `/api/v1/namespaces/${NAMESPACE}/configmaps`, body: { metadata: { name: 'gateway-ca' }, data: { 'ca.crt': gateway.ca } } });
  }, 120_000);

  afterAll(async () => {
    await gateway.stop();
  });

  /** Runs a block as a reader would, in one shell session: what was exported before is known. */
  function type(text: string): Promise<{ readonly code: number | null; readonly output: string }> {
    const session = path.join(folder, 'session');
    const script = `set -euo pipefail\n${exports}\n${text}\nexport -p > '${session}'\n`;
    const env = { PATH: `${path.dirname(binary('kubectl'))}:${process.env['PATH'] ?? ''}`, HOME: folder, KUBECONFIG: server().adminKubeconfig };
    const child = spawn('bash', ['-c', script], { cwd: folder, env, timeout: 60_000 });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    return new Promise((resolve) => child.on('close', (code) => {
      if (code === 0) exports = readFileSync(session, 'utf8');
      resolve({ code, output });
    }));
  }

  it.each(BLOCKS)('works as it says: $title', async ({ text }) => {
    const { code, output } = await type(text);

    expect({ code, output }).toMatchObject({ code: 0 });
    for (const [piece, printed] of PRINTS) if (text.includes(piece)) expect(output).toMatch(printed);
    if (text.includes('clusterrolebinding')) {
      await waitFor('the rights', async () => (await type('curl -sS --fail --cacert gateway-ca.crt -H "COOKIE: Authorization: Bearer $TOKEN" "$GATEWAY/platform/apis/multicluster.platform.io/v1alpha1/multiclusterengines"')).code === 0);
    }
  });

  it('ends with a command line that is taken', () => {
    const words = /^`multicluster-engine (gateway .*)`$/m.exec(PAGE)?.[1]?.split(' ') ?? [];

    expect(readConfig(words, {})).toMatchObject({ command: 'gateway', upstreamCa: 'ca.crt' });
  });

  it('has shown every operation, each done by the ServiceAccount of the page', async () => {
    const log = await server().requestLog({ user: 'system:serviceaccount:shop:robot' });
    const done = new Set(log.filter(({ code }) => code < 300).map(({ verb, resource }) => `${verb} ${resource}`));

    expect([...done].sort()).toEqual([
      'create multiclusterengines', 'create placements', 'delete multiclusterengines', 'delete placements', 'get multiclusterengines', 'get placements', 'list multiclusterengines', 'list placements', 'update placements',
    ]);
    expect(log.every(({ userAgent }) => userAgent.endsWith('(gateway)'))).toBe(true);
  });
});
