import { Agent } from 'node:https';

import { DEFAULT_TARGET_NAMESPACE } from '../../src/api/names.js';
import { askOnce } from '../gateway/client.js';
import { mustConform, type Reply } from '../gateway/openapi/conformance.js';
import type { Hub } from '../support/hub/hub.js';
import type { Pod } from '../support/hub/pod.js';
import { fields, text } from '../support/scenario/checks/reading.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
const TARGET = DEFAULT_TARGET_NAMESPACE;
const PLACEMENTS = '/platform/cluster.fleetmgmt.io/v1alpha1/namespaces/default/placements';

export const SECRET = `/api/v1/namespaces/${TARGET}/secrets/gateway-tls`;
export const TRUST = `/api/v1/namespaces/${TARGET}/configmaps/gateway-ca`;
/** The names of the gateway's Service. */
export const NAMES = ['gateway', `gateway.${TARGET}`, `gateway.${TARGET}.svc`, `gateway.${TARGET}.svc.cluster.local`];

/** A client of the gateway that an engine has installed, with the token of a ServiceAccount that may read. */
export class GatewayClient {
  readonly pod: Pod;
  readonly #hub: Hub;
  readonly #token: string;

  private constructor(hub: Hub, pod: Pod, token: string) {
    this.#hub = hub;
    this.pod = pod;
    this.#token = token;
  }

  /** Waits until a gateway is ready, and grants its reader the permission to read. */
  static async open(hub: Hub): Promise<GatewayClient> {
    const pod = await waitFor('the gateway to run', () => hub.components.pods(TARGET, 'gateway')[0], {
      deadlineMs: 2 * MINUTE,
    });
    await pod.ready({ deadlineMs: 2 * MINUTE });
    const token = await hub.server.tokenFor({ serviceAccount: { namespace: 'default', name: 'default' } });
    await hub.kubectl(
      'create',
      'clusterrolebinding',
      'reader',
      '--clusterrole=view',
      '--serviceaccount=default:default',
    );
    return new GatewayClient(hub, pod, token);
  }

  /** The CA certificates in the ConfigMap; empty when there are none. */
  async trusted(): Promise<string> {
    return text(fields((await this.#hub.get(TRUST))?.['data'])['ca.crt']);
  }

  /** Lists placements on a new connection; the gateway's certificate is verified for `servername` by `ca` only. */
  async list(ca: string, servername = NAMES[2] ?? ''): Promise<Reply> {
    const agent = new Agent({ keepAlive: false, ca, servername });
    const port = Number(this.pod.addresses['MULTICLUSTER_ENGINE_LISTEN']?.split(':')[1]);
    const reply = await askOnce(port, { path: PLACEMENTS, token: this.#token, headers: { host: servername } }, agent);
    mustConform('GET', PLACEMENTS, reply);
    return reply;
  }

  /** Waits until a certificate that `ca` verifies is served, and the reader is authorized. */
  async served(ca: string, servername?: string): Promise<void> {
    await waitFor(
      'the gateway to serve what is trusted',
      async (seen) => {
        const reply = await this.list(ca, servername).catch((error: unknown) => String(error));
        seen(reply);
        return typeof reply !== 'string' && reply.status === 200;
      },
      { deadlineMs: 2 * MINUTE },
    );
  }

  /** Sends requests one after the other until it is stopped, and reads the CA before each; returns the failures. */
  load(): { readonly answered: () => number; stop(): Promise<readonly string[]> } {
    const failures: string[] = [];
    let answered = 0;
    let going = true;
    const work = (async () => {
      while (going) {
        const status = await this.list(await this.trusted()).then((reply) => String(reply.status), String);
        if (status !== '200') failures.push(status);
        answered += 1;
      }
    })();
    return {
      answered: () => answered,
      async stop() {
        going = false;
        await work;
        return failures;
      },
    };
  }
}
