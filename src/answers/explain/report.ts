import type { Piece } from '../../domain/placement/stored/items.js';
import { textField } from '../../runtime/vocabulary/json.js';
import { conditionIn } from '../../domain/conditions.js';
import { PlacementConditions } from '../../api/placementreasons.js';
import { clusterViewIn, explainInputOf, WorldInputs, type World } from '../world/world.js';
import { activeReleases, type ActiveRelease } from '../../domain/placement/report/releases.js';
import { absentSets, type AbsentSet } from '../../domain/placement/explain/membership.js';
import { emptyGroupsText } from '../../domain/placement/report/groups.js';
import {
  absentKeys,
  candidatesOf,
  explainPredicates,
  type PredicateExplanation,
} from '../../domain/placement/explain/predicates.js';
import { explain, explainOther } from '../../domain/placement/explain/explain.js';
import { scoreOf } from '../../domain/placement/explain/scores.js';
import { summarize, type Summary } from '../../domain/placement/explain/causes.js';
import type { ClusterExplanation, Explanation, ExplainInput } from '../../domain/placement/explain/verdict.js';
import { otherTaints } from '../../domain/placement/explain/taints.js';
import type { OtherTaint } from '../../domain/placement/select/standing.js';
import { isBalanced } from '../../domain/placement/spec/prioritizers.js';
import { isSelectedByRules, reasonText, taintClause } from '../reasons.js';
import { Harm, type OtherPlacements } from './harm.js';
import { forecastOf, type Forecast } from '../world/forecast.js';
import { laterText, mayMove, movesAhead, pairText, type MovesAhead, type PlannedMove } from '../plan/movesahead.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { exceededSpread, exceededText, type ExceededSpread } from '../../domain/placement/explain/ranking.js';
import type { PlacementRules } from '../../domain/placement/spec/predicates.js';
import type { SpreadConstraint } from '../../domain/placement/spec/spread.js';

/** Whether the Placement is satisfied: computed from the objects or, when these could not be read, as its status says. */
export interface Satisfaction {
  readonly phase: string;
  /** These three are fields of the condition PlacementSatisfied; empty when the status has no such condition. */
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Everything that commands and console show of one Placement. */
export interface ExplainReport {
  readonly input: ExplainInput;
  readonly explanation: Explanation;
  readonly satisfaction: Satisfaction;
  /** The pieces of groups that the clusters of the decision belong to; empty without groups. */
  readonly pieces: ReadonlyMap<string, Piece>;
  readonly summary: Summary;
  readonly predicates: readonly PredicateExplanation[];
  /** Whether to propose labels that make clusters match the predicate: not if it requires a value that no candidate has. */
  readonly isOffered: (index: number) => boolean;
  /** A message for each key of spread, scores, groups and details that no candidate has. */
  readonly absentKeys: readonly string[];
  /** The message about groups without a cluster; undefined without such groups. */
  readonly emptyGroups: string | undefined;
  /** Requested or bound sets that do not count, and why. */
  readonly absentSets: readonly AbsentSet[];
  /** The clusters that annotations of the Placement let leave or come in. */
  readonly releases: readonly ActiveRelease[];
  /** Which clusters will move; computed at the first call. */
  readonly movement: () => Movement;
  /** The Placement, its clusters, and all sets that the caller may read. Often it has no other Placement. */
  readonly world: World;
  /** `world` with the Placements, decisions and bindings of all namespaces that could be read, and those that could not. */
  readonly others: OtherPlacements;
  /** Tells which of the other Placements a proposal harms. */
  readonly harm: Harm;
}

/** The report of a Placement; undefined when the world has none of this name. `others`: default, those of the world. */
export function explainReport(
  world: World,
  namespace: string,
  name: string,
  others: OtherPlacements = { world, refused: [] },
): ExplainReport | undefined {
  const widened = { ...others, world: worldWithOthers(world, others.world) };
  const input = withOthersSelecting(explainInputOf(world, namespace, name), widened.world);
  if (input === undefined) return undefined;
  const explanation = explain(input);
  const { rules } = input.snapshot.placement;
  const eligibility = explanation.decision?.eligibility;
  const predicates = explainPredicates(explanation);
  const forecast = explanation.decision === undefined ? undefined : forecastOf(input.snapshot);
  const pieces = forecast?.pieces ?? new Map<string, Piece>();
  let movement: Movement | undefined;
  return {
    input,
    explanation,
    satisfaction: satisfactionOf(explanation, forecast),
    pieces,
    summary: summarize(explanation),
    predicates,
    isOffered: (index) => predicates[index]?.unmatched?.kind !== 'RequirementUnmet',
    absentKeys: absentKeys(rules, candidatesOf(explanation)),
    emptyGroups: emptyGroupsText(rules.groups, pieces.values()),
    absentSets: eligibility === undefined ? [] : absentSets(rules.requested, eligibility),
    releases: world.objects.placements
      .filter(({ metadata }) => metadata.name === name && metadata.namespace === namespace)
      .flatMap((one) => activeReleases(one, world.at)),
    movement: () => (movement ??= movementOf(input, explanation, forecast)),
    world,
    others: widened,
    harm: new Harm(widened, { namespace, name }),
  };
}

/** The input, with what the other Placements of `all` select if scores depend on it: the report's own world may lack them. */
function withOthersSelecting(input: ExplainInput | undefined, all: World): ExplainInput | undefined {
  if (input === undefined || !isBalanced(input.snapshot.placement.rules)) return input;
  const { namespace, name } = input.snapshot.placement;
  const othersSelecting = new WorldInputs(all).othersSelecting(namespace, name);
  return { ...input, snapshot: { ...input.snapshot, othersSelecting } };
}

function worldWithOthers(world: World, others: World): World {
  const { placements, placementdecisions, managedclustersetbindings } = others.objects;
  const objects = { ...world.objects, placements, placementdecisions, managedclustersetbindings };
  return { ...world, objects, withheld: [...world.withheld, ...(others === world ? [] : others.withheld)] };
}

/** The explanation of one cluster, also of one that is no candidate; undefined when the caller can read no such cluster. */
export function clusterOf({ explanation, input, world }: ExplainReport, name: string): ClusterExplanation | undefined {
  const known = explanation.clusters.find((one) => one.name === name);
  if (known !== undefined || explanation.decision === undefined) return known;
  const found = world.objects.managedclusters.find(({ metadata }) => metadata.name === name);
  return found === undefined ? undefined : explainOther(clusterViewIn(world, found), input);
}

function satisfactionOf({ readable, placement }: Explanation, forecast: Forecast | undefined): Satisfaction {
  if (forecast === undefined || !readable.decisions) return storedSatisfaction(placement.status);
  const { phase, satisfied } = forecast;
  return { phase, ...satisfied };
}

function storedSatisfaction(status: unknown): Satisfaction {
  const found = conditionIn(status, PlacementConditions.PlacementSatisfied);
  return {
    phase: textField(status, 'phase') || 'Pending',
    status: textField(found, 'status'),
    reason: textField(found, 'reason'),
    message: textField(found, 'message'),
  };
}

/** Why the cluster has its verdict: `predicate 1, kept`, `label tier=edge, wanted tier=gold`. */
export function whyText(one: ClusterExplanation, { explanation, movement }: ExplainReport): string {
  const kept = one.inDecision && isSelectedByRules(one, explanation) ? ', kept' : '';
  return [
    reasonText(one, explanation),
    kept,
    scoreClause(one, explanation),
    moveClause(one, movement()),
    taintClause(one, explanation),
  ].join('');
}

/** `, score 81`; empty without scores, and for a cluster of which no score is compared. */
function scoreClause(one: ClusterExplanation, explanation: Explanation): string {
  const counts = one.verdict === 'Selected' || one.verdict === 'NotNeeded';
  const score = counts ? scoreOf(one, explanation) : undefined;
  return score === undefined ? '' : `, score ${score}`;
}

/** The taints of a selected cluster that do not make it leave; none for one that is not selected. */
export function otherTaintsOf(one: ClusterExplanation, explanation: Explanation): readonly OtherTaint[] {
  return isSelectedByRules(one, explanation) ? otherTaints(one, explanation.placement.rules) : [];
}

export interface Movement extends MovesAhead {
  readonly exceeded: readonly ExceededSpread[];
}

const NOTHING: MovesAhead = { moves: [], addLater: [], isComplete: true, stuck: undefined };
/** The most decisions that are computed ahead. */
const MOST_DECISIONS = 50;
/** The most moves that are shown. */
const MOST_MOVES = 5;

function movementOf({ snapshot }: ExplainInput, { readable }: Explanation, forecast: Forecast | undefined): Movement {
  if (forecast === undefined || !readable.decisions) return { ...NOTHING, exceeded: [] };
  const isValid = snapshot.placement.rules.problem === undefined;
  const exceeded = isValid ? exceededSpread(forecast.decision, snapshot) : [];
  const [ahead = NOTHING] = mayMove(snapshot)
    ? movesAhead([{ snapshot, forecast }], { decisions: MOST_DECISIONS, moves: MOST_MOVES })
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
function moveClause({ name, verdict }: ClusterExplanation, { moves }: Movement): string {
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
