import { field } from '../../../runtime/vocabulary/json.js';
import { PlacementConditions } from '../../../api/placementreasons.js';
import type { PlacementView } from './snapshot.js';
import { readBasis, storedHold } from '../stored/basis.js';
import type { Bound, DisruptionBudget } from '../spec/budget.js';

/** A bound in force; `isFormer`: the spec does not have it any more. */
export interface BoundInForce {
  readonly bound: Bound;
  readonly isFormer: boolean;
}

export interface BudgetInForce {
  readonly maxRemovals: BoundInForce | undefined;
  readonly maxAdditions: BoundInForce | undefined;
  readonly windowSeconds: number;
}

/**
 * The budget that bounds this pass: that of the spec, and each bound that an edit has taken out since the last decision. Such a
 * bound rules the pass in which it is removed, and for as long as it then holds something. While the spec is invalid, the
 * bounds of before stay in force.
 */
export function budgetInForce(placement: PlacementView): BudgetInForce | undefined {
  const { rules, status, generation } = placement;
  const former = readBasis(status)?.budget;
  const isEdited = field(status, 'observedGeneration') !== generation || rules.problem !== undefined;
  const holds = (type: string): boolean =>
    isEdited || storedHold(placement, type)?.reason === 'DisruptionBudgetExceeded';
  const maxRemovals = inForce(
    rules.budget?.maxRemovals,
    holds(PlacementConditions.RemovalsHeld) ? former?.maxRemovals : undefined,
  );
  const maxAdditions = inForce(
    rules.budget?.maxAdditions,
    holds(PlacementConditions.AdditionsHeld) ? former?.maxAdditions : undefined,
  );
  const windowSeconds = (rules.budget ?? former)?.windowSeconds;
  if (windowSeconds === undefined || (maxRemovals ?? maxAdditions) === undefined) return undefined;
  return { maxRemovals, maxAdditions, windowSeconds };
}

function inForce(own: Bound | undefined, former: Bound | undefined): BoundInForce | undefined {
  if (own !== undefined) return { bound: own, isFormer: false };
  return former === undefined ? undefined : { bound: former, isFormer: true };
}

/** The budget to remember with a decision: a bound that the spec has no more is remembered while it holds something. */
export function budgetToRemember(
  { rules }: PlacementView,
  inForceNow: BudgetInForce | undefined,
  holds: { readonly removals: boolean; readonly additions: boolean },
): DisruptionBudget | undefined {
  if (inForceNow === undefined) return undefined;
  const kept = (one: BoundInForce | undefined, isHolding: boolean): Bound | undefined =>
    one?.isFormer === true && !isHolding && rules.problem === undefined ? undefined : one?.bound;
  const maxRemovals = kept(inForceNow.maxRemovals, holds.removals);
  const maxAdditions = kept(inForceNow.maxAdditions, holds.additions);
  if ((maxRemovals ?? maxAdditions) === undefined) return undefined;
  return { maxRemovals, maxAdditions, windowSeconds: inForceNow.windowSeconds };
}
