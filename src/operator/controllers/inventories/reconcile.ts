import { isAvailable } from '../../../domain/inventories/source.js';
import { isFailure } from '../../../runtime/errors.js';
import type { Pass, Reconciler, Result } from '../../../runtime/controller/result.js';
import { apply } from './apply.js';
import { InventoryCounts } from './counts.js';
import { gather, type Gathered } from './gather.js';
import { CONFLICT_RETRY_MS } from './remove.js';
import { report } from './report.js';
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
    forget(gathered, scope);
    try {
      const result = await apply(gathered, scope);
      report(gathered, scope);
      return result;
    } catch (error) {
      if (isFailure(error, 'Conflict'))
        return { ending: 'wait', reason: 'the cluster was changed meanwhile', afterMs: CONFLICT_RETRY_MS };
      throw error;
    }
  }
}

/** Forgets what was remembered of the cluster and is not so any more. */
function forget(gathered: Gathered, { name, memory }: Scope): void {
  if (gathered.kind !== 'taken') memory.taken.delete(name);
  if (gathered.kind !== 'missing') memory.missingSince.delete(name);
  if (gathered.kind !== 'known' || isAvailable(gathered.cluster)) memory.unavailableSince.delete(name);
}
