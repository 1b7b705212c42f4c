import type { ManagedCluster } from '../../../api/generated/managedcluster.js';
import { ManagedClusters } from '../../../api/resources.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import { isBraked, sourceName, type SourceObject } from '../../../domain/inventories/source.js';
import { originOf } from '../../../domain/inventories/managedcluster.js';
import { DONE, type Result } from '../../../runtime/controller/result.js';
import type { InventoryCache, Scope } from './scope.js';
import { INVENTORIES_FIELD_MANAGER } from '../../../api/names.js';
import type { Decision } from './decide.js';

const HEAD = { apiVersion: apiVersionOf(ManagedClusters), kind: ManagedClusters.kind };

/** Makes the ManagedCluster as its inventory describes it. Throws what is retried. */
export async function apply(decision: Decision, scope: Scope): Promise<Result> {
  switch (decision.kind) {
    case 'nothing':
      return decision.result;
    case 'apply':
      return applyFields(decision, scope);
    case 'remove':
      return remove(decision.stored, decision.inventory, scope);
  }
}

async function applyFields(
  { source, stored, wanted, changed: { object, status }, result }: Extract<Decision, { kind: 'apply' }>,
  scope: Scope,
): Promise<Result> {
  const { client, mutations, name, pass } = scope;
  const { signal, log } = pass;
  if (object === undefined && status === undefined) return result;
  const options = { fieldManager: INVENTORIES_FIELD_MANAGER, signal };
  let current = stored;
  if (current === undefined) {
    // An apply would also change a ManagedCluster that somebody has created since the cache was read.
    const found = await client.get<ManagedCluster>(ManagedClusters, { name }, { signal });
    if (found !== undefined) return { ending: 'wait', reason: 'the cache is behind', afterMs: CONFLICT_RETRY_MS };
    const created = { ...HEAD, ...wanted.object };
    current = await client.apply<ManagedCluster>(ManagedClusters, created, { ...options, force: false });
    mutations.mutated(name, current);
    log.info({ source }, 'cluster added');
  }
  // The revision comes last: with it, all fields of the status are known to be applied.
  const metadata = { name, uid: current.metadata.uid ?? '' };
  if (status !== undefined) {
    // An empty status would stay owned by this manager, and become null when its last field goes.
    const isEmpty = Object.keys(status).length === 0;
    const described = { ...HEAD, metadata, spec: {}, ...(isEmpty ? {} : { status }) };
    if (!isEmpty || current.status !== undefined) current = await applyStatus(described, current, scope);
  }
  if (stored !== undefined && object !== undefined) {
    const next = { ...HEAD, ...object, metadata: { ...object.metadata, ...metadata } };
    const { resourceVersion } = current.metadata;
    const forced = { ...options, force: true, resourceVersion };
    mutations.mutated(name, await client.apply<ManagedCluster>(ManagedClusters, next, forced));
  }
  return result;
}

/** Writes the status. `current`: the cluster as it was read or last written. */
async function applyStatus(
  object: ManagedCluster,
  current: ManagedCluster,
  { client, mutations, pass: { signal } }: Scope,
): Promise<ManagedCluster> {
  const { resourceVersion } = current.metadata;
  const options = { fieldManager: INVENTORIES_FIELD_MANAGER, force: true, resourceVersion, signal };
  const stored = await client.applyStatus<ManagedCluster>(ManagedClusters, object, options);
  mutations.mutated(object.metadata.name, stored);
  return stored;
}

export const CONFLICT_RETRY_MS = 1_000;
const BRAKED_RETRY_MS = 300_000;

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
