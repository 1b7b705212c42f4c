import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { explain } from '../../../domain/placement/explain/explain.js';
import type { Explanation } from '../../../domain/placement/explain/verdict.js';
import {
  placementReport,
  statusToWrite,
  type PlacementReport,
  type Publication,
  heldStates,
  statusWithHolds,
} from '../../../domain/placement/report/status.js';
import {
  comingIn,
  hasHold,
  keptOut,
  leaving,
  staying,
  type Decision,
} from '../../../domain/placement/select/decision.js';
import { budgetInForce } from '../../../domain/placement/select/limits.js';
import { recordsEnd } from '../../../domain/placement/select/budget.js';
import { readableSelectors } from '../../../domain/placement/select/eligible.js';
import { readDecision } from '../../../domain/placement/stored/decision.js';
import { DONE, type Result } from '../../../runtime/controller/result.js';
import { isFailure } from '../../../runtime/errors.js';
import type { Outcome, Decided } from './decide.js';
import { recordDecision, recordHoldBegins, recordHoldEnds, recordStatus } from './events.js';
import { readStoredDecision, type Input } from './gather.js';
import type { Scope } from './scope.js';
import type { Placement } from '../../../api/generated/placement.js';
import { PLACEMENT_FIELD_MANAGER } from '../../../api/names.js';
import { Placements } from '../../../api/resources.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';

const TERMINATING_RETRY_MS = 5_000;
/** How long after the end of a budget empty objects are looked at again. */
const UNBOUNDED_MS = 60_000;
/** Definitions that could not be read are asked for again after this; later with the next change or resync. */
const DEFINITIONS_RETRY_MS = 60_000;
/** Who may not read them does not try for ever. */
const DEFINITIONS_RETRIES = 3;

/**
 * Reports the outcome: log and event for a decision that was stored, then status, event and metrics of the Placement.
 * After an error that usually ends within moments, and where other is stored than was read, the status stays as it is: the
 * reconcile is retried. Throws when the status is refused.
 */
export async function report(outcome: Outcome, scope: Scope): Promise<Result> {
  if (outcome.error === undefined) reportDecision(outcome, scope);
  if (!isTransient(outcome.error)) {
    const stored = await storedNow(outcome, scope);
    if (stored !== 'other') await reportStatus(outcome, stored, scope);
  }
  remember(outcome);
  return resultOf(outcome, scope);
}

/** Whether what is stored is what the report takes for stored. */
type Stored = 'asReported' | 'other' | 'unknown';

/** Reads the object of a write that has failed: an attempt whose answer was lost may have been carried out. */
async function storedNow({ input, publication: { failure } }: Outcome, scope: Scope): Promise<Stored> {
  const { objects, state } = input;
  if (failure === undefined || !state.unconfirmed.has(failure.name)) return 'asReported';
  const known = objects.get(failure.name);
  try {
    const found = await readStoredDecision({ name: failure.name, known, state }, scope);
    return found?.metadata.resourceVersion === known?.metadata.resourceVersion ? 'asReported' : 'other';
  } catch {
    return 'unknown';
  }
}

/** Where it is not known what is stored, the status goes on listing what it lists. */
async function reportStatus(outcome: Outcome, stored: Stored, scope: Scope): Promise<void> {
  const { input, decision, publication } = outcome;
  const { clock, key, namespace, name, caches, metrics, recorder } = scope;
  const made = placementReport(input.snapshot, decision, publication);
  const reported = stored === 'unknown' ? { ...made, ...listedIn(input.placement.status) } : made;
  const status = statusToWrite(input.placement.status, reported, timestamp(clock.now()));
  if (status !== undefined) await storeStatus(input, status, scope);
  // Events cannot be created in a namespace that is being deleted.
  if (!isNamespaceTerminating(outcome.error)) {
    recordStatus(outcome, reported, { recorder, explain: () => explainNow(input, scope) });
    recordHoldBegins(input, decision, recorder);
    recordHoldEnds(outcome, recorder);
  }
  // Deleted in the meantime: its series have ended, and nothing would end them again.
  if (caches.placements.store.get(key) === undefined) return;
  const { phase, numberOfSelectedClusters: clusters } = reported;
  const held = staying(decision).length + keptOut(decision).length;
  metrics?.placement({ namespace, name, phase, clusters, held });
}

type Listed = Pick<PlacementReport, 'numberOfSelectedClusters' | 'decisions' | 'decisionGroups'>;

/** What the status lists. */
function listedIn({ numberOfSelectedClusters = 0, decisions = [], decisionGroups }: Placement['status'] = {}): Listed {
  return { numberOfSelectedClusters, decisions, decisionGroups };
}

/** An explanation of the Placement with the clusters of now; undefined while the status of too many Placements changes at once. */
function explainNow(
  { snapshot, reading }: Input,
  { explanations, pass: { enqueuedAt } }: Scope,
): Explanation | undefined {
  const readable = { fleet: true, decisions: true };
  return explanations.explain(enqueuedAt, () => explain({ snapshot, members: reading.members(), readable }));
}

/** Whether a write was refused because its namespace is being deleted: only the status of existing objects can be written. */
function isNamespaceTerminating(error: unknown): boolean {
  return isFailure(error, 'Forbidden') && error.causes.some((cause) => cause.reason === 'NamespaceTerminating');
}

function isTransient(error: unknown): boolean {
  return isFailure(error, 'Conflict', 'Fenced', 'Aborted', 'Throttled', 'Transport', 'Malformed', 'Guarded');
}

function reportDecision(outcome: Outcome, { clock, pass, metrics, recorder }: Scope): void {
  const { decision, publication } = outcome;
  if (publication.done === 0) return;
  const [added, dropped] = [comingIn(decision).length, leaving(decision).length];
  pass.log.info({ writes: publication.done, added, dropped }, 'decision published');
  metrics?.decided((clock.monotonic() - pass.enqueuedAt) / 1000);
  recordDecision(outcome, recorder);
}

/** Keeps what the next pass has to know. */
function remember({ input: { snapshot, state }, decision, error }: Outcome): void {
  const { eligibility, lookAgain } = decision;
  const { rules } = snapshot.placement;
  state.decided = { rules, eligible: eligibility.eligible, selectors: readableSelectors(eligibility) };
  state.due = lookAgain;
  if (error === undefined) state.trigger = undefined;
}

function resultOf({ input, decision, publication, error }: Outcome, { clock }: Scope): Result {
  if (isNamespaceTerminating(error))
    return { ending: 'wait', reason: 'the namespace is being deleted', afterMs: TERMINATING_RETRY_MS };
  if (error !== undefined) throw error;
  const { problem, lookAgain } = decision;
  if (problem !== undefined) return { ending: 'stalled', reason: `invalid field ${problem.field}` };
  const { snapshot, state } = input;
  const isUnknown = snapshot.definitions === undefined;
  const times = [
    ...emptyObjectEnds(input, decision, publication.changes),
    ...(lookAgain === undefined ? [] : [lookAgain]),
  ];
  if (isUnknown && state.withoutDefinitions < DEFINITIONS_RETRIES) times.push(clock.now() + DEFINITIONS_RETRY_MS);
  state.withoutDefinitions = isUnknown ? state.withoutDefinitions + 1 : 0;
  if (times.length === 0) return DONE;
  return { ending: 'done', requeueAfterMs: Math.max(Math.min(...times) - clock.now(), 0) };
}

/**
 * When the records of each empty decision object run out, in ms since the epoch: nothing else keeps the object. An object that was
 * deleted may still be there because of a finalizer, and one of a piece stays.
 */
function emptyObjectEnds(
  { snapshot, objects, owner }: Input,
  decision: Decision,
  { writes, pieces }: Publication['changes'],
): readonly number[] {
  const { rules } = snapshot.placement;
  // A budget that an edit has taken out bounds nothing from the next pass on: records count less long then.
  const isOver = rules.budget === undefined && budgetInForce(snapshot.placement) !== undefined && !hasHold(decision);
  const deleted = new Set(writes.flatMap(({ kind, name }) => (kind === 'delete' ? [name] : [])));
  return (
    [...objects.values()]
      // Few are empty: the items of the others need not be read.
      .filter(({ metadata: { name }, status }) => !deleted.has(name) && (status?.decisions ?? []).length === 0)
      .map((object) => readDecision(object, owner))
      .filter(({ ordinal = 1, ownership, deleting }) => {
        return ordinal > 1 && ownership === 'ours' && !deleting && !pieces.has(ordinal);
      })
      // Without a record it is due at once.
      .map((object) => (isOver ? snapshot.now + UNBOUNDED_MS : (recordsEnd(object, snapshot) ?? 0)))
      .filter((end) => end !== 'never')
  );
}

/**
 * Stores the conditions of holds that begin, before any decision object is written: these writes change what the bounds are
 * computed from, and after a crash between them the hold has to continue. Returns the input with the stored status. When no
 * decision object will be written, `report` stores the conditions. Throws when the status is refused.
 */
export async function announceHolds(input: Input, { decision, changes }: Decided, scope: Scope): Promise<Input> {
  const { placement, snapshot } = input;
  const held = changes.writes.length === 0 ? [] : heldStates(snapshot, decision);
  if (held.length === 0) return input;
  const status = statusWithHolds(placement.status, held, timestamp(scope.clock.now()));
  const stored = status && (await storeStatus(input, status, scope));
  if (stored === undefined) return input;
  recordHoldBegins(input, decision, scope.recorder);
  return {
    ...input,
    placement: stored,
    snapshot: { ...snapshot, placement: { ...snapshot.placement, status: stored.status } },
  };
}

/**
 * Stores `status`; returns the Placement as it is then, or undefined when it is gone. Throws when it is refused; after a
 * conflict the stored Placement has been read for the next reconcile.
 */
async function storeStatus(
  { placement, owner: { namespace, name, uid } }: Input,
  status: NonNullable<Placement['status']>,
  { client, mutations, key, pass }: Scope,
): Promise<Placement | undefined> {
  const wanted: Placement = { ...placement, apiVersion: apiVersionOf(Placements), kind: Placements.kind, status };
  const options = { fieldManager: PLACEMENT_FIELD_MANAGER, signal: pass.signal };
  try {
    const stored = await client.updateStatus(Placements, wanted, options);
    mutations.placements.mutated(key, stored);
    return stored;
  } catch (error) {
    if (isFailure(error, 'NotFound')) return undefined;
    if (isFailure(error, 'Conflict')) {
      const found = await client.get<Placement>(Placements, { namespace, name });
      if (found?.metadata.uid === uid) mutations.placements.mutated(key, found);
    }
    throw error;
  }
}
