import { placementsIn } from '../world/worlds.js';
import { timestamp } from '../../runtime/vocabulary/meta.js';
import { pieceText } from '../../domain/placement/explain/choicetext.js';
import { heldBackCause, holdersText } from '../../domain/placement/report/holds.js';
import { emptyGroupsText } from '../../domain/placement/report/groups.js';
import { sameList, type Piece } from '../../domain/placement/stored/items.js';
import { leavingText } from '../../domain/placement/explain/causes.js';
import { absentKeys } from '../../domain/placement/explain/predicates.js';
import { readsViews } from '../../domain/placement/spec/predicates.js';
import { predicateOf } from '../../domain/placement/select/rules.js';
import { keptNow } from '../../domain/placement/select/decision.js';
import { opensIn, waitsFor, waitsForSet } from '../../domain/placement/select/holders.js';
import { scorerOfSnapshot, type Scorer } from '../../domain/placement/select/scores.js';
import type { Before, Candidates, ClusterView } from '../../domain/placement/select/snapshot.js';
import { forecastOf } from '../world/forecast.js';
import { type PlacementInput, type World, WorldInputs } from '../world/world.js';
import {
  newMessages,
  type Name,
  type PieceName,
  type PlannedAdd,
  type PlannedPlacement,
  type PlannedRegroup,
  type PlannedRemoval,
  type PlannedState,
  type PlanKind,
} from './document.js';
import { type Start, mayMove, movesFollowing } from './movesahead.js';
import { keyOf } from '../../runtime/vocabulary/names.js';

/** Plans a Placement: compares its decision in one world with that in another. */

/** A Placement in the world before a change, and in the world after it; undefined where it does not exist. */
export interface Sides {
  readonly before: Side | undefined;
  readonly after: Side | undefined;
}

/** A Placement in one world, with its decision. */
export interface Side extends Start {
  readonly input: PlacementInput;
  readonly inputs: WorldInputs;
  readonly scorer: Scorer | undefined;
}

/**
 * Decides all Placements in the world `before`, and lets the decisions in the world `after` begin with the result: as in the
 * controller, scores may depend on what the other Placements have selected last.
 */
export function carryDecisions(names: readonly Name[], before: WorldInputs, after: WorldInputs): void {
  for (const name of names) sideOf(before.input(name), before);
  after.continueFrom(before);
}

/** Decides a Placement in one world. Undefined if it is being deleted: its decision is then left to garbage collection. */
export function sideOf(input: PlacementInput | undefined, inputs: WorldInputs): Side | undefined {
  if (input === undefined || input.deleting) return undefined;
  const { snapshot } = input;
  const [forecast, scorer] = [forecastOf(snapshot), scorerOfSnapshot(snapshot)];
  const decided = (clusters: readonly string[]): void => inputs.decided(snapshot.placement, clusters);
  decided(forecast.clusters);
  return { input, snapshot, inputs, forecast, scorer, decided };
}

/**
 * Decides the Placement in the world after the change. `first`: the same in the world before. What is published by it counts as
 * stored, unless the Placement is another one of the same name.
 */
function secondSide(name: Name, first: Side | undefined, after: WorldInputs): Side | undefined {
  const fresh = after.input(name);
  const isSame = fresh?.snapshot.placement.uid === first?.snapshot.placement.uid;
  return sideOf(isSame ? after.input(name, first?.forecast.published) : fresh, after);
}

export function unknownPlan(name: Name): PlannedPlacement {
  return { ...name, change: 'Unknown', add: [], remove: [], stay: [], held: [] };
}

/** The plan of a Placement. `after`: the inputs of the world after the change. */
export function planPlacement(name: Name, sides: Sides, after: WorldInputs): PlannedPlacement {
  const states = { before: stateOf(sides.before), after: stateOf(sides.after) };
  const lists = listsOf(sides, after);
  return { ...name, change: changeOf(sides, states, lists), ...states, ...lists };
}

function stateOf(side: Side | undefined): PlannedState | undefined {
  if (side === undefined) return undefined;
  const { phase, satisfied, clusters, pieces } = side.forecast;
  const { placement, candidates } = side.snapshot;
  const { rules } = placement;
  const keys = readsViews(rules) ? absentKeys(rules, matching(candidates), NO_MATCH) : [];
  return {
    phase,
    satisfied,
    selected: clusters.length,
    wanted: rules.wanted,
    problem: rules.problem,
    absentKeys: some(keys),
    emptyGroups: emptyGroupsText(rules.groups, pieces.values()),
  };
}

/** The clusters that are held or wait, in the decision or out of it, sorted by name. */
function keptIn(side: Side | undefined): readonly string[] {
  const kept = side === undefined ? [] : keptNow(side.forecast.decision);
  return kept.map(([name]) => name).sort();
}

const NO_MATCH = 'no cluster that matches';

/** The candidates that match, each read when it is asked for. */
function matching(candidates: Candidates): Iterable<ClusterView> {
  return {
    *[Symbol.iterator]() {
      for (const { name } of candidates.matched) {
        const one = candidates.view(name);
        if (one !== undefined) yield one;
      }
    },
  };
}

type Lists = Pick<PlannedPlacement, 'add' | 'remove' | 'stay' | 'held' | 'regroup'>;

function changeOf(
  sides: Sides,
  { before, after }: Pick<PlannedPlacement, 'before' | 'after'>,
  { add, remove, regroup = [] }: Lists,
): PlanKind {
  if (before === undefined) return after === undefined ? 'Unchanged' : 'Created';
  if (after === undefined) return 'Deleted';
  const isSame =
    add.length + remove.length + regroup.length === 0 &&
    before.phase === after.phase &&
    sameList(keptIn(sides.before), keptIn(sides.after)) &&
    before.satisfied.reason === after.satisfied.reason &&
    before.wanted === after.wanted &&
    newMessages(before, after).length === 0;
  return isSame ? 'Unchanged' : 'Changed';
}

function listsOf(sides: Sides, inputs: WorldInputs): Lists {
  const [first, then] = [sides.before?.forecast.clusters ?? [], sides.after?.forecast.clusters ?? []];
  const [had, has] = [new Set(first), new Set(then)];
  const { after } = sides;
  const added = after === undefined ? [] : then.filter((name) => !had.has(name));
  const held = heldOf(sides);
  const staying = new Set(held.flatMap(({ name, cause }) => (cause === 'HeldBack' ? [] : [name])));
  const removed = first.filter((name) => !has.has(name));
  return {
    add: added.flatMap((name) => (after === undefined ? [] : addOf(name, inputs.cluster(name), after))),
    remove: removalsOf(removed, sides),
    stay: first.filter((name) => has.has(name) && !staying.has(name)),
    held,
    regroup: some(regroupedOf(sides)),
  };
}

function regroupedOf({ before, after }: Sides): readonly PlannedRegroup[] {
  if (before === undefined || after === undefined) return [];
  const [first, then] = [before.forecast, after.forecast];
  if (first.pieces.size + then.pieces.size === 0) return [];
  const stays = new Set(then.clusters);
  return first.clusters.flatMap((name): PlannedRegroup[] => {
    const [from, to] = [first.pieces.get(name), then.pieces.get(name)];
    const isSame = from?.group === to?.group && from?.index === to?.index;
    return !stays.has(name) || isSame ? [] : [{ name, from: nameOf(from), to: nameOf(to) }];
  });
}

function nameOf(piece: Piece | undefined): PieceName | undefined {
  return piece && { group: piece.group, index: piece.index };
}

/** The clusters that are held or wait, in the decision or out of it, each with what keeps it there. */
function heldOf({ before, after }: Sides): readonly PlannedRemoval[] {
  if (after === undefined) return [];
  const snapshot = { ...after.snapshot, before: changeSince(before) };
  const { decision } = after.forecast;
  const heldBack = heldBackCause(snapshot);
  const first = new Map(before === undefined ? [] : keptNow(before.forecast.decision));
  const planned = keptNow(decision).map(([name, fate]): PlannedRemoval => {
    const { kind, by } = fate;
    const field = waitsFor(by);
    const [set, opens] = [waitsForSet(by), opensIn(by)];
    const holders = field && holdersText(by, snapshot);
    const rest = {
      ...(first.get(name)?.kind === kind && { already: true as const }),
      ...(field && { waitsFor: field, ...(set !== undefined && { clusterSet: set }) }),
      ...(opens !== undefined && { waitsUntil: timestamp(opens) }),
    };
    if (kind === 'keptOut') return { name, cause: 'HeldBack', why: holders ?? heldBack, ...rest };
    const why = leavingText({ cluster: name, cause: fate.cause }, snapshot, decision);
    return { name, cause: fate.cause, why: holders === undefined ? why : `${why}; ${holders}`, ...rest };
  });
  return planned.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function addOf(name: string, cluster: ClusterView | undefined, { snapshot, forecast, scorer }: Side): PlannedAdd {
  const predicate = cluster && predicateOf(snapshot.placement.rules, cluster);
  const why = predicate === undefined ? 'every cluster matches' : `predicate ${predicate}`;
  const add = { name, predicate, ...scored(why, cluster, scorer) };
  const piece = nameOf(forecast.pieces.get(name));
  return piece === undefined ? add : { ...add, why: `${add.why}, ${pieceText(piece)}`, piece };
}

/** The reason, with the score of the cluster where scores count. */
function scored(
  why: string,
  cluster: ClusterView | undefined,
  scorer: Scorer | undefined,
): { readonly why: string; readonly score?: number } {
  if (cluster === undefined || scorer === undefined) return { why };
  const score = scorer.total(cluster) / 100;
  return { why: `${why}, score ${score}`, score };
}

function removalsOf(names: readonly string[], { before, after }: Sides): readonly PlannedRemoval[] {
  if (names.length === 0) return [];
  if (after === undefined)
    return names.map((name) => ({ name, cause: 'PlacementDeleted', why: 'the Placement is deleted' }));
  const snapshot = { ...after.snapshot, before: changeSince(before) };
  const { decision } = after.forecast;
  return names.map((name) => {
    const fate = decision.fates.get(name);
    if (fate?.kind !== 'leaves')
      return { name, cause: 'PlacementDeleted', why: 'the Placement is deleted and created again' };
    const { cause } = fate;
    const why = leavingText({ cluster: name, cause }, snapshot, decision);
    const told = cause === 'NotNeeded' ? scored(why, snapshot.selected.get(name), after.scorer) : { why };
    return { name, cause, ...told };
  });
}

/** The state before the change, from which texts tell what has changed. */
function changeSince(before: Side | undefined): Before | undefined {
  if (before === undefined) return undefined;
  const { input, snapshot, forecast, inputs } = before;
  return {
    rules: snapshot.placement.rules,
    eligible: forecast.decision.eligibility.eligible,
    selectors: input.selectors,
    cluster: (name) => inputs.cluster(name),
  };
}

function some<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

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
