import path from 'node:path';

import { settle, type ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { AGENT_NAMESPACE, AGENT_TOKEN_SECRET } from '../../../../src/api/names.js';
import { ConfigMaps, Secrets } from '../../../../src/runtime/vocabulary/kinds.js';
import { Agent } from '../../../../src/agent/agent.js';
import { ApiHome, type Home } from '../../../../src/agent/home.js';
import { connectHub, type Hub } from '../../../../src/agent/hub.js';
import { CLAIMS_LABEL } from '../../../../src/domain/agent/report/claims.js';
import { readHubToken, type HubToken, type JoinData } from '../../../../src/domain/agent/hubtoken.js';
import { agentManifest } from '../../../../src/domain/agent/manifest.js';
import { readKustomization } from '../../../../src/runtime/manifests.js';
import type { Transport } from '../../../../src/runtime/transport/transport.js';
import { createAgentMetrics } from '../../../../src/agent/metrics.js';
import { systemRandom, type Clock } from '../../../../src/runtime/clock.js';
import { RecordingLog } from '../../fakes/log.js';
import { root } from '../../repository/root.js';
import { TestServer } from './server.js';

const templates = readKustomization(path.join(root, 'deploy', 'agent', 'base'));

/** A managed cluster with one Node, to which manifests of agents are applied. */
export class HomeRig {
  readonly server: TestServer;

  private constructor(server: TestServer) {
    this.server = server;
  }

  static async start(): Promise<HomeRig> {
    const server = await TestServer.start();
    await server.apply([NODE]);
    return new HomeRig(server);
  }

  /** As `kubectl apply` of the manifest of a cluster. */
  async join(join: JoinData): Promise<void> {
    await this.server.apply(agentManifest(templates, { join, image: 'multicluster-engine:test' }));
  }

  /** Writes custom claims into the ConfigMap `name`. */
  async claim(name: string, data: Readonly<Record<string, string>>): Promise<void> {
    const metadata = { name, namespace: AGENT_NAMESPACE, labels: { [CLAIMS_LABEL]: 'true' } };
    await this.server.client.create(ConfigMaps, { metadata, data } as KubeObject, { fieldManager: 'test' });
  }

  /** The Secret `hub-token`. */
  async secret(): Promise<HubToken> {
    return readHubToken(
      await this.server.client.get(Secrets, { namespace: AGENT_NAMESPACE, name: AGENT_TOKEN_SECRET }),
    );
  }

  /** Connections with the rights that the manifest gives to the agent. */
  async transport(clock: Clock): Promise<Transport> {
    const name = 'multicluster-engine-agent';
    return this.server.transport(await this.server.tokenOf(AGENT_NAMESPACE, name, { expirationSeconds: 3600 }), clock);
  }
}

/** A request of an agent: `hub.createLease`, `home.readSecret`. */
export type AgentCall = `hub.${keyof Hub}` | `home.${keyof Home}`;

export interface ProcessOptions {
  readonly transport: Transport;
  readonly clock: ManualClock;
  /** The namespace of Argo CD on the hub; undefined: no tokens are handed over. */
  readonly argoCdNamespace?: string;
  /** The process is killed when this call has succeeded, before the agent has its result. */
  readonly killAfter?: AgentCall;
  /** Runs before each call, which fails with what it throws. */
  readonly before?: (call: string) => void;
}

/** A process of an agent, with a clock of its own. */
export class AgentProcess {
  readonly agent: Agent;
  readonly log = new RecordingLog();
  readonly #options: ProcessOptions;
  readonly #end = new AbortController();
  readonly #ended: Promise<boolean>;
  #running = 0;

  constructor(options: ProcessOptions) {
    const { transport, clock } = options;
    const tools = { clock, random: systemRandom, log: this.log };
    const connection = { ...tools, userAgent: 'multicluster-engine-agent/test' };
    this.#options = options;
    this.agent = new Agent({
      home: this.#wired('home', new ApiHome({ transport, namespace: AGENT_NAMESPACE, apiEndpoint: undefined, tools })),
      openHub: (join, token) => this.#wired('hub', connectHub(join, token, connection)),
      tools: { ...tools, metrics: createAgentMetrics().agent },
      tokenLifetimeSeconds: 600,
      argoCdNamespace: options.argoCdNamespace,
    });
    this.#ended = this.agent.run(this.#end.signal);
  }

  /** Fires when the process is killed or stopped. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** The problems that /readyz names. */
  problems(): string[] {
    return this.agent.readiness().flatMap((check) => check.check() ?? []);
  }

  /** Lets the agent's time pass. No request is under way while the clock moves. */
  async pass(ms: number): Promise<void> {
    const { clock } = this.#options;
    const end = clock.monotonic() + ms;
    await this.#idle();
    while (clock.monotonic() < end) {
      await clock.advance(Math.min(clock.nextIn ?? Infinity, end - clock.monotonic()));
      await this.#idle();
    }
  }

  /** Resolves with whether it ended cleanly. */
  async stop(): Promise<boolean> {
    const isKilled = this.#end.signal.aborted;
    this.#end.abort(new Error('the process is stopped'));
    return isKilled || this.#ended;
  }

  async #idle(): Promise<void> {
    await waitFor('no request to be under way', async () => {
      await settle();
      return this.#running === 0;
    });
  }

  #wired<T extends object>(part: 'hub' | 'home', target: T): T {
    return new Proxy(target, {
      get: (_target, name) => {
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function'
          ? (...args: unknown[]) => this.#call(`${part}.${String(name)}`, () => member.apply(target, args))
          : member;
      },
    });
  }

  async #call(call: string, send: () => unknown): Promise<unknown> {
    this.#running += 1;
    try {
      this.#options.before?.(call);
      const result = await send();
      if (call !== this.#options.killAfter) return result;
    } finally {
      this.#running -= 1;
    }
    this.#end.abort(new Error('the process is killed'));
    return new Promise(() => undefined);
  }
}

const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'node-1',
    labels: { 'topology.kubernetes.io/region': 'eu-west-1', 'topology.kubernetes.io/zone': 'eu-west-1a' },
  },
  spec: { providerID: 'aws:///eu-west-1a/i-0abc' },
} as KubeObject;
