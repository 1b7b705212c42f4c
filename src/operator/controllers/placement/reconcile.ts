import { nameOf } from '../../../runtime/vocabulary/names.js';
import { recordsEnd } from '../../../domain/placement/select/budget.js';
import { collectionEnd, type Collection } from '../../../domain/placement/select/collection.js';
import { readableSelectors } from '../../../domain/placement/select/eligible.js';
import { decisionName, readDecision } from '../../../domain/placement/stored/decision.js';
import { DONE, type Pass, type Reconciler, type Result } from '../../../runtime/controller/result.js';
import { waitForCaches } from '../caches.js';
import { apply } from './apply.js';
import { CACHE_BEHIND, confirm } from './confirm.js';
import { decide, type Outcome } from './decide.js';
import { gather, type Gathered, type Input } from './gather.js';
import { isNamespaceTerminating, report } from './report.js';
import { rememberTrigger } from './history.js';
import type { PlacementContext, PlacementState, Scope } from './scope.js';

const NOT_CURRENT_RETRY_MS = 30_000;
const TERMINATING_RETRY_MS = 5_000;

/** Reconciles one Placement: gather, decide, apply, report. */
export class PlacementReconciler implements Reconciler {
  readonly #context: PlacementContext;

  constructor(context: PlacementContext) {
    this.#context = context;
  }

  async reconcile(key: string, pass: Pass): Promise<Result> {
    const { namespace = '', name } = nameOf(key);
    const scope: Scope = { ...this.#context, key, namespace, name, pass };
    const gathered = await gather(scope);
    if (gathered.kind !== 'gathered') return withoutInput(gathered, scope);
    const { input } = gathered;
    const decision = decide(input, scope);
    remember(input, decision.collection, scope);
    rememberTrigger(input, scope);
    if (decision.collection !== undefined) return collecting(decision.collection, input, scope);
    const { isStale, delayed } = input.reading.commit(decision);
    if (isStale) scope.enqueue(key);
    for (const other of delayed) scope.enqueueAfter(other.key, other.afterMs);
    const waits = await confirm(input, decision, scope);
    if (waits !== undefined) return waits;
    return whileWriting(scope, async () => {
      const outcome = await apply(input, decision, scope);
      await report(outcome, scope);
      input.state.decided = decidedBy(outcome);
      input.state.due = outcome.schedule.lookAgain;
      if (outcome.error === undefined) input.state.trigger = undefined;
      return resultOf(outcome, scope);
    });
  }
}

/** Keeps what the next pass has to know, whatever becomes of this one. */
function remember({ state }: Input, collection: Collection | undefined, { states, key }: Scope): void {
  states.set(key, state);
  state.collection = collection;
}

/** Changes by others that are delivered while this pass writes request another one. */
async function whileWriting({ key, changeFilter, enqueue }: Scope, write: () => Promise<Result>): Promise<Result> {
  changeFilter.begin(key);
  try {
    return await write();
  } finally {
    for (const affected of changeFilter.end(key)) enqueue(affected);
  }
}

function decidedBy({ input: { snapshot }, schedule }: Outcome): PlacementState['decided'] {
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

function collecting(collection: Collection, { at }: Input, { collectionWindow }: Scope): Result {
  return wait('changes that count are collected', collectionEnd(collection, collectionWindow) - at);
}

function withoutInput(gathered: Exclude<Gathered, { kind: 'gathered' }>, scope: Scope): Result {
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

function resultOf({ input, schedule, publication, error }: Outcome, { clock }: Scope): Result {
  if (isNamespaceTerminating(error)) return wait('the namespace is being deleted', TERMINATING_RETRY_MS);
  if (error !== undefined) throw error;
  if (schedule.problem === undefined) {
    const { writes, pieces } = publication.changes;
    const deleted = writes.filter(({ kind }) => kind === 'delete').map(({ name }) => name);
    const ofPieces = [...pieces.keys()].map((ordinal) => decisionName(input.owner.name, ordinal));
    const end = emptyObjectEnd(input, new Set([...deleted, ...ofPieces]));
    return doneUntil(earliest(end, schedule.lookAgain), clock.now());
  }
  return { ending: 'stalled', reason: `invalid field ${schedule.problem.field}` };
}

/** Done, until the record of an empty decision object has run out and the object can go, or a toleration ends. */
function doneUntil(time: number | undefined, now: number): Result {
  return time === undefined ? DONE : { ending: 'done', requeueAfterMs: Math.max(time - now, 0) };
}

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/**
 * When the records of an empty decision object run out first, in ms since the epoch: nothing else keeps the object. Undefined
 * for none. `others`: names of objects that were deleted, and that a finalizer may still keep, or that a piece keeps.
 */
function emptyObjectEnd({ snapshot, objects, owner }: Input, others: ReadonlySet<string>): number | undefined {
  const empty = [...objects.values()]
    .map((object) => readDecision(object, owner))
    .filter(({ name, ordinal = 1, ownership, deleting, clusters }) => {
      return ordinal > 1 && ownership === 'ours' && !deleting && !others.has(name) && clusters.length === 0;
    });
  const ends = empty.map((object) => recordsEnd(object, snapshot) ?? 0);
  return earliest(...ends.filter((end) => end !== 'never'));
}
