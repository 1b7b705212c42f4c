import { createClient } from '../kube/client/rest.js';
import type { KubeClient } from '../kube/client/client.js';
import { InProcessRoundTripper, type InProcessServer, type InProcessUser } from '../kube/transport/inprocess.js';
import { createTransportWith, type Transport, type TransportOptions } from '../kube/transport/transport.js';
import { systemClock, systemRandom } from '../runtime/clock.js';
import type { Logger } from '../runtime/logger.js';

/** May do everything: only for what an administrator does once at the start. */
const ADMIN: InProcessUser = {
  name: 'multicluster-engine-standalone',
  groups: ['system:masters', 'system:authenticated'],
};

export function serviceAccountUser(namespace: string, name: string): InProcessUser {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { name: `system:serviceaccount:${namespace}:${name}`, groups };
}

/** Ways into an API server of this process. */
export class InProcessClients {
  readonly #door: InProcessServer;
  readonly #log: Logger;
  readonly #version: string;

  constructor(door: InProcessServer, version: string, log: Logger) {
    this.#door = door;
    this.#log = log;
    this.#version = version;
  }

  /** A transport that acts as a user, without a rate limit of its own unless `options` set one. */
  transport(user: InProcessUser, options: Partial<TransportOptions> = {}): Transport {
    const free = { qps: 10_000, burst: 20_000 };
    return createTransportWith((wiring) => new InProcessRoundTripper(this.#door, user, wiring), {
      clock: systemClock,
      random: systemRandom,
      log: this.#log,
      userAgent: `multicluster-engine/${this.#version} (standalone)`,
      limits: { default: free, events: free, leases: free },
      ...options,
    });
  }

  admin(): KubeClient {
    return createClient(this.transport(ADMIN));
  }
}
