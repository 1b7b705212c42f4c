import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePorts } from '@multicluster-engine/kube-apiserver';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { readConfig } from './support/commandline.js';
import { describeWithKubectl } from './support/clients/kubectl.js';
import {
  buildImage,
  checkHealth,
  containersMissing,
  createVolume,
  endContainer,
  imageStage,
  runStandalone,
} from './support/image/image.js';
import { InstalledEngine, largePlacement } from './support/processes/installedengine.js';
import type { Standalone } from './support/processes/standalone.js';

const MINUTE = 60_000;
const image = imageStage;

let folder: string;
let built: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-image-'));
  built = buildImage(folder);
}, 5 * MINUTE);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files and links of the image, from its root. */
function files(): string[] {
  const names = readdirSync(built, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => !statSync(path.join(built, name)).isDirectory());
}

function read(file: string): string {
  return readFileSync(path.join(built, file), 'utf8');
}

describe('the content of the image', () => {
  it('the image has one program, Node, and neither node_modules nor sources', () => {
    const programs = files().filter((file) => /(?:^|\/)s?bin\//.test(file));

    expect(programs).toEqual(['usr/local/bin/node']);
    expect(files().filter((file) => /(?:^|\/)node_modules\/|\.ts$|\.map$|\.test\./.test(file))).toEqual([]);
    expect(files()).toEqual(
      expect.arrayContaining(['app/dist/bundle/main.js', 'app/crds/placement.yaml', 'app/docs/reference/openapi.json']),
    );
  });

  it('no file of the image can be changed by its user', () => {
    const writable = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter(
      (name) => (statSync(path.join(built, name)).mode & 0o022) !== 0,
    );

    expect(writable).toEqual(['tmp']);
  });

  it('the image has the licences of the product, of each bundled package, of Node and of its libraries', () => {
    const bundled = read('licenses/multicluster-engine/LICENSES.txt');

    expect(read('licenses/multicluster-engine/LICENSE')).toContain('Apache License');
    expect(read('licenses/multicluster-engine/NOTICE')).toContain('The Kubernetes Authors');
    expect(bundled).toContain('Copyright The Kubernetes Authors.');
    expect(read('licenses/node/LICENSE')).toContain('Node.js is licensed for use as follows');
    expect(read('licenses/libc6/copyright')).toContain('GNU');
  });

  it('the image has the labels of the OCI', () => {
    expect(image.pairs('LABEL')).toMatchObject({
      'org.opencontainers.image.title': 'multicluster-engine',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.version': '$VERSION',
      'org.opencontainers.image.revision': '$REVISION',
      'org.opencontainers.image.created': '$CREATED',
      'org.opencontainers.image.source': '$SOURCE',
      'org.opencontainers.image.base.digest': '$BASE_DIGEST',
    });
  });

  it('the variables of the image let standalone listen on all addresses, and leave the gateway as it is', () => {
    const env = image.pairs('ENV');

    expect(readConfig(['standalone'], env)).toMatchObject({
      dataDir: '/data',
      listen: { host: '0.0.0.0', port: 6443 },
      requested: { listen: true, gatewayListen: true },
    });
    const gateway = ['gateway', '--tls-cert=a', '--tls-key=b', '--upstream=https://10.0.0.1', '--upstream-ca=c'];
    expect(readConfig(gateway, env)).toEqual(readConfig(gateway, {}));
  });
});

const missing = containersMissing();
if (missing !== undefined) process.stderr.write(`not run: a container of the image: ${missing}\n`);

describeWithKubectl('docker run IMAGE standalone', () => {
  const test = missing === undefined || process.env['CI'] === 'true' ? it : it.skip;
  let volume: string;
  let env: Readonly<Record<string, string>>;
  let running: Standalone | undefined;
  let engine: InstalledEngine | undefined;

  beforeAll(async () => {
    const [api = 0, gateway = 0] = await freePorts(2);
    volume = createVolume();
    env = {
      MULTICLUSTER_ENGINE_API_LISTEN: `0.0.0.0:${api}`,
      MULTICLUSTER_ENGINE_GATEWAY_LISTEN: `0.0.0.0:${gateway}`,
    };
  });
  afterAll(async () => {
    await engine?.close();
    if (running !== undefined) await endContainer(running, 'SIGKILL');
    rmSync(volume, { recursive: true, force: true });
  }, MINUTE);

  async function start(): Promise<Standalone> {
    running = await runStandalone({ built, volume, env });
    await running.up({ deadlineMs: 2 * MINUTE });
    return running;
  }

  test(
    'kubectl uses the hub with the kubeconfig of the volume, and the gateway of an engine serves a body that its worker thread parses',
    async () => {
      const container = await start();
      const { kubeconfig } = container;
      engine = await InstalledEngine.create(container, path.join(built, 'app/examples/engine.yaml'));
      const reply = await engine.ask(largePlacement('large'));

      expect([reply.status, reply.body]).toEqual([200, expect.stringContaining('kind: Placement\n')]);
      const pods = await kubectlOk(['get', 'pods', '-A', '-o', 'name'], { kubeconfig });
      expect(pods.trim().split('\n')).toHaveLength(2);
      expect(checkHealth({ built, volume, env })).toEqual({ code: 0, output: '' });
    },
    3 * MINUTE,
  );

  test(
    'a container on the volume of one that was killed continues with its objects, and ends with 0 after SIGTERM',
    async () => {
      await engine?.close();
      await endContainer(started(), 'SIGKILL');
      await waitFor('the health check to fail', () => checkHealth({ built, volume, env }).code === 1);

      const again = await start();
      const { kubeconfig } = again;
      await kubectlOk(['wait', '--for=condition=Ready', 'mce/engine', '--timeout=60s'], { kubeconfig });
      expect(await kubectlOk(['get', 'placements', '-o', 'name'], { kubeconfig })).toContain('/large');

      expect(await endContainer(again, 'SIGTERM')).toEqual({ code: 0, signal: null });
    },
    3 * MINUTE,
  );

  function started(): Standalone {
    if (running === undefined) throw new Error('no container runs');
    return running;
  }
});
