import { PlacementEvents } from '../../api/placementevents.js';
import { PlacementConditions } from '../../api/placementreasons.js';
import { isRecord } from '../../api/json.js';
import { collected, collectionEnd } from '../../domain/placement/budget/collection.js';
import { timestamp } from '../../domain/conditions.js';
import { listed } from '../../domain/placement/events/change.js';
import type { Schedule } from '../../domain/placement/schedule.js';
import { heldState, statusWithHold } from '../../domain/placement/status.js';
import type { Result } from '../../runtime/result.js';
import type { EventRecorder } from '../../kube/events/recorder.js';
import type { Decision } from './decide.js';
import { conditionsOf, record } from './events.js';
import type { Input } from './gather.js';
import type { ReconcileScope } from './scope.js';
import { storeStatus } from './status.js';

/** What a reconcile does about removals that the disruption budget holds. */

/**
 * Lets removals that the disruption budget counts wait until no other cluster has begun to fail a rule for a moment; returns for
 * how long. Undefined when the decision may be carried out: it removes nothing that counts, holds, or follows an edit of the
 * Placement, which is one write. Nothing else changes meanwhile.
 */
export function collectRemovals(
  { state, snapshot }: Input,
  { schedule: { counted } }: Decision,
  { clock, collectionWindow }: ReconcileScope,
): Result | undefined {
  const { status, generation } = snapshot.placement;
  const isEdited = !isRecord(status) || status['observedGeneration'] !== generation;
  if (counted.size === 0 || isEdited) {
    state.collection = undefined;
    return undefined;
  }
  const now = clock.monotonic();
  const collection = collected(state.collection, counted, now);
  const afterMs = collectionEnd(collection, collectionWindow) - now;
  state.collection = afterMs > 0 ? collection : undefined;
  return afterMs > 0
    ? { ending: 'wait', reason: 'removals under the disruption budget are collected', afterMs }
    : undefined;
}

/** Asks the index for changes of the held clusters; those since `input` was gathered are reconciled again, too. */
export function followHeld({ snapshot }: Input, { schedule }: Decision, scope: ReconcileScope): void {
  const { index, key, enqueue } = scope;
  const names = schedule.heldRemovals.map((one) => one.cluster);
  index.follow(key, names);
  if (names.some((name) => index.cluster(name) !== snapshot.held.get(name))) enqueue(key);
}

/**
 * Stores the condition RemovalsHeld when a hold begins, before any decision object is written: these writes change what
 * the budget is computed from, and after a crash between them the hold has to continue. Returns the input with the stored
 * status. When no decision object will be written, `report` stores the condition. Throws when the status is refused.
 */
export async function announceHold(input: Input, { schedule, plan }: Decision, scope: ReconcileScope): Promise<Input> {
  const { placement, snapshot } = input;
  const held = plan.writes.length === 0 ? undefined : heldState(snapshot, schedule);
  const status = held && statusWithHold(placement.status, held, timestamp(scope.clock.now()));
  if (status === undefined) return input;
  const stored = await storeStatus(input, status, scope);
  if (stored === undefined) return input;
  recordHold(input, schedule, scope.recorder);
  return {
    ...input,
    placement: stored,
    snapshot: { ...snapshot, placement: { ...snapshot.placement, status: stored.status } },
  };
}

/** Records an event for a hold that begins or ends with this reconcile. */
export function recordHold(input: Input, schedule: Schedule, recorder: EventRecorder): void {
  const wasHeld = conditionsOf(input).some(
    ({ type, status }) => type === PlacementConditions.RemovalsHeld && status === 'True',
  );
  const held = heldState(input.snapshot, schedule);
  if ((held !== undefined) === wasHeld) return;
  const reason = held === undefined ? 'RemovalsReleased' : 'RemovalsHeld';
  const note = held === undefined ? releasedText(schedule) : held.message;
  record(input.placement, { reason, type: PlacementEvents[reason].type, note }, recorder);
}

function releasedText({ dropped }: Schedule): string {
  if (dropped.length === 0) return 'no cluster is held any more';
  return `no cluster is held any more; removed ${listed(dropped.map((one) => one.cluster))}`;
}
