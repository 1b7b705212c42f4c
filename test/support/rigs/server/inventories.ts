import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import type { ManagedCluster } from '../../../../src/api/generated/managedcluster.js';
import { ManagedClusters, OcmAddOnPlacementScores } from '../../../../src/api/resources.js';
import { createInventoryControllers } from '../../../../src/operator/controllers/inventories/controller.js';
import { BY_NAMESPACE } from '../../../../src/operator/controllers/inventories/gather.js';
import { inventoryRights } from '../../../../src/operator/controllers/inventories/rights.js';
import { clusterProfileInventory, ocmInventory, type SourceObject } from '../../../../src/domain/inventories/source.js';
import { createCache } from '../../../../src/runtime/cache/reflector.js';
import { GroupRig, writesOf } from './group.js';

const AGENT = 'inventories-under-test';

/** The group `inventories` as the operator runs it, without its lease, with both inventories turned on. */
export class InventoryServerRig extends GroupRig {
  readonly #server: ControlPlane;

  /** `namespace`: that of the ClusterProfiles. */
  constructor(server: ControlPlane, namespace: string) {
    super(server.adminKubeconfig, { userAgent: AGENT });
    this.#server = server;
    const { controllers, sources, onStartedLeading } = createInventoryControllers({
      client: this.guarded(inventoryRights),
      clusters: createCache<ManagedCluster>(this.transport, { type: ManagedClusters }, this.tools()),
      inventories: [
        {
          inventory: clusterProfileInventory,
          cache: createCache<SourceObject>(
            this.transport,
            { type: clusterProfileInventory.type, namespace },
            this.tools(),
          ),
          namespace,
        },
        {
          inventory: ocmInventory,
          cache: createCache<SourceObject>(this.transport, { type: ocmInventory.type }, this.tools()),
          namespace: undefined,
          scores: createCache<SourceObject>(
            this.transport,
            {
              type: OcmAddOnPlacementScores,
              indexers: { [BY_NAMESPACE]: ({ metadata }) => [metadata.namespace ?? ''] },
            },
            this.tools(),
          ),
        },
      ],
      recorder: this.recorder(),
      ...this.tools(),
      settleWindowMs: 50,
      workers: 4,
    });
    this.run({ name: 'inventories', sources, controllers, onStartedLeading });
  }

  writes(mark: number): Promise<string[]> {
    return writesOf(this.#server, AGENT, mark);
  }
}
