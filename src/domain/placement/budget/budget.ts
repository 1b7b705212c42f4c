import { isRecord } from '../../../api/json.js';
import { PlacementConditions } from '../../../api/placementreasons.js';
import { isList } from '../../selectors.js';
import { isOwn } from '../decision.js';
import type { FailureCause } from '../rules.js';
import type { PlacementSnapshot } from '../snapshot.js';
import { isReleased } from './release.js';
import { usedRemovals, type RemovalRecord } from './removals.js';
import type { DisruptionBudget } from './spec.js';

/**
 * The disruption budget: clusters that fail a rule stay selected when removing them would be too large a change. A removal
 * uninstalls what follows the decision, so the budget bounds removals within a window, and not a level that recovers.
 *
 * Clusters that are gone or being deleted, those that are not needed any more, those that a user released, and those that
 * leave because of taints which the hub adds itself, leave without being counted. Of the others all leave, or none: too large
 * a mistake does nothing, instead of as much of it as the budget allows at a time.
 */

/** A cluster that fails a rule and stays selected. */
export interface HeldRemoval {
  readonly cluster: string;
  readonly cause: FailureCause;
}

/** What becomes of the clusters that fail a rule. */
export interface Ration {
  /** Cluster → the rule that it fails: it stays, unless the decision is larger than wanted. */
  readonly held: ReadonlyMap<string, FailureCause>;
  /** The clusters whose removal counts, all but the first `surplus` of them that leave. */
  readonly counted: ReadonlySet<string>;
  /** By how many clusters the decision is larger than wanted: which of `counted` leave for that is not distinguished. */
  readonly surplus: number;
}

/** The clusters of a decision. */
export interface DecidedClusters {
  /** Those that fail a rule, with the first that they fail. */
  readonly failing: ReadonlyMap<string, FailureCause>;
  /** Those of `failing` that leave because of taints which the hub adds itself: it bounds these, and they do not count. */
  readonly failingByHub: ReadonlySet<string>;
  /** How many pass every rule. */
  readonly passing: number;
}

const NOTHING: Ration = { held: new Map(), counted: new Set(), surplus: 0 };

/** Divides the clusters that fail a rule; without a budget none of them is held or counted. */
export function ration(snapshot: PlacementSnapshot, { failing, failingByHub, passing }: DecidedClusters): Ration {
  const { placement, now } = snapshot;
  const { budget, wanted } = placement.rules;
  if (budget === undefined) return NOTHING;
  const bound = [...failing].filter(
    ([cluster, cause]) =>
      cause !== 'Gone' &&
      cause !== 'Deleting' &&
      !failingByHub.has(cluster) &&
      !isReleased(placement.release, cluster, now),
  );
  if (bound.length === 0) return NOTHING;
  // Without those that leave uncounted: so the result is the same when only a part of the removals was stored.
  const present = passing + bound.length;
  const surplus = Math.max(present - (wanted ?? Infinity), 0);
  if (surplus >= bound.length) return NOTHING;
  const used = usedRemovals(ownRecords(snapshot), budget, now);
  const base = Math.min(present + used, wanted ?? Infinity);
  // False for an infinite `used`, too, whatever the percentage.
  const fits = bound.length - surplus <= allowedRemovals(budget, base) - used;
  if (!fits || isHoldStored(snapshot)) return { ...NOTHING, held: new Map(bound) };
  return { ...NOTHING, counted: new Set(bound.map(([cluster]) => cluster)), surplus };
}

/** How many of `base` clusters may be removed within a window; a percentage is rounded up, as in a PodDisruptionBudget. */
export function allowedRemovals({ maxRemovals: { unit, value } }: DisruptionBudget, base: number): number {
  return unit === 'percent' ? Math.ceil((base * value) / 100) : value;
}

/** Whether the stored status says that removals are held, for the spec of now. */
function isHoldStored({ placement }: PlacementSnapshot): boolean {
  const conditions = isRecord(placement.status) ? placement.status['conditions'] : undefined;
  return (isList(conditions) ? conditions : []).some(
    (one) =>
      isRecord(one) &&
      one['type'] === PlacementConditions.RemovalsHeld &&
      one['status'] === 'True' &&
      one['observedGeneration'] === placement.generation,
  );
}

/** The records of the objects of this Placement. */
function ownRecords({ stored }: PlacementSnapshot): (RemovalRecord | undefined)[] {
  return stored.filter(isOwn).map(({ removals }) => removals);
}
