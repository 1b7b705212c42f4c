import { isAvailable } from '../../../domain/inventories/source.js';
import { isFailure } from '../../../runtime/errors.js';
import type { Pass, Reconciler, Result } from '../../../runtime/controller/result.js';
import { CONFLICT_RETRY_MS } from '../fields.js';
import { apply } from './apply.js';
import { decide } from './decide.js';
import { gather, InventoryCounts, type Gathered } from './gather.js';
import type { InventoryContext, InventoryMemory, Scope } from './scope.js';

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
