import { PlacementConditions, type PlacementPhase } from '../../api/placementreasons.js';
import type { ConditionState } from '../conditions.js';
import { schedule, type Schedule } from '../placement/schedule.js';
import { planSlices, publishedAfter, slotsAfter } from '../placement/slices.js';
import type { PlacementSnapshot, Slots } from '../placement/snapshot.js';
import { placementReport } from '../placement/status.js';

/** What the controller makes of a Placement: the state once its decision is stored. */
export interface Outcome {
  readonly schedule: Schedule;
  readonly phase: PlacementPhase;
  /** The condition PlacementSatisfied, without its type. */
  readonly satisfied: Pick<ConditionState, 'status' | 'reason' | 'message'>;
  /** The clusters of its decision objects, sorted by name. */
  readonly clusters: readonly string[];
  /** The same by decision object, as the controller remembers them. */
  readonly slots: Slots;
}

export function outcomeOf(snapshot: PlacementSnapshot): Outcome {
  const decided = schedule(snapshot);
  const plan = planSlices(snapshot, decided);
  const { phase, states } = placementReport(snapshot, decided, { plan, done: plan.writes.length });
  const found = states.find(({ type }) => type === PlacementConditions.PlacementSatisfied);
  const { status = 'Unknown', reason = '', message = '' } = found ?? {};
  const clusters = new Set(publishedAfter(plan).flatMap((slice) => slice.clusters));
  return {
    schedule: decided,
    phase,
    satisfied: { status, reason, message },
    clusters: [...clusters].sort(),
    slots: slotsAfter(plan),
  };
}
