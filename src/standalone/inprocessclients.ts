import { createClient } from '../runtime/client/rest.js';
import type { KubeClient } from '../runtime/client/client.js';
import { createIdentityClient, type IdentityClient } from '../runtime/client/identity.js';
import { InProcessRoundTripper, type InProcessServer, type InProcessUser } from '../runtime/transport/inprocess.js';
import { createTransportWith, type Transport, type TransportOptions } from '../runtime/transport/transport.js';
import { systemClock, systemRandom } from '../runtime/clock.js';
import type { Logger } from '../runtime/logger.js';

/** A cluster administrator, for the installation at the start only. */
const ADMIN: InProcessUser = {
  name: 'multicluster-engine-standalone',
  groups: ['system:masters', 'system:authenticated'],
};

export function serviceAccountUser(namespace: string, name: string): InProcessUser {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { name: `system:serviceaccount:${namespace}:${name}`, groups };
}

/** Creates clients of an API server in this process. */
export class InProcessClients {
  readonly #server: InProcessServer;
  readonly #log: Logger;
  readonly #version: string;

  constructor(server: InProcessServer, version: string, log: Logger) {
    this.#server = server;
    this.#log = log;
    this.#version = version;
  }

  /** A transport that acts as `user`, without client-side rate limits unless `options` sets them. */
  transport(user: InProcessUser, options: Partial<TransportOptions> = {}): Transport {
    const unlimited = { qps: 10_000, burst: 20_000 };
    return createTransportWith((settings) => new InProcessRoundTripper(this.#server, user, settings), {
      clock: systemClock,
      random: systemRandom,
      log: this.#log,
      userAgent: `multicluster-engine/${this.#version} (standalone)`,
      limits: { default: unlimited, events: unlimited, leases: unlimited },
      ...options,
    });
  }

  admin(): KubeClient {
    return createClient(this.transport(ADMIN));
  }

  adminIdentity(): IdentityClient {
    return createIdentityClient(this.transport(ADMIN));
  }
}
