import type { JsonObject } from '@multicluster-engine/values/json';
import { timestamp } from '@multicluster-engine/values/time';
import { capUpdaters } from './capupdaters.js';
import { isEmpty, union } from '../fieldpath/fieldset.js';
import type { Owner, Owners } from './owners.js';
import { ownerId } from './owners.js';
import type { OwnershipContext } from './ownership.js';
import { reconcileOwners, withoutUnownable, transferOwnership } from './ownership.js';
import { withoutReset } from './resetfields.js';

/** The manager of a write other than apply. */
export interface Updater {
  readonly manager: string;
  readonly subresource: string;
  /** Ms since the epoch. */
  readonly now: number;
}

/** The owners after an update: changed fields belong to its manager alone, removed fields to nobody. */
export function updateOwners(
  owners: Owners,
  change: { readonly live: JsonObject; readonly next: JsonObject },
  by: Updater,
  context: OwnershipContext,
): Owners {
  const outcome = transferOwnership(reconcileOwners(owners, context), '', change, context);
  const { added, modified } = outcome.comparison;
  const changed = withoutUnownable(withoutReset(union(modified, added), context.reset));
  if (isEmpty(changed)) return capUpdaters(outcome.owners);
  const owner: Owner = {
    manager: by.manager === '' ? 'unknown' : by.manager,
    operation: 'Update',
    apiVersion: context.apiVersion,
    subresource: by.subresource,
    time: timestamp(by.now),
    fields: changed,
  };
  const id = ownerId(owner);
  const previous = outcome.owners.get(id);
  const fields = previous === undefined ? changed : union(previous.fields, changed);
  return capUpdaters(new Map(outcome.owners).set(id, { ...owner, fields }));
}
