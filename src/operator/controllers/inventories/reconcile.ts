import { isAvailable, isBraked, sourceName, type SourceObject } from '../../../domain/inventories/source.js';
import { isFailure } from '../../../runtime/errors.js';
import { type Pass, type Reconciler, type Result, DONE } from '../../../runtime/controller/result.js';
import { CONFLICT_RETRY_MS, applyFields } from '../fields.js';
import { decide, type Decision } from './decide.js';
import {
  gather,
  InventoryCounts,
  type Gathered,
  type InventoryContext,
  type InventoryMemory,
  type Scope,
  type InventoryCache,
} from './gather.js';
import type { ManagedCluster } from '../../../api/generated/managedcluster.js';
import { ManagedClusters } from '../../../api/resources.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import { originOf } from '../../../domain/inventories/managedcluster.js';
import { BRAKED_RETRY_MS } from '../deletions.js';
import { INVENTORIES_FIELD_MANAGER } from '../../../api/names.js';

/** What the watch delivers next starts the next pass; one that is silent delivers nothing for minutes. */
const CACHE_BEHIND: Result = { ending: 'wait', reason: 'the cache is behind', afterMs: 5_000 };

/**
 * Makes one ManagedCluster as its inventory describes it, by server-side apply: what people and the hub add stays. Writes
 * those alone that it has made, and deletes one only when its source is gone for certain, and not most of them at once.
 */
export class InventoryReconciler implements Reconciler {
  readonly #context: InventoryContext;
  readonly #counts: InventoryCounts;
  readonly #memory: InventoryMemory = { taken: new Set(), missingSince: new Map(), unavailableSince: new Map() };

  constructor(context: InventoryContext) {
    this.#context = context;
    this.#counts = new InventoryCounts(context);
  }

  async reconcile(name: string, pass: Pass): Promise<Result> {
    const scope: Scope = { ...this.#context, name, pass, counts: this.#counts, memory: this.#memory };
    const gathered = gather(name, scope);
    remember(gathered, scope);
    try {
      const result = await apply(decide(gathered, scope), scope);
      report(gathered, scope);
      return result;
    } catch (error) {
      if (isFailure(error, 'Conflict'))
        return { ending: 'wait', reason: 'the cluster was changed meanwhile', afterMs: CONFLICT_RETRY_MS };
      throw error;
    }
  }
}

/** Remembers since when the source is missing or unavailable, and forgets what is not so any more. */
function remember(gathered: Gathered, { name, memory, clock }: Scope): void {
  const keep = (since: Map<string, number>, isSo: boolean): void => {
    if (!isSo) since.delete(name);
    else if (!since.has(name)) since.set(name, clock.monotonic());
  };
  if (gathered.kind !== 'taken') memory.taken.delete(name);
  keep(memory.missingSince, gathered.kind === 'missing');
  keep(memory.unavailableSince, gathered.kind === 'known' && isUnavailable(gathered));
}

/** A cluster that is not stored yet may get its taint at once. */
function isUnavailable({ cluster, stored }: Extract<Gathered, { kind: 'known' }>): boolean {
  return stored !== undefined && !isAvailable(cluster);
}

/** Logs once that a cluster of an inventory has the name of one that somebody else manages. */
function report({ kind }: Gathered, { name, memory, pass }: Scope): void {
  if (kind !== 'taken' || memory.taken.has(name)) return;
  pass.log.info({}, 'cluster of an inventory skipped: the ManagedCluster is not managed by it');
  memory.taken.add(name);
}

const HEAD = { apiVersion: apiVersionOf(ManagedClusters), kind: ManagedClusters.kind };

/** Makes the ManagedCluster as its inventory describes it. Throws what is retried. */
export async function apply(decision: Decision, scope: Scope): Promise<Result> {
  switch (decision.kind) {
    case 'nothing':
      return decision.result;
    case 'apply':
      return applyWanted(decision, scope);
    case 'remove':
      return remove(decision.stored, decision.inventory, scope);
  }
}

async function applyWanted(
  { source, stored, wanted, changed, result }: Extract<Decision, { kind: 'apply' }>,
  scope: Scope,
): Promise<Result> {
  const { client, mutations, name, pass } = scope;
  const { signal, log } = pass;
  const { object, status } = changed;
  if (object === undefined && status === undefined) return result;
  const options = { client, mutations, fieldManager: INVENTORIES_FIELD_MANAGER, signal };
  if (stored !== undefined) {
    await applyFields(ManagedClusters, stored, changed, options);
    return result;
  }
  // An apply would also change a ManagedCluster that somebody has created since the cache was read.
  const found = await client.get<ManagedCluster>(ManagedClusters, { name }, { signal });
  if (found !== undefined) return CACHE_BEHIND;
  const created = await client.apply<ManagedCluster>(
    ManagedClusters,
    { ...HEAD, ...wanted.object },
    { fieldManager: INVENTORIES_FIELD_MANAGER, signal, force: false },
  );
  mutations.mutated(name, created);
  log.info({ source }, 'cluster added');
  await applyFields(ManagedClusters, created, { object: undefined, status }, options);
  return result;
}

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
  if (found !== undefined && read(found) !== undefined) return CACHE_BEHIND;
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
