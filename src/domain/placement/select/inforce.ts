import { field } from '../../../runtime/vocabulary/json.js';
import { PlacementConditions } from '../../../api/placementreasons.js';
import type { PlacementView } from './snapshot.js';
import { readBasis, storedHold } from '../stored/basis.js';
import type { Limit, DisruptionBudget } from '../spec/budget.js';

/** A limit that counts in this pass. */
export interface LimitInForce {
  readonly limit: Limit;
  /** Whether the spec does not have it any more. */
  readonly isFormer: boolean;
}

export interface BudgetInForce {
  readonly maxRemovals: LimitInForce | undefined;
  readonly maxAdditions: LimitInForce | undefined;
  readonly windowSeconds: number;
}

/**
 * The budget that bounds this pass: the limits of the spec, and former ones that an edit has taken out of it. A former
 * limit stays in force for the first pass after the edit, and then for as long as it holds a cluster: held clusters do
 * not leave or come in because the limit is removed. While the spec is invalid, the limits of the last decision stay in
 * force.
 */
export function budgetInForce(placement: PlacementView): BudgetInForce | undefined {
  const { rules, status, generation } = placement;
  const remembered = readBasis(status)?.budget;
  const isEdited = field(status, 'observedGeneration') !== generation || rules.problem !== undefined;
  const isFormerInForce = (type: string): boolean =>
    isEdited || storedHold(placement, type)?.reason === 'DisruptionBudgetExceeded';
  const maxRemovals = inForce(
    rules.budget?.maxRemovals,
    isFormerInForce(PlacementConditions.RemovalsHeld) ? remembered?.maxRemovals : undefined,
  );
  const maxAdditions = inForce(
    rules.budget?.maxAdditions,
    isFormerInForce(PlacementConditions.AdditionsHeld) ? remembered?.maxAdditions : undefined,
  );
  const windowSeconds = (rules.budget ?? remembered)?.windowSeconds;
  if (windowSeconds === undefined || (maxRemovals ?? maxAdditions) === undefined) return undefined;
  return { maxRemovals, maxAdditions, windowSeconds };
}

function inForce(ofSpec: Limit | undefined, former: Limit | undefined): LimitInForce | undefined {
  if (ofSpec !== undefined) return { limit: ofSpec, isFormer: false };
  return former === undefined ? undefined : { limit: former, isFormer: true };
}

/** The budget to remember with a decision; a former limit only while it holds a cluster, or the spec is invalid. */
export function budgetToRemember(
  { rules }: PlacementView,
  budget: BudgetInForce | undefined,
  holds: { readonly removals: boolean; readonly additions: boolean },
): DisruptionBudget | undefined {
  if (budget === undefined) return undefined;
  const kept = (one: LimitInForce | undefined, isHolding: boolean): Limit | undefined =>
    one?.isFormer === true && !isHolding && rules.problem === undefined ? undefined : one?.limit;
  const maxRemovals = kept(budget.maxRemovals, holds.removals);
  const maxAdditions = kept(budget.maxAdditions, holds.additions);
  if ((maxRemovals ?? maxAdditions) === undefined) return undefined;
  return { maxRemovals, maxAdditions, windowSeconds: budget.windowSeconds };
}
