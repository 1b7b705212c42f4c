import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import path from 'node:path';

import { load } from 'js-yaml';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { DEFAULT_TARGET_NAMESPACE } from '../../../src/api/names.js';
import { MultiClusterEngines } from '../../../src/api/resources.js';
import { ConfigMaps } from '../../../src/runtime/vocabulary/kinds.js';
import { createClient } from '../../../src/runtime/client/rest.js';
import { loadKubeconfig } from '../../../src/runtime/kubeconfig/kubeconfig.js';
import { createTransport, type Transport } from '../../../src/runtime/transport/transport.js';
import { systemClock, systemRandom } from '../../../src/runtime/clock.js';
import { askOnce, type Ask } from '../../gateway/client.js';
import type { Reply } from '../../gateway/openapi/conformance.js';
import { RecordingLog } from '../fakes/log.js';
import type { Standalone } from './standalone.js';

const MINUTE = 60_000;

interface Engine extends KubeObject {
  readonly status?: { readonly phase?: string };
}

interface Trust extends KubeObject {
  readonly data?: { readonly 'ca.crt'?: string };
}

/** An engine in a standalone hub, with requests to its gateway. */
export class InstalledEngine {
  readonly #standalone: Standalone;
  readonly #transport: Transport;

  private constructor(standalone: Standalone, transport: Transport) {
    this.#standalone = standalone;
    this.#transport = transport;
  }

  /** Creates the engine of the file `manifest`, and waits until it is available. */
  static async create(standalone: Standalone, manifest: string): Promise<InstalledEngine> {
    const transport = createTransport(loadKubeconfig({ path: standalone.kubeconfig }), {
      clock: systemClock,
      random: systemRandom,
      log: new RecordingLog(),
      userAgent: 'test',
    });
    const client = createClient(transport);
    const engine = load(readFileSync(manifest, 'utf8')) as KubeObject;
    await client.create(MultiClusterEngines, engine, { fieldManager: 'test' });
    await waitFor(
      'the engine to be available',
      async (seen) => {
        const found = await client.get<Engine>(MultiClusterEngines, { name: 'engine' });
        seen(found?.status);
        return found?.status?.phase === 'Available';
      },
      { deadlineMs: 2 * MINUTE },
    );
    return new InstalledEngine(standalone, transport);
  }

  /** Sends one request to the gateway, as the administrator; its certificate is verified. */
  async ask(request: Ask): Promise<Reply> {
    const trust = await createClient(this.#transport).get<Trust>(ConfigMaps, {
      namespace: DEFAULT_TARGET_NAMESPACE,
      name: 'gateway-ca',
    });
    const servername = `gateway.${DEFAULT_TARGET_NAMESPACE}.svc`;
    const agent = new Agent({ keepAlive: false, ca: trust?.data?.['ca.crt'] ?? '', servername });
    const folder = path.dirname(this.#standalone.kubeconfig);
    const token = readFileSync(path.join(folder, 'admin.token'), 'utf8').trim();
    const headers = { host: servername, ...request.headers };
    return askOnce(this.#standalone.gatewayPort, { ...request, headers, token }, agent);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

/**
 * A request that creates a Placement of more than 4 KiB, and asks for it as YAML. A gateway parses the body, and writes the
 * response, in its worker thread.
 */
export function largePlacement(name: string): Ask {
  return {
    method: 'POST',
    path: '/platform/cluster.fleetmgmt.io/v1alpha1/namespaces/default/placements',
    headers: { 'content-type': 'application/json', accept: 'application/yaml', prefer: 'return=representation' },
    body: JSON.stringify({
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'Placement',
      metadata: { name, annotations: { note: 'x'.repeat(8 * 1024) } },
      spec: { numberOfClusters: 1 },
    }),
  };
}
