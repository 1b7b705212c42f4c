import path from 'node:path';

import { loadKubeconfig } from '../../../../src/runtime/kubeconfig/kubeconfig.js';
import { createCache } from '../../../../src/runtime/cache/reflector.js';
import { createClient } from '../../../../src/runtime/client/rest.js';
import { createTransport, type Transport } from '../../../../src/runtime/transport/transport.js';
import { LocalNode } from '../../../../src/standalone/local/node.js';
import { ContainerLogs } from '../../../../src/standalone/local/process/containerlogs.js';
import { LocalRuntime } from '../../../../src/standalone/local/runtime.js';
import { openLogFile } from '../../../../src/runtime/log/linewriter.js';
import { systemClock, systemRandom } from '../../../../src/runtime/clock.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { RecordingLog } from '../../fakes/log.js';

/** Listens at HEALTH_LISTEN, is ready until `/sicken`, and ends at `/end`. */
const PROGRAM = `
  const { createServer } = require('node:http');
  const { readFileSync } = require('node:fs');
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
/** Of the Deployments that are run. */
export const LABEL = 'test.example.com/run';

/** Makes an object, where it does not exist. */
export async function post(server: ControlPlane, collection: string, body: AnyObject): Promise<AnyObject> {
  const answer = await server.call({ method: 'POST', path: `/${collection}`, body });
  if (answer.status !== 201 && answer.status !== 409) throw new Error(`${collection}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** A node and a runtime under the rights of `deploy/standalone`. */
export class LocalRuntimeRig {
  readonly #server: ControlPlane;
  readonly #transport: Transport;
  readonly #node: LocalNode;
  runtime: LocalRuntime;

  private constructor(server: ControlPlane, transport: Transport) {
    this.#server = server;
    this.#transport = transport;
    const tools = { clock: systemClock, log: new RecordingLog() };
    this.#node = new LocalNode({
      ...tools,
      client: createClient(transport),
      openCache: (options) => createCache(transport, options, { ...tools, random: systemRandom }),
      name: 'local',
      version: 'v0.0.0',
    });
    this.runtime = this.#make();
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
    await rig.#node.start();
    await rig.runtime.start();
    return rig;
  }

  async restart(): Promise<void> {
    await this.runtime.stop();
    this.runtime = this.#make();
    await this.runtime.start();
  }

  async close(): Promise<void> {
    await this.runtime.stop();
    await this.#node.stop();
    await this.#transport.close();
  }

  #make(): LocalRuntime {
    const log = new RecordingLog();
    const client = createClient(this.#transport);
    const tools = { clock: systemClock, random: systemRandom, log };
    return new LocalRuntime({
      deps: {
        transport: this.#transport,
        client,
        clock: systemClock,
        server: this.#server.url,
        caFile: this.#server.caFile,
        folder: path.join(this.#server.folder, 'local'),
        openLog: (file) => openLogFile(file, systemClock),
        executable: [process.execPath, '--eval', PROGRAM, '--'],
        addressesFor: async () => ({}),
        logs: new ContainerLogs(systemClock),
      },
      client,
      openCache: (options) => createCache(this.#transport, options, tools),
      selectors: { run: LABEL, others: `!${LABEL}` },
      nodeName: 'local',
      log,
      report: () => undefined,
    });
  }
}
