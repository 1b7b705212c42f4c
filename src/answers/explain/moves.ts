import { forecastOf } from '../world/forecast.js';
import { laterText, mayMove, movesAhead, pairText, type MovesAhead, type PlannedMove } from '../plan/movesahead.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { exceededSpread, exceededText, type ExceededSpread } from '../../domain/placement/explain/ranking.js';
import type { PlacementRules } from '../../domain/placement/spec/predicates.js';
import type { SpreadConstraint } from '../../domain/placement/spec/spread.js';
import type { ClusterExplanation, ExplainInput, Explanation } from '../../domain/placement/explain/verdict.js';

/** Which clusters will move, what for, and which spread constraints are exceeded. */

export interface Movement extends MovesAhead {
  readonly exceeded: readonly ExceededSpread[];
}

const NOTHING: MovesAhead = { moves: [], addLater: [], isComplete: true, stuck: undefined };
/** The most decisions that are computed ahead. */
const MOST_DECISIONS = 50;
/** The most moves that are shown. */
const MOST_MOVES = 5;

export function movementOf({ snapshot }: ExplainInput, { decision, readable }: Explanation): Movement {
  if (decision === undefined || !readable.decisions) return { ...NOTHING, exceeded: [] };
  const exceeded = snapshot.placement.rules.problem === undefined ? exceededSpread(decision, snapshot) : [];
  const [ahead = NOTHING] = mayMove(snapshot)
    ? movesAhead([{ snapshot, forecast: forecastOf(snapshot) }], { decisions: MOST_DECISIONS, moves: MOST_MOVES })
    : [];
  return { ...ahead, exceeded };
}

export function movementLines(movement: Movement, { rebalance }: PlacementRules): readonly string[] {
  const { moves, addLater, isComplete, stuck, exceeded } = movement;
  const isMoving = moves.length > 0 || !isComplete || stuck !== undefined;
  const rest = isMoving
    ? ''
    : rebalance === undefined
      ? '; nobody leaves for it without spec.rebalance'
      : '; no move is allowed that brings it closer';
  return [
    ...exceeded.map((one) => `${exceededText(one)}${rest}`),
    ...moves.map((one) => `moves: ${pairText(one)}: ${laterText(one)}`),
    ...addLater.map((one) => `then: ${wordText(one.name)} ${laterText(one)}`),
    ...(isComplete ? [] : ['more moves may follow']),
    ...(stuck === undefined ? [] : [`waits for spec.disruptionBudget, which lets no cluster leave: ${stuck}`]),
  ];
}

/** `, moves to edge-7`, `, comes in for edge-1`; empty for a cluster that stays where it is. */
export function moveClause({ name, verdict }: ClusterExplanation, { moves }: Movement): string {
  const found = moveOf(name, verdict, moves);
  if (found === undefined) return '';
  return found.from === name ? `, moves to ${wordText(found.to)}` : `, comes in for ${wordText(found.from)}`;
}

/** The move of one cluster, with what it waits for. */
export function clusterMoveLines({ name, verdict }: ClusterExplanation, { moves }: Movement): readonly string[] {
  const found = moveOf(name, verdict, moves);
  return found === undefined ? [] : [`  ${pairText(found)}: ${laterText(found)}`];
}

/** The next one in which the cluster leaves, if it is selected, or comes in. */
function moveOf(
  name: string,
  verdict: ClusterExplanation['verdict'],
  moves: readonly PlannedMove[],
): PlannedMove | undefined {
  if (verdict === 'Selected') return moves.find(({ from }) => from === name);
  return verdict === 'NotNeeded' ? moves.find(({ to }) => to === name) : undefined;
}

/** Fields `moves` and `exceededSpread`; left out where there is nothing of either. */
export function movementFields({ moves, addLater, isComplete, exceeded }: Movement): object {
  return {
    ...(moves.length === 0 ? {} : { moves }),
    ...(addLater.length === 0 ? {} : { addLater }),
    ...(isComplete ? {} : { movesComputed: false }),
    ...(exceeded.length === 0 ? {} : { exceededSpread: exceeded.map(exceededDocument) }),
  };
}

export function constraintFields({ key, source, maxSkew }: SpreadConstraint): object {
  return { topologyKey: key, topologyKeyType: source === 'claim' ? 'Claim' : 'Label', maxSkew };
}

function exceededDocument(one: ExceededSpread): object {
  const { constraint, full, lowest } = one;
  return {
    ...constraintFields(constraint),
    domains: full,
    lowest,
    message: exceededText(one),
  };
}
