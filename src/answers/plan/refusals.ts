import type { RawObject } from '../../runtime/vocabulary/meta.js';
import { IN_USE_CONDITION } from '../../api/clusterreasons.js';
import { ALLOW_DELETION_ANNOTATION } from '../../api/names.js';
import { conditionIn } from '../../domain/conditions.js';
import type { World } from '../world/world.js';

/** A deletion that admission refuses. */
export interface Refusal {
  readonly kind: 'ManagedClusterSet';
  readonly name: string;
}

/**
 * The sets that are deleted between two worlds although their condition InUse is True, sorted by name: the policy
 * `multicluster-engine-in-use` refuses it. An annotation allows it.
 */
export function refusedDeletions(before: World, after: World): readonly Refusal[] {
  const left = new Map(after.objects.managedclustersets.map((one) => [one.metadata.name, one]));
  return before.objects.managedclustersets
    .filter((one) => !isDeleting(one) && isDeleting(left.get(one.metadata.name)))
    .filter(
      (one) =>
        conditionIn(one.status, IN_USE_CONDITION)?.['status'] === 'True' &&
        one.metadata.annotations?.[ALLOW_DELETION_ANNOTATION] !== 'true',
    )
    .map(({ metadata }): Refusal => ({ kind: 'ManagedClusterSet', name: metadata.name }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether the object is being deleted, or does not exist. */
function isDeleting(object: RawObject | undefined): boolean {
  return object?.metadata.deletionTimestamp !== undefined || object === undefined;
}
