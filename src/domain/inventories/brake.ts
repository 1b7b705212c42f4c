import { SCOPE_LEAST } from '../health/brake.js';

/** The ManagedClusters that one inventory gave. */
export interface InventoryCount {
  readonly clusters: number;
  /** Those that the inventory does not know any more. */
  readonly missing: number;
  /** Those that it says are not available, or unknown. */
  readonly unavailable: number;
}

/**
 * Whether so many clusters are affected that the inventory is more likely at fault than the clusters: more than half, and at
 * least 3. Then none is deleted, and none gets a taint that makes Placements move.
 */
export function isBraked(affected: number, { clusters }: InventoryCount): boolean {
  return affected >= SCOPE_LEAST && affected * 2 > clusters;
}
