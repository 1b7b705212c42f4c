import type { Placement } from '../../../api/generated/placement.js';
import { PLACEMENT_FIELD_MANAGER } from '../../../api/names.js';
import { Placements } from '../../../api/resources.js';
import { heldStates, statusWithHolds } from '../../../domain/placement/report/status.js';
import { isFailure } from '../../../runtime/errors.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import type { Decided } from './decide.js';
import { recordHoldBegins } from './events.js';
import type { Input } from './gather.js';
import type { Scope } from './scope.js';

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
export async function storeStatus(
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
