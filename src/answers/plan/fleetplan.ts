import { keyOf } from '../../runtime/vocabulary/names.js';
import { mayMove, movesFollowing } from './movesahead.js';
import { planPlacement, unknownPlan, type PlacementPlan } from './plan.js';
import { continueAfter, placementsIn, secondSide, sideOf, startOf, type Name, type Sides } from './sides.js';
import { WorldInputs, type World } from '../world/world.js';

/** The plans of all Placements, with the moves that follow. */

/** How a plan is computed, whatever it says. */
export interface Computing {
  /** Of a world with some of the same objects. */
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
): readonly PlacementPlan[] {
  const first = new WorldInputs(before, known, onDecision);
  const inputs = { before: first, after: new WorldInputs(after, first) };
  const names = placementsIn(before, after);
  if (inputs.before.isBalanced || inputs.after.isBalanced) continueAfter(names, inputs.before, inputs.after);
  const moving: Sides[] = [];
  const plans = names.map((name) => (inputs.before.isKnown ? planOf(name, inputs, moving) : unknownPlan(name)));
  return withMoves(plans, moving);
}

function planOf(
  name: Name,
  inputs: { readonly before: WorldInputs; readonly after: WorldInputs },
  moving: Sides[],
): PlacementPlan {
  const first = sideOf(inputs.before.input(name), inputs.before);
  const sides = { before: first, after: secondSide(name, first, inputs.after) };
  if (mayMoveOn(sides)) moving.push(sides);
  return planPlacement(name, sides, inputs.after);
}

/** Whether clusters of the Placement may move, before or after. */
export function mayMoveOn({ before, after }: Sides): boolean {
  return [before, after].some((one) => one !== undefined && mayMove(one.input.snapshot));
}

/** The plans with the moves that follow from the change. `moving`: the Placements of which clusters may move. */
export function withMoves(plans: readonly PlacementPlan[], moving: readonly Sides[]): readonly PlacementPlan[] {
  if (moving.length === 0) return plans;
  const starts = moving.map(({ before, after }) => ({ before: startOf(before), after: startOf(after) }));
  const found = movesFollowing(starts);
  return plans.map((plan) => {
    const following = found.get(keyOf(plan));
    if (following === undefined) return plan;
    const isChanged = plan.kind === 'Unchanged' && following.moves.length + following.addLater.length > 0;
    return { ...plan, ...following, ...(isChanged && { kind: 'Changed' as const }) };
  });
}
