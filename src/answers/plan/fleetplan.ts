import { keyOf } from '../../runtime/vocabulary/names.js';
import { mayMove, movesFollowing } from './movesahead.js';
import type { Name, PlannedPlacement } from './document.js';
import { continueAfter, placementsIn, planPlacement, secondSide, sideOf, unknownPlan, type Sides } from './plan.js';
import { WorldInputs, type World } from '../world/world.js';

/** The plans of all Placements, with the moves that follow. */

/** How a plan is computed, whatever it says. */
export interface Computing {
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
  { known, onDecision }: Computing = {},
): readonly PlannedPlacement[] {
  const first = new WorldInputs(before, known, onDecision);
  const then = new WorldInputs(after, first);
  const names = placementsIn(before, after);
  if (first.isBalanced || then.isBalanced) continueAfter(names, first, then);
  if (!first.isKnown) return names.map(unknownPlan);
  return plansOf(names, (name) => {
    const side = sideOf(first.input(name), first);
    const sides = { before: side, after: secondSide(name, side, then) };
    return { sides, plan: planPlacement(name, sides, then) };
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
