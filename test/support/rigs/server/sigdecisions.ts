import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { DEFAULT_TARGET_NAMESPACE } from '../../../../src/api/names.js';
import { placementCacheOptions } from '../../../../src/controllers/placement/caches.js';
import {
  createSigDecisionControllers,
  sigDecisionCacheOptions,
} from '../../../../src/controllers/sigdecisions/controller.js';
import { sigDecisionRights } from '../../../../src/controllers/sigdecisions/rights.js';
import { createCache } from '../../../../src/kube/cache/reflector.js';
import { GroupRig } from './group.js';

/** The controller of SIG Multicluster's decisions, without its lease, with the rights of the placement controller. */
export class SigDecisionServerRig extends GroupRig {
  private constructor(kubeconfig: string) {
    super(kubeconfig, { userAgent: 'sigdecisions-under-test' });
    const tools = this.tools();
    const options = placementCacheOptions;
    const caches = {
      placements: createCache(this.transport, options.placements, tools),
      decisions: createCache(this.transport, options.decisions, tools),
      clusters: createCache(this.transport, options.clusters, tools),
      sets: createCache(this.transport, options.sets, tools),
      bindings: createCache(this.transport, options.bindings, tools),
    };
    const { controllers, source, onStartedLeading } = createSigDecisionControllers({
      client: this.guarded(sigDecisionRights),
      caches,
      published: createCache(this.transport, sigDecisionCacheOptions, tools),
      ...tools,
      settleWindowMs: 50,
      workers: 4,
    });
    this.run({ name: 'sigdecisions', sources: [...Object.values(caches), source], controllers, onStartedLeading });
  }

  static async start(server: ControlPlane): Promise<SigDecisionServerRig> {
    const serviceAccount = { namespace: DEFAULT_TARGET_NAMESPACE, name: 'placement-controller' };
    return new SigDecisionServerRig(await server.kubeconfigFor({ serviceAccount }));
  }
}
