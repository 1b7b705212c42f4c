import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeKubeconfig } from '@multicluster-engine/kube-apiserver/testing/kubeconfig';
import { ManagedClusters } from '../../../src/api/resources.js';
import { parseManifests } from '../../../src/runtime/manifests.js';
import { root } from '../../support/repository/root.js';
import { TestServer } from '../../support/rigs/agent/server.js';

const PROGRAM = path.join(root, 'dist', 'src', 'main.js');

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let server: TestServer;
let folder: string;
let kubeconfig: string;
beforeAll(async () => {
  server = await TestServer.start();
  folder = await mkdtemp(path.join(tmpdir(), 'cluster-'));
  const caFile = path.join(folder, 'ca.pem');
  await writeFile(caFile, server.api.ca);
  kubeconfig = await writeKubeconfig(folder, { server: server.api.url, caFile, token: server.api.token });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command as a process, without a terminal. */
async function run(command: string): Promise<Outcome> {
  const args = [PROGRAM, ...command.split(' '), '--kubeconfig', kubeconfig];
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, args, { timeout: 60_000 })) };
  } catch (error) {
    const { code, stdout, stderr } = error as Outcome;
    return { code, stdout, stderr };
  }
}

// In this order: nothing is installed, then one definition, then all.
describe('commands on an API server without the product, or with parts of it', () => {
  it.each([
    ['cluster list', 'cluster list', 'managedclusters'],
    ['cluster add c1 --image r/e:1', 'cluster add', 'managedclusters'],
    ['cordon c1 --context main', 'cordon', 'managedclusters'],
    ['drain c1 --dry-run', 'drain', 'managedclusters'],
  ])('%s says that the product is not installed there', async (command, name, resource) => {
    const { url } = server.api;
    const context = command.includes('--context') ? ' --context main' : '';

    expect(await run(command)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `multicluster-engine ${name}: multicluster-engine is not installed on ${url} (context main), ` +
        `which does not serve ${resource}.cluster.fleetmgmt.io; ` +
        `before you install it there: multicluster-engine check --pre --kubeconfig ${kubeconfig}${context}\n`,
    });
  });

  it('cluster add writes nothing where the namespace of the agents is missing', async () => {
    const file = path.join(root, 'crds', 'managedcluster.yaml');
    await server.apply(parseManifests(await readFile(file, 'utf8'), file));

    expect(await run('cluster add c1 --image r/e:1')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(
          '^multicluster-engine cluster add: writes to https://.*\n' +
            'multicluster-engine cluster add: namespace multicluster-engine-agents was not found: ' +
            'it is one of the manifests of the operator, so apply these to the hub first\n$',
        ),
      ),
    });
    expect(await server.client.list(ManagedClusters, undefined)).toEqual([]);
  });

  it('a namespace that does not exist is said, with the one that was probably meant', async () => {
    const files = (await readdir(path.join(root, 'crds'))).map((one) => path.join(root, 'crds', one));
    for (const file of files) await server.apply(parseManifests(await readFile(file, 'utf8'), file));
    await server.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }]);
    const commands = ['tree -n shoop', 'explain placement web -n shoop', 'clusterset bind production -n shoop'];

    const said = await Promise.all(commands.map(run));

    for (const { stderr } of said) expect(stderr).toMatch(/: there is no Namespace shoop; did you mean shop\?\n$/);
    expect(said.map(({ code }) => code)).toEqual([0, 1, 1]);
  });
});
