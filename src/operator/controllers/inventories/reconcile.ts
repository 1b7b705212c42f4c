import type { ManagedCluster } from '../../../api/generated/managedcluster.js';
import { INVENTORIES_FIELD_MANAGER } from '../../../api/names.js';
import { ManagedClusters } from '../../../api/resources.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import { fieldsToApply, managedFields, originOf, withoutNewTaint } from '../../../domain/inventories/managedcluster.js';
import { isBraked } from '../../../domain/inventories/brake.js';
import { isAvailable, sourceName, type SourceObject } from '../../../domain/inventories/source.js';
import { isFailure } from '../../../runtime/errors.js';
import { DONE, type Pass, type Reconciler, type Result } from '../../../runtime/controller/result.js';
import type { InventoryCache, InventoryContext } from './scope.js';
import { InventoryCounts } from './counts.js';
import { gather, type Gathered } from './gather.js';

const NOT_CURRENT_RETRY_MS = 5_000;
const CONFLICT_RETRY_MS = 1_000;
const BRAKED_RETRY_MS = 300_000;
const BRAKED_TAINT_RETRY_MS = 60_000;
/** How long a source has to be missing, or unavailable: a cause that meets many of them does so within that time. */
const GRACE_PERIOD_MS = 60_000;
const HEAD = { apiVersion: apiVersionOf(ManagedClusters), kind: ManagedClusters.kind };

type Known = Extract<Gathered, { kind: 'known' }>;

/**
 * Makes one ManagedCluster as its inventory describes it, by server-side apply: what people and the hub add stays. Writes
 * those alone that it has made, and deletes one only when its source is gone for certain, and not most of them at once.
 */
export class InventoryReconciler implements Reconciler {
  readonly #context: InventoryContext;
  readonly #counts: InventoryCounts;
  /** Names that were reported as taken by others. */
  readonly #taken = new Set<string>();
  /** Name → monotonic ms since when its source is missing, and unavailable. */
  readonly #missingSince = new Map<string, number>();
  readonly #unavailableSince = new Map<string, number>();

  constructor(context: InventoryContext) {
    this.#context = context;
    this.#counts = new InventoryCounts(context);
  }

  async reconcile(name: string, pass: Pass): Promise<Result> {
    const gathered = gather(name, this.#context);
    if (gathered.kind !== 'taken') this.#taken.delete(name);
    if (gathered.kind !== 'missing') this.#missingSince.delete(name);
    if (gathered.kind !== 'known' || isAvailable(gathered.cluster)) this.#unavailableSince.delete(name);
    try {
      switch (gathered.kind) {
        case 'notCurrent':
          return { ending: 'wait', reason: 'clusters cannot be read', afterMs: NOT_CURRENT_RETRY_MS };
        case 'none':
          return DONE;
        case 'taken':
          return this.#reportTaken(name, pass);
        case 'known':
          return await this.#apply(gathered, pass);
        case 'missing':
          return await this.#remove(gathered.stored, gathered.inventory, pass);
      }
    } catch (error) {
      if (isFailure(error, 'Conflict'))
        return { ending: 'wait', reason: 'the cluster was changed meanwhile', afterMs: CONFLICT_RETRY_MS };
      throw error;
    }
  }

  #reportTaken(name: string, { log }: Pass): Result {
    if (!this.#taken.has(name))
      log.info({}, 'cluster of an inventory skipped: the ManagedCluster is not managed by it');
    this.#taken.add(name);
    return { ending: 'stalled', reason: 'the ManagedCluster of this name is not managed by the inventory' };
  }

  async #apply(known: Known, { signal, log }: Pass): Promise<Result> {
    const { client, mutations } = this.#context;
    const { cluster, stored } = known;
    const { name } = cluster;
    const taintInMs = this.#untilTaint(known);
    const fields = managedFields(cluster);
    const wanted = (taintInMs > 0 ? withoutNewTaint(fields, stored) : undefined) ?? fields;
    const done: Result = wanted === fields ? DONE : { ending: 'done', requeueAfterMs: taintInMs };
    const { object, status } = fieldsToApply(wanted, stored);
    if (object === undefined && status === undefined) return done;
    const options = { fieldManager: INVENTORIES_FIELD_MANAGER, signal };
    let current = stored;
    if (current === undefined) {
      // An apply would also change a ManagedCluster that somebody has created since the cache was read.
      const found = await client.get<ManagedCluster>(ManagedClusters, { name }, { signal });
      if (found !== undefined) return { ending: 'wait', reason: 'the cache is behind', afterMs: CONFLICT_RETRY_MS };
      const created = { ...HEAD, ...wanted.object };
      current = await client.apply<ManagedCluster>(ManagedClusters, created, { ...options, force: false });
      mutations.mutated(name, current);
      log.info({ source: cluster.source }, 'cluster added');
    }
    // The revision comes last: with it, all fields of the status are known to be applied.
    const metadata = { name, uid: current.metadata.uid ?? '' };
    if (status !== undefined) {
      // An empty status would stay owned by this manager, and become null when its last field goes.
      const isEmpty = Object.keys(status).length === 0;
      const described = { ...HEAD, metadata, spec: {}, ...(isEmpty ? {} : { status }) };
      if (!isEmpty || current.status !== undefined) current = await this.#applyStatus(described, current, signal);
    }
    if (stored !== undefined && object !== undefined) {
      const changed = { ...HEAD, ...object, metadata: { ...object.metadata, ...metadata } };
      const { resourceVersion } = current.metadata;
      const forced = { ...options, force: true, resourceVersion };
      mutations.mutated(name, await client.apply<ManagedCluster>(ManagedClusters, changed, forced));
    }
    return done;
  }

  /** Ms until the cluster may get the taint of its availability, or is looked at again; 0: now, as a new cluster may at once. */
  #untilTaint({ cluster, inventory, stored }: Known): number {
    const now = this.#context.clock.monotonic();
    if (stored === undefined || isAvailable(cluster)) return 0;
    const since = this.#unavailableSince.get(cluster.name) ?? now;
    this.#unavailableSince.set(cluster.name, since);
    const count = this.#counts.of(inventory);
    return Math.max(since + GRACE_PERIOD_MS - now, isBraked(count.unavailable, count) ? BRAKED_TAINT_RETRY_MS : 0);
  }

  /** `current`: the cluster as it was read or last written. */
  async #applyStatus(object: ManagedCluster, current: ManagedCluster, signal: AbortSignal): Promise<ManagedCluster> {
    const { client, mutations } = this.#context;
    const { resourceVersion } = current.metadata;
    const options = { fieldManager: INVENTORIES_FIELD_MANAGER, force: true, resourceVersion, signal };
    const stored = await client.applyStatus<ManagedCluster>(ManagedClusters, object, options);
    mutations.mutated(object.metadata.name, stored);
    return stored;
  }

  async #remove(stored: ManagedCluster, inventory: InventoryCache, { signal, log }: Pass): Promise<Result> {
    const { client, clock, deletions, mutations } = this.#context;
    const { name, uid = '', resourceVersion = '' } = stored.metadata;
    const { type, read } = inventory.inventory;
    const origin = originOf(stored);
    if (origin.kind === 'own') return DONE;
    const { source } = origin;
    const sourced = sourceName(type, source);
    if (sourced === undefined) return DONE;
    const since = this.#missingSince.get(name) ?? clock.monotonic();
    this.#missingSince.set(name, since);
    const remainingMs = since + GRACE_PERIOD_MS - clock.monotonic();
    if (remainingMs > 0) return { ending: 'wait', reason: 'the source has just gone', afterMs: remainingMs };
    const checked = await deletions.get(inventory.inventory)?.check(NaN);
    if (checked?.kind !== 'confirmed')
      return { ending: 'wait', reason: checked?.reason ?? 'unknown', afterMs: checked?.afterMs ?? BRAKED_RETRY_MS };
    const found = await client.get<SourceObject>(type, sourced, { signal });
    if (found !== undefined && read(found) !== undefined)
      return { ending: 'wait', reason: 'the cache is behind', afterMs: CONFLICT_RETRY_MS };
    const count = this.#counts.of(inventory);
    if (isBraked(count.missing, count)) {
      const note = `${source} is gone, as are most of its inventory: not deleted; delete the ManagedCluster if that is meant`;
      const regarding = { ...HEAD, metadata: stored.metadata };
      this.#context.recorder.record({ regarding, type: 'Warning', reason: 'SourceMissing', action: 'Delete', note });
      return { ending: 'wait', reason: 'most clusters of the inventory are gone', afterMs: BRAKED_RETRY_MS };
    }
    const preconditions = { uid, resourceVersion };
    const deletion = await client.delete(
      ManagedClusters,
      { name },
      { preconditions, propagation: 'Background', signal },
    );
    if (deletion === 'gone') mutations.deleted(name, uid);
    log.info({ source }, 'cluster deleted: its inventory does not have it any more');
    return DONE;
  }
}
