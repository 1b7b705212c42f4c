import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { heldStates, statusWithHolds } from '../../../domain/placement/report/status.js';
import type { Decision } from './decide.js';
import { recordHoldBegins } from './events.js';
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
  recordHoldBegins(input, schedule, scope.recorder);
  return {
    ...input,
    placement: stored,
    snapshot: { ...snapshot, placement: { ...snapshot.placement, status: stored.status } },
  };
}
