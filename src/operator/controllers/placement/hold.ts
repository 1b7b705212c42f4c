import { PlacementEvents } from '../../../api/placementevents.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { listed } from '../../../domain/placement/report/change.js';
import { comingIn, leaving, type Decision as Decided } from '../../../domain/placement/select/decision.js';
import { heldStates, statusWithHolds } from '../../../domain/placement/report/status.js';
import type { EventRecorder } from '../../../runtime/events/recorder.js';
import type { Decision } from './decide.js';
import { conditionsOf, record } from './events.js';
import type { Input } from './gather.js';
import type { Scope } from './scope.js';
import { storeStatus } from './status.js';

/** What a reconcile does about clusters that are held. */

/**
 * Stores the conditions of holds that begin, before any decision object is written: these writes change what the bounds are
 * computed from, and after a crash between them the hold has to continue. Returns the input with the stored status. When no
 * decision object will be written, `report` stores the conditions. Throws when the status is refused.
 */
export async function announceHolds(input: Input, { schedule, changes }: Decision, scope: Scope): Promise<Input> {
  const { placement, snapshot } = input;
  const held = changes.writes.length === 0 ? [] : heldStates(snapshot, schedule);
  const status = statusWithHolds(placement.status, held, timestamp(scope.clock.now()));
  if (status === undefined) return input;
  const stored = await storeStatus(input, status, scope);
  if (stored === undefined) return input;
  recordHolds(input, schedule, scope.recorder);
  return {
    ...input,
    placement: stored,
    snapshot: { ...snapshot, placement: { ...snapshot.placement, status: stored.status } },
  };
}

/** Records an event for each hold that begins or ends with this reconcile, or goes on for another reason. */
export function recordHolds(input: Input, schedule: Decided, recorder: EventRecorder): void {
  const stored = conditionsOf(input);
  const states = heldStates(input.snapshot, schedule);
  const ended = {
    RemovalsHeld: () =>
      endText(
        'held',
        'removed',
        leaving(schedule).map((one) => one.cluster),
      ),
    AdditionsHeld: () => endText('held back', 'added', comingIn(schedule)),
  };
  for (const [type, event] of HOLD_EVENTS) {
    const was = stored.find((one) => one.type === type && one.status === 'True');
    const is = states.find((one) => one.type === type);
    if (was?.reason === is?.reason) continue;
    const reason = is === undefined ? event : type;
    record(
      input.placement,
      { reason, type: PlacementEvents[reason].type, note: is?.message ?? ended[type]() },
      recorder,
    );
  }
}

/** The types of holds, which are also the events of their begin, and the events of their end. */
const HOLD_EVENTS = [
  ['RemovalsHeld', 'RemovalsReleased'],
  ['AdditionsHeld', 'AdditionsReleased'],
] as const;

function endText(held: string, moved: string, names: readonly string[]): string {
  const text = `no cluster is ${held} any more`;
  return names.length === 0 ? text : `${text}; ${moved} ${listed(names)}`;
}
