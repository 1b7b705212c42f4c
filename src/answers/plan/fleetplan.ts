import { keyOf } from '../../runtime/vocabulary/names.js';
import { mayMove, movesFollowing } from './movesahead.js';
import type { Name, PlannedPlacement } from './document.js';
import { carryDecisions, placementsIn, planPlacement, secondSide, sideOf, unknownPlan, type Sides } from './plan.js';
import { WorldInputs, type World } from '../world/world.js';

/** What makes the computation of a plan cheaper, or ends it; the plan is the same without. */
export interface ComputeOptions {
  /** The inputs of an earlier world; what they have computed of objects that are the same is used again. */
  readonly known?: WorldInputs | undefined;
  /** Runs after each decision, and may throw to give the plan up. */
  readonly onDecision?: (() => void) | undefined;
}

/**
 * The plans of all Placements of both worlds, sorted by namespace and name. Before the change every decision counts as
 * published, so that what would change anyway is not part of a plan. In O(Placements × clusters).
 */
export function planFleet(
  before: World,
  after: World,
  { known, onDecision }: ComputeOptions = {},
): readonly PlannedPlacement[] {
  const inputsBefore = new WorldInputs(before, known, onDecision);
  const inputsAfter = new WorldInputs(after, inputsBefore);
  const names = placementsIn(before, after);
  if (inputsBefore.isBalanced || inputsAfter.isBalanced) carryDecisions(names, inputsBefore, inputsAfter);
  if (!inputsBefore.isKnown) return names.map(unknownPlan);
  return plansOf(names, (name) => {
    const side = sideOf(inputsBefore.input(name), inputsBefore);
    const sides = { before: side, after: secondSide(name, side, inputsAfter) };
    return { sides, plan: planPlacement(name, sides, inputsAfter) };
  });
}

/** The plans of these Placements, with the moves that follow. Both sides of one are kept only while clusters of it may move. */
export function plansOf(
  names: readonly Name[],
  planOf: (name: Name) => { readonly sides: Sides; readonly plan: PlannedPlacement },
): readonly PlannedPlacement[] {
  const moving: Sides[] = [];
  const plans = names.map((name) => {
    const { sides, plan } = planOf(name);
    if ([sides.before, sides.after].some((one) => one !== undefined && mayMove(one.snapshot))) moving.push(sides);
    return plan;
  });
  if (moving.length === 0) return plans;
  const found = movesFollowing(moving);
  return plans.map((plan) => {
    const following = found.get(keyOf(plan));
    if (following === undefined) return plan;
    const isChanged = plan.change === 'Unchanged' && (following.moves ?? following.addLater) !== undefined;
    return { ...plan, ...following, ...(isChanged && { change: 'Changed' as const }) };
  });
}
