import { Agent } from '../../agent/agent.js';
import type { ClaimMaps, Home, StoredSecret } from '../../agent/home.js';
import type { OpenHub } from '../../agent/session/context.js';
import { AGENT_TOKEN_SECRET } from '../../api/names.js';
import type { JoinData } from '../../domain/agent/hubtoken.js';
import type { NodeFacts } from '../../domain/agent/report/nodes.js';
import type { Clock, Random } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import type { DemoCluster } from './clusters.js';

/** What an agent of the demo fleet needs of the process. */
export interface MemberTools {
  readonly openHub: OpenHub;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** As the agent requests by default. */
const TOKEN_SECONDS = 604_800;

/** A cluster of the demo fleet with its agent, which can be stopped and started again, as a pod of it would be. */
export class Member {
  readonly name: string;
  readonly #home: DemoHome;
  readonly #tools: MemberTools;
  #end: AbortController | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #hasReported = false;
  #reported: () => void = () => undefined;
  /** Resolves after the first write of a report, whether or not the hub has accepted it. */
  readonly reported = new Promise<void>((resolve) => {
    this.#reported = () => {
      this.#hasReported = true;
      resolve();
    };
  });

  constructor(name: string, home: DemoHome, tools: MemberTools) {
    this.name = name;
    this.#home = home;
    this.#tools = tools;
  }

  start(): void {
    const { openHub, clock, random, log } = this.#tools;
    const metrics = { renewed: ignore, tokenRequested: ignore, tokenUntil: ignore, published: () => this.#reported() };
    const agent = new Agent({
      home: this.#home,
      openHub,
      tools: { clock, random, log: log.child({ cluster: this.name }), metrics },
      tokenLifetimeSeconds: TOKEN_SECONDS,
    });
    this.#end = new AbortController();
    this.#ended = agent.run(this.#end.signal);
  }

  /** Whether {@link reported} has resolved. */
  get hasReported(): boolean {
    return this.#hasReported;
  }

  /** Resolves when the agent has ended. */
  async stop(): Promise<void> {
    this.#end?.abort(new Error('the simulated cluster is stopped'));
    await this.#ended;
  }
}

function ignore(): void {
  // Nobody reads the metrics of a simulated cluster.
}

/** The API of a simulated cluster as its agent uses it: nothing changes there, and every request succeeds. */
export class DemoHome implements Home {
  readonly claims: ClaimMaps;
  readonly #cluster: DemoCluster;
  #secret: StoredSecret;

  /** `join`: the content of the manifest that is applied to the cluster. */
  constructor(cluster: DemoCluster, join: JoinData) {
    this.#cluster = cluster;
    this.#secret = {
      uid: `${cluster.id}-${AGENT_TOKEN_SECRET}`,
      content: { kind: 'complete', join, token: undefined },
    };
    this.claims = claimMaps(cluster);
  }

  async clusterId(): Promise<string> {
    return this.#cluster.id;
  }

  async readSecret(): Promise<StoredSecret> {
    return this.#secret;
  }

  async storeToken(_secretUid: string, token: string, join: JoinData): Promise<void> {
    this.#secret = { ...this.#secret, content: { kind: 'complete', join, token } };
  }

  async version(): Promise<string> {
    return this.#cluster.version;
  }

  async nodes(): Promise<readonly NodeFacts[]> {
    return this.#cluster.nodes;
  }

  /** The cluster has no API server that a client could reach. */
  async clientConfig(): Promise<undefined> {
    return undefined;
  }

  /** No agent of a simulated cluster is asked for one. */
  async argoCdToken(): Promise<never> {
    throw new Error('a simulated cluster gives no tokens');
  }

  async probe(): Promise<void> {
    // It is ready.
  }
}

function claimMaps({ claims }: DemoCluster): ClaimMaps {
  const configMaps = [{ metadata: { name: 'claims' }, data: claims }];
  return {
    start: () => undefined,
    stop: async () => undefined,
    whenSynced: async () => undefined,
    onChange: () => undefined,
    store: { values: () => configMaps },
    current: () => true,
    failure: () => undefined,
  };
}
