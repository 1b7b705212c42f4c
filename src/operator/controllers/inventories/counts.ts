import { originOf } from '../../../domain/inventories/managedcluster.js';
import type { InventoryCount } from '../../../domain/inventories/brake.js';
import { isAvailable, isSourceOf } from '../../../domain/inventories/source.js';
import type { InventoryCache, InventoryContext } from './scope.js';
import { readCluster } from './gather.js';

/** A count costs the size of the inventory, and most of a fleet can need one at once. */
const VALID_MS = 1_000;

/** Counts of the clusters of inventories, by the caches, each made once a second at most. */
export class InventoryCounts {
  readonly #context: InventoryContext;
  readonly #made = new Map<InventoryCache, { readonly at: number; readonly count: InventoryCount }>();

  constructor(context: InventoryContext) {
    this.#context = context;
  }

  of(inventory: InventoryCache): InventoryCount {
    const now = this.#context.clock.monotonic();
    const known = this.#made.get(inventory);
    if (known !== undefined && now - known.at < VALID_MS) return known.count;
    const count = this.#count(inventory);
    this.#made.set(inventory, { at: now, count });
    return count;
  }

  #count(inventory: InventoryCache): InventoryCount {
    const count = { clusters: 0, missing: 0, unavailable: 0 };
    for (const cluster of this.#context.clusters.store.values()) {
      const origin = originOf(cluster);
      if (origin.kind === 'own' || !isSourceOf(inventory.inventory.type, origin.source)) continue;
      count.clusters += 1;
      const found = readCluster(cluster.metadata.name, inventory);
      if (found === undefined) count.missing += 1;
      else if (!isAvailable(found)) count.unavailable += 1;
    }
    return count;
  }
}
