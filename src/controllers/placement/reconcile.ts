import { nameOf } from '../../api/resources.js';
import type { Pass, Reconciler, Result } from '../../runtime/result.js';
import { apply, type Outcome } from './apply.js';
import { CACHE_BEHIND, confirmDecision, decide } from './decide.js';
import { gather, type Gathered } from './gather.js';
import { isNamespaceTerminating, report } from './report.js';
import type { PlacementContext, ReconcileScope } from './scope.js';

const DONE: Result = { ending: 'done' };
const NOT_CURRENT_RETRY_MS = 30_000;
const TERMINATING_RETRY_MS = 5_000;

/**
 * Reconciles one Placement: gather, decide, apply, report. Changes by others that are delivered while it writes request
 * another reconcile.
 */
export class PlacementReconciler implements Reconciler {
  readonly #context: PlacementContext;

  constructor(context: PlacementContext) {
    this.#context = context;
  }

  async reconcile(key: string, pass: Pass): Promise<Result> {
    const { namespace = '', name } = nameOf(key);
    const scope: ReconcileScope = { ...this.#context, key, namespace, name, pass };
    scope.index.beginReconcile(key);
    const gathered = await gather(scope);
    if (gathered.kind !== 'gathered') return withoutInput(gathered, scope);
    const { input } = gathered;
    const decision = decide(input);
    const unconfirmed = await confirmDecision(input, decision, scope);
    if (unconfirmed !== undefined) return unconfirmed;
    const { states, changes, enqueue } = scope;
    states.set(key, input.state);
    changes.begin(key);
    try {
      const outcome = await apply(input, decision, scope);
      await report(input, outcome, scope);
      return resultOf(outcome);
    } finally {
      for (const affected of changes.end(key)) enqueue(affected);
    }
  }
}

function wait(reason: string, afterMs: number): Result {
  return { ending: 'wait', reason, afterMs };
}

function withoutInput(gathered: Exclude<Gathered, { kind: 'gathered' }>, scope: ReconcileScope): Result {
  const { key, namespace, name, postponed, states, metrics } = scope;
  switch (gathered.kind) {
    case 'notCurrent':
      postponed.add(key);
      return wait(`caches not current: ${gathered.caches.join(', ')}`, NOT_CURRENT_RETRY_MS);
    case 'behind':
      return CACHE_BEHIND;
    case 'deleting':
      return DONE;
    case 'gone':
      states.delete(key);
      metrics?.placementGone(namespace, name);
      return DONE;
  }
}

function resultOf({ schedule, error }: Outcome): Result {
  if (isNamespaceTerminating(error)) return wait('the namespace is being deleted', TERMINATING_RETRY_MS);
  if (error !== undefined) throw error;
  if (schedule.problem === undefined) return DONE;
  return { ending: 'stalled', reason: `invalid field ${schedule.problem.field}` };
}
