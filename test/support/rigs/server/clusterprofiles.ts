import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { addressedClusters } from '../../../../src/operator/controllers/clusters/caches.js';
import {
  clusterProfileCacheOptions,
  createClusterProfileControllers,
} from '../../../../src/operator/controllers/followers/clusterprofile.js';
import { clusterProfileRights } from '../../../../src/operator/controllers/followers/rights.js';
import { placementCacheOptions } from '../../../../src/operator/controllers/placement/caches.js';
import { createCache } from '../../../../src/runtime/cache/reflector.js';
import { GroupRig, writesOf } from './group.js';

const AGENT = 'profiles-under-test';

/** What publishes clusters as ClusterProfiles, as the operator runs it, without its lease. */
export class ClusterProfileServerRig extends GroupRig {
  readonly #server: ControlPlane;

  /** `namespace`: that of the ClusterProfiles. */
  constructor(server: ControlPlane, namespace: string) {
    super(server.adminKubeconfig, { userAgent: AGENT, limits: { default: { qps: 1_000, burst: 1_000 } } });
    this.#server = server;
    const tools = this.tools();
    const options = placementCacheOptions;
    const caches = {
      placements: createCache(this.transport, options.placements, tools),
      decisions: createCache(this.transport, options.decisions, tools),
      clusters: createCache(this.transport, addressedClusters, tools),
      sets: createCache(this.transport, options.sets, tools),
      bindings: createCache(this.transport, options.bindings, tools),
    };
    const { controllers, source, onStartedLeading } = createClusterProfileControllers({
      client: this.guarded(clusterProfileRights(namespace)),
      caches,
      profiles: createCache(this.transport, clusterProfileCacheOptions(namespace), tools),
      namespace,
      ...tools,
      settleWindowMs: 50,
    });
    this.run({ name: 'profiles', sources: [...Object.values(caches), source], controllers, onStartedLeading });
  }

  writes(mark: number): Promise<string[]> {
    return writesOf(this.#server, AGENT, mark);
  }
}
