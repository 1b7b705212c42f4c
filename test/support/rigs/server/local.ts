import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { loadKubeconfig } from '../../../../src/runtime/kubeconfig/kubeconfig.js';
import { createClient } from '../../../../src/runtime/client/rest.js';
import { createTransport, type Transport } from '../../../../src/runtime/transport/transport.js';
import { ContainerLogs } from '../../../../src/standalone/local/output.js';
import { LocalRuntime } from '../../../../src/standalone/local/runtime.js';
import { systemClock, systemRandom } from '../../../../src/runtime/clock.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { RecordingLog } from '../../fakes/log.js';

/** Writes its address to a file, listens at HEALTH_LISTEN, is ready until `/sicken`, and ends at `/end`. */
const PROGRAM = `
  const { createServer } = require('node:http');
  const { readFileSync, writeFileSync } = require('node:fs');
  writeFileSync('address', process.env.HEALTH_LISTEN);
  const [host, port] = process.env.HEALTH_LISTEN.split(':');
  let well = !process.argv.includes('sick');
  createServer((request, response) => {
    if (request.url === '/end') {
      console.log(JSON.stringify({ level: 'error', msg: 'no more', err: { message: 'I was asked to end' } }));
      process.exit(3);
    }
    if (request.url === '/sicken') well = false;
    if (request.url === '/file') return response.end(readFileSync(process.env.FILE));
    response.statusCode = well ? 200 : 500;
    response.end(JSON.stringify({ pid: process.pid, kubeconfig: process.env.KUBECONFIG, host: process.env.KUBERNETES_SERVICE_HOST }));
  }).listen(Number(port), host);
  process.on('SIGTERM', () => process.exit(0));`;
/** Makes an object, where it does not exist. */
export async function post(server: ControlPlane, collection: string, body: AnyObject): Promise<AnyObject> {
  const answer = await server.call({ method: 'POST', path: `/${collection}`, body });
  if (answer.status !== 201 && answer.status !== 409) throw new Error(`${collection}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** A runtime under the rights of `deploy/standalone`. */
export class LocalRuntimeRig {
  readonly #server: ControlPlane;
  readonly #transport: Transport;
  #runtime: LocalRuntime;

  private constructor(server: ControlPlane, transport: Transport) {
    this.#server = server;
    this.#transport = transport;
    this.#runtime = this.#make();
  }

  static async open(server: ControlPlane): Promise<LocalRuntimeRig> {
    const file = await server.kubeconfigFor({ serviceAccount: { namespace: 'kube-system', name: 'local-runtime' } });
    const tools = {
      clock: systemClock,
      random: systemRandom,
      log: new RecordingLog(),
      userAgent: 'local-runtime-test',
    };
    const rig = new LocalRuntimeRig(server, createTransport(loadKubeconfig({ path: file }), tools));
    await rig.#runtime.start();
    return rig;
  }

  async restart(): Promise<void> {
    await this.#runtime.stop();
    this.#runtime = this.#make();
    await this.#runtime.start();
  }

  async close(): Promise<void> {
    await this.#runtime.stop();
    await this.#transport.close();
  }

  /** `HOST:PORT` of the process of a Deployment; undefined while it has not started. */
  addressOf(namespace: string, name: string): string | undefined {
    const pods = path.join(this.#folder, 'pods');
    const [own] = readdirSync(pods).filter((pod) => pod.startsWith(`${namespace}.${name}-`));
    return own === undefined ? undefined : readFileSync(path.join(pods, own, 'address'), 'utf8');
  }

  get #folder(): string {
    return path.join(this.#server.folder, 'local');
  }

  #make(): LocalRuntime {
    return new LocalRuntime({
      transport: this.#transport,
      client: createClient(this.#transport),
      clock: systemClock,
      server: this.#server.url,
      caFile: this.#server.caFile,
      folder: this.#folder,
      executable: [process.execPath, '--eval', PROGRAM, '--'],
      addressesFor: async () => ({}),
      logs: new ContainerLogs(systemClock),
      version: 'v0.0.0',
      log: new RecordingLog(),
      report: () => undefined,
    });
  }
}
