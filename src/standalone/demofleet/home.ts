import type { ClaimMaps, Home, StoredSecret } from '../../agent/home.js';
import type { NodeFacts } from '../../domain/agent/report/nodes.js';
import { AGENT_TOKEN_SECRET } from '../../api/names.js';
import type { JoinData } from '../../domain/agent/hubtoken.js';
import type { DemoCluster } from './clusters.js';

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
