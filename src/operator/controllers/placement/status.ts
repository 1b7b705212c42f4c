import type { Placement } from '../../../api/generated/placement.js';
import { PLACEMENT_FIELD_MANAGER } from '../../../api/names.js';
import { Placements } from '../../../api/resources.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import { isFailure } from '../../../runtime/errors.js';
import type { Input } from './gather.js';
import type { Scope } from './scope.js';

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
