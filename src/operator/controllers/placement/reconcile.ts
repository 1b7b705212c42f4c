import { nameOf } from '../../../runtime/vocabulary/names.js';
import { readableSelectors } from '../../../domain/placement/select/eligible.js';
import { DONE, type Pass, type Reconciler, type Result } from '../../../runtime/controller/result.js';
import { waitForCaches } from '../clusters/caches.js';
import { apply, type Outcome } from './apply.js';
import { CACHE_BEHIND, confirmDecision, decide, type Decision } from './decide.js';
import { emptyObjectEnd, gather, type Gathered, type Input } from './gather.js';
import { announceHolds, collectRemovals, followHeld } from './hold.js';
import { isNamespaceTerminating, report } from './report.js';
import type { PlacementContext, PlacementState, ReconcileScope } from './scope.js';

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
    const collecting = collectRemovals(input, decision, scope);
    if (collecting !== undefined) {
      scope.states.set(key, input.state);
      return collecting;
    }
    settle(input, decision, scope);
    followHeld(input, decision, scope);
    const { states, changes, enqueue } = scope;
    states.set(key, input.state);
    const waits = await confirmDecision(input, decision, scope);
    if (waits !== undefined) return waits;
    changes.begin(key);
    try {
      const announced = await announceHolds(input, decision, scope);
      const outcome = await apply(announced, decision, scope);
      await report(announced, outcome, scope);
      input.state.settled = outcome.error === undefined;
      input.state.decided = decidedBy(input, outcome);
      return resultOf(input, outcome, scope);
    } finally {
      for (const affected of changes.end(key)) enqueue(affected);
    }
  }
}

/** Updates the decision in the index; taints that changed since `input` was gathered are reconciled again. */
function settle({ state }: Input, { schedule }: Decision, { index, key, enqueue }: ReconcileScope): void {
  const isFirst = !state.settled;
  state.settled = false;
  if (index.settle(key, schedule, isFirst)) enqueue(key);
}

function decidedBy({ snapshot }: Input, { schedule }: Outcome): PlacementState['decided'] {
  const { eligibility } = schedule;
  return {
    rules: snapshot.placement.rules,
    eligible: eligibility.eligible,
    selectors: readableSelectors(eligibility),
  };
}

function wait(reason: string, afterMs: number): Result {
  return { ending: 'wait', reason, afterMs };
}

function withoutInput(gathered: Exclude<Gathered, { kind: 'gathered' }>, scope: ReconcileScope): Result {
  const { key, postponed, states } = scope;
  switch (gathered.kind) {
    case 'notCurrent':
      postponed.add(key);
      return waitForCaches(gathered.caches, NOT_CURRENT_RETRY_MS);
    case 'behind':
      return CACHE_BEHIND;
    case 'deleting':
      return DONE;
    case 'gone':
      states.delete(key);
      return DONE;
  }
}

function resultOf(input: Input, { schedule, plan, error }: Outcome, { clock }: ReconcileScope): Result {
  if (isNamespaceTerminating(error)) return wait('the namespace is being deleted', TERMINATING_RETRY_MS);
  if (error !== undefined) throw error;
  if (schedule.problem === undefined) {
    const deleted = plan.writes.filter(({ kind }) => kind === 'delete').map(({ name }) => name);
    return doneUntil(Math.min(emptyObjectEnd(input, new Set(deleted)), schedule.until), clock.now());
  }
  return { ending: 'stalled', reason: `invalid field ${schedule.problem.field}` };
}

/** Done, until the record of an empty decision object has run out and the object can go, or a toleration ends. */
function doneUntil(time: number, now: number): Result {
  return Number.isFinite(time) ? { ending: 'done', requeueAfterMs: Math.max(time - now, 0) } : DONE;
}
