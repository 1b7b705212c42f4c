import type { ManagedCluster } from '../../../api/generated/managedcluster.js';
import { ManagedClusters } from '../../../api/resources.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import { isBraked } from '../../../domain/inventories/brake.js';
import { originOf } from '../../../domain/inventories/managedcluster.js';
import { sourceName, type SourceObject } from '../../../domain/inventories/source.js';
import { DONE, type Result } from '../../../runtime/controller/result.js';
import type { InventoryCache, Scope } from './scope.js';

export const CONFLICT_RETRY_MS = 1_000;
const BRAKED_RETRY_MS = 300_000;
const HEAD = { apiVersion: apiVersionOf(ManagedClusters), kind: ManagedClusters.kind };

/** Deletes the ManagedCluster once its source is gone for certain, and unless most of the inventory is. */
export async function remove(stored: ManagedCluster, inventory: InventoryCache, scope: Scope): Promise<Result> {
  const { client, counts, deletions, mutations, pass } = scope;
  const { signal, log } = pass;
  const { name, uid = '', resourceVersion = '' } = stored.metadata;
  const { type, read } = inventory.inventory;
  const origin = originOf(stored);
  if (origin.kind === 'own') return DONE;
  const { source } = origin;
  const sourced = sourceName(type, source);
  if (sourced === undefined) return DONE;
  const checked = await deletions.get(inventory.inventory)?.check(false);
  if (checked?.kind !== 'confirmed')
    return { ending: 'wait', reason: checked?.reason ?? 'unknown', afterMs: checked?.afterMs ?? BRAKED_RETRY_MS };
  const found = await client.get<SourceObject>(type, sourced, { signal });
  if (found !== undefined && read(found) !== undefined)
    return { ending: 'wait', reason: 'the cache is behind', afterMs: CONFLICT_RETRY_MS };
  const count = counts.of(inventory);
  if (isBraked(count.missing, count)) {
    const note = `${source} is gone, as are most of its inventory: not deleted; delete the ManagedCluster if that is meant`;
    const regarding = { ...HEAD, metadata: stored.metadata };
    scope.recorder.record({ regarding, type: 'Warning', reason: 'SourceMissing', action: 'Delete', note });
    return { ending: 'wait', reason: 'most clusters of the inventory are gone', afterMs: BRAKED_RETRY_MS };
  }
  const preconditions = { uid, resourceVersion };
  const deletion = await client.delete(ManagedClusters, { name }, { preconditions, propagation: 'Background', signal });
  if (deletion === 'gone') mutations.deleted(name, uid);
  log.info({ source }, 'cluster deleted: its inventory does not have it any more');
  return DONE;
}
