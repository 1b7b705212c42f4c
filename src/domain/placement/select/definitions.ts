import { PlacementConditions } from '../../../api/placementreasons.js';
import type { PlacementSnapshot, PlacementView } from './snapshot.js';
import { readBasis, storedHold, type Definitions } from '../stored/basis.js';
import type { Release } from '../spec/budget.js';

/**
 * When the CustomResourceDefinition of clusters, sets or bindings is deleted, the API server deletes all its objects. A
 * definition that is made anew comes back empty: a loss of data, and not a decision of anybody. It has another uid, so a
 * decision that was made with the earlier one can be told from one of now.
 */

/**
 * Whether the decision was made with other definitions. One without a record of them, since they were not known, is compared by age.
 * Where the definitions are not known, what the condition says counts.
 */
export function isDefinitionReplaced({ placement, definitions }: PlacementSnapshot): boolean {
  const isHeld = isHeldForLoss(placement);
  if (definitions === undefined) return isHeld;
  const made = readBasis(placement.status)?.definitions;
  return made === undefined ? isHeld || definitions.newerThanDecision : differ(made, definitions.uids);
}

/** Whether the stored status says that clusters are held because a definition was replaced. */
export function isHeldForLoss(placement: Pick<PlacementView, 'generation' | 'status'>): boolean {
  return storedHold(placement, PlacementConditions.RemovalsHeld)?.reason === 'DefinitionsReplaced';
}

/**
 * The release that counts while a definition is replaced. One that the Placement had when the hold began was not given for this
 * loss: a `*` until midnight for some cluster of the morning would let all go.
 */
export function releaseOfLoss({ placement }: PlacementSnapshot): Release | undefined {
  const { release, status } = placement;
  return hasHoldBegun(placement) && release?.id !== readBasis(status)?.releaseBefore ? release : undefined;
}

/** Also once clusters were let go, as long as a decision without them is not stored. */
function hasHoldBegun(placement: PlacementView): boolean {
  return isHeldForLoss(placement) || readBasis(placement.status)?.releaseBefore !== undefined;
}

/** {@link Release.id} to remember while a replaced definition holds clusters; empty where there was no release. */
export function releaseToRemember({ placement }: PlacementSnapshot): string {
  const { status, release } = placement;
  return (hasHoldBegun(placement) ? readBasis(status)?.releaseBefore : release?.id) ?? '';
}

/** The names of the definitions that were made anew, sorted; all where the decision has no record of them. */
export function replacedDefinitions({ placement, definitions }: PlacementSnapshot): readonly string[] {
  const made = readBasis(placement.status)?.definitions ?? {};
  const { uids = {} } = definitions ?? {};
  return Object.keys(uids)
    .filter((one) => made[one] !== uids[one])
    .sort();
}

/**
 * The definitions to remember with a decision. Those of before stay while they hold something and, when nothing is missing,
 * until the caches are sure to show what there is with the new ones.
 */
export function definitionsToRemember(snapshot: PlacementSnapshot, isHolding: boolean): Definitions | undefined {
  const made = readBasis(snapshot.placement.status)?.definitions;
  const { definitions } = snapshot;
  if (definitions === undefined || isHolding) return made;
  const { uids, trustedInMs } = definitions;
  return made !== undefined && differ(made, uids) && trustedInMs > 0 ? made : uids;
}

/** When to decide whether the definitions of now are remembered: ms since the epoch; undefined for never. */
export function definitionsTrusted({ placement, definitions, now }: PlacementSnapshot): number | undefined {
  const made = readBasis(placement.status)?.definitions;
  if (definitions === undefined || made === undefined || definitions.trustedInMs <= 0) return undefined;
  return differ(made, definitions.uids) ? now + definitions.trustedInMs : undefined;
}

function differ(made: Definitions, now: Definitions): boolean {
  return Object.entries(now).some(([name, uid]) => made[name] !== undefined && made[name] !== uid);
}
