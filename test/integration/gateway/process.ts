import { mkdtemp, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';

import { startChild, freePorts } from '@multicluster-engine/kube-apiserver';
import { issueServingCertificate } from '../../../src/runtime/tls/serving.js';
import { askOnce, type Ask } from '../../gateway/client.js';
import { mustConform, type Reply } from '../../gateway/openapi/conformance.js';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
/** The DNS names in the certificate: of this machine and of the Service. */
const NAMES = ['localhost', 'gateway.multicluster-engine.svc'];

/** The API server of a gateway process. */
export type UpstreamServer = Pick<ControlPlane, 'folder' | 'url' | 'caFile'>;

/** A gateway process of an API server. */
export interface GatewayProcess {
  readonly port: number;
  readonly folder: string;
  /** The CA of its certificate as PEM, and the file with it. */
  readonly ca: string;
  readonly caFile: string;
  /** Sends a request and checks the response against the OpenAPI document. */
  ask(what: Ask): Promise<Reply>;
  metrics(): Promise<string>;
  /** Stops it; returns everything that it has printed. */
  stop(): Promise<string>;
}

/** Starts a gateway process. `nodeOptions`: options of Node itself. */
export async function startGateway(
  server: UpstreamServer,
  flags: readonly string[] = [],
  nodeOptions: readonly string[] = [],
): Promise<GatewayProcess> {
  const folder = await mkdtemp(path.join(server.folder, 'gateway-'));
  const pair = await issueServingCertificate({ names: NAMES, addresses: ['127.0.0.1'], now: Date.now() });
  const [cert, key] = [path.join(folder, 'tls.crt'), path.join(folder, 'tls.key')];
  await writeFile(cert, pair.certificate);
  await writeFile(key, pair.privateKey, { mode: 0o600 });
  const [port = 0, metrics = 0, health = 0] = await freePorts(3);
  const listen = [
    `--listen=127.0.0.1:${port}`,
    `--metrics-listen=127.0.0.1:${metrics}`,
    `--health-listen=127.0.0.1:${health}`,
    '--shutdown-delay=0s',
  ];
  const child = await startChild({
    command: [
      process.execPath,
      ...nodeOptions,
      MAIN,
      'gateway',
      ...listen,
      `--tls-cert=${cert}`,
      `--tls-key=${key}`,
      `--upstream=${server.url}`,
      `--upstream-ca=${server.caFile}`,
      ...flags,
    ],
    env: { PATH: process.env['PATH'] ?? '' },
    output: 'pipe',
  });
  const output = text(child.output);
  await waitFor('the gateway to be ready', async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok);
  const agent = new Agent({ keepAlive: true, ca: pair.certificate });
  return {
    port,
    folder,
    ca: pair.certificate,
    caFile: cert,
    async ask(what) {
      const reply = await askOnce(port, what, agent);
      mustConform(what.method ?? 'GET', what.path, reply, flags.includes('--strict-status-codes'));
      return reply;
    },
    async metrics() {
      return (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    },
    async stop() {
      agent.destroy();
      await child.stop();
      return output;
    },
  };
}
