import { sameList } from '../../domain/placement/stored/items.js';
import { noOthers, type PlacementSnapshot } from '../../domain/placement/select/snapshot.js';
import { forecastOf, type Forecast } from '../world/forecast.js';
import { mayMoveOn, withMoves, type Computing } from './fleetplan.js';
import { planPlacement, unknownPlan, type PlacementPlan, type PlannedRemoval } from './plan.js';
import { placeText, selectedTaintsText } from '../../domain/placement/explain/taints.js';
import { continueAfter, placementsIn, sideOf, type Name, type Side, type Sides } from './sides.js';
import { silentClusters, snapshotWhile, unnoticedIn, type SilentClusters, type Unnoticed } from './silence.js';
import { WorldInputs, type PlacementInput, type World } from '../world/world.js';
import { isHeld, isKeptOutByPause, keptOut } from '../../domain/placement/select/decision.js';

/**
 * What becomes of the decisions when clusters are lost, such as those of a region: they fall silent, the hub taints them, and each
 * Placement replaces those that it can. What is decided is what the controller would decide.
 */

/**
 * What a loss does to a Placement, the worst first: it has no cluster left that is not lost; it has fewer than before, and too few;
 * others are selected, or fewer, and the Placement is satisfied.
 */
export type LossEffect = 'Empty' | 'Short' | 'Moves' | 'None';

export interface PlacementLoss {
  readonly plan: PlacementPlan;
  readonly effect: LossEffect;
  /** One cluster that is not lost is selected then and no other can take its place, and that is so because of the loss. */
  readonly isOnLast: boolean;
}

/** One value of a key, and what the loss of its clusters does to Placements. */
export interface ValueLoss {
  readonly value: string;
  readonly clusters: number;
  /** Those that select other clusters then, by namespace and name. */
  readonly placements: readonly ConcernedPlacement[];
  /** Whom of the clusters the hub does not taint. */
  readonly unnoticed: Unnoticed;
}

export interface ConcernedPlacement extends Name {
  readonly effect: Exclude<LossEffect, 'None'>;
}

export interface FleetLoss {
  /** Of every Placement, by namespace and name. */
  readonly losses: readonly PlacementLoss[];
  /** Whom of the lost clusters the hub does not taint. */
  readonly unnoticed: Unnoticed;
}

/** What the loss of clusters does. `why`: of each. */
export function planLoss(world: World, why: ReadonlyMap<string, string>, computing: Computing = {}): FleetLoss {
  const names = placementsIn(world);
  const inputs = inputsOf(world, names, computing);
  const silent = silentClusters(inputs.before, why.keys());
  const moving: Sides[] = [];
  const losses = names.map((name): PlacementLoss => {
    if (!inputs.before.isKnown) return { plan: unknownPlan(name), effect: 'None', isOnLast: false };
    return lossOf(name, { ...inputs, why, silent, moving });
  });
  const plans = withMoves(
    losses.map(({ plan }) => plan),
    moving,
  );
  return {
    losses: losses.map((one, index) => ({ ...one, plan: plans[index] ?? one.plan })),
    unnoticed: unnoticedIn(world, inputs.before)(why.keys()),
  };
}

interface Losing extends InputsOfLoss {
  readonly why: ReadonlyMap<string, string>;
  readonly silent: SilentClusters;
  readonly moving: Sides[];
}

function lossOf(name: Name, { before: inputs, after: inputsAfter, why, silent, moving }: Losing): PlacementLoss {
  const before = sideOf(inputs.input(name), inputs);
  const published = before && publishedInput(name, before, inputsAfter);
  const after = published && sideOf({ ...published, snapshot: snapshotWhile(published.snapshot, silent) }, inputsAfter);
  const sides = { before, after };
  if (mayMoveOn(sides)) moving.push(sides);
  const plan = planPlacement(name, sides, inputs);
  if (before === undefined || published === undefined || after === undefined)
    return { plan, effect: 'None', isOnLast: false };
  const isLast = ({ forecast }: Side, lost: SilentClusters): boolean => {
    const [last, ...others] = servingClusters(forecast, lost);
    if (last === undefined || others.length > 0) return false;
    const all = new Map([...lost, ...silentClusters(inputs, [last])]);
    return servingClusters(forecastOf(snapshotWhile(published.snapshot, all)), all).length === 0;
  };
  return {
    plan: withLost(plan, after, why),
    effect: lossEffect(before.forecast, after.forecast, silent),
    isOnLast: isLast(after, silent) && !isLast(before, new Map()),
  };
}

/** The plan with why clusters are lost, and with those that stay in the decision nevertheless. */
function withLost(plan: PlacementPlan, after: Side, why: ReadonlyMap<string, string>): PlacementPlan {
  const isLost = ({ name }: { readonly name: string }): boolean => why.has(name);
  const lostText = (name: string, rest: string): string => `${why.get(name)}; ${rest}`;
  const removes = plan.removes.map((one): PlannedRemoval => ({ ...one, why: why.get(one.name) ?? one.why }));
  const adds = plan.adds.map((one) => (isLost(one) ? { ...one, why: lostText(one.name, one.why) } : one));
  const held = plan.held.map((one) => (isLost(one) ? { ...one, why: lostText(one.name, one.why) } : one));
  const staying = plan.stays.filter((name) => why.has(name));
  if (staying.length === 0) return { ...plan, removes, adds, held };
  const kept = staying.map((name): PlannedRemoval => {
    return { name, cause: 'Tainted', why: lostText(name, stayText(name, after)) };
  });
  const all = [...held, ...kept].sort((a, b) => (a.name < b.name ? -1 : 1));
  const stays = plan.stays.filter((name) => !why.has(name));
  return { ...plan, kind: plan.kind === 'Unchanged' ? 'Changed' : plan.kind, removes, adds, held: all, stays };
}

/** Why a decision keeps a cluster that is silent. */
function stayText(name: string, { input: { snapshot }, forecast: { schedule } }: Side): string {
  const { rules } = snapshot.placement;
  if (rules.problem !== undefined) return 'stays while the spec is invalid';
  const fate = schedule.fates.get(name);
  if (fate?.kind === 'stays' || (fate?.kind === 'held' && fate.yields !== undefined))
    return rules.wanted === undefined
      ? 'stays, since every cluster that matches is wanted'
      : `stays, and ${placeText(isKeptOutByPause(schedule))}`;
  return `stays: ${selectedTaintsText({ cluster: snapshot.selected.get(name), inDecision: true }, rules) ?? ''}`;
}

/** The clusters of a decision that are not lost. */
function servingClusters({ clusters }: Forecast, lost: SilentClusters): readonly string[] {
  return clusters.filter((name) => !lost.has(name));
}

interface InputsOfLoss {
  readonly before: WorldInputs;
  readonly after: WorldInputs;
}

/** The inputs before and after a loss: two of them only where what was decided of a Placement counts for others. */
function inputsOf(world: World, names: readonly Name[], { known, onDecision }: Computing): InputsOfLoss {
  const before = new WorldInputs(world, known, onDecision);
  if (!before.isKnown || !before.isBalanced) return { before, after: before };
  const after = new WorldInputs(world, before);
  continueAfter(names, before, after);
  return { before, after };
}

/**
 * What the loss of the clusters of each value does, the worst first: by the Placements that are empty then, by those that are
 * short, by those that move, and by clusters. `values`: cluster → value. In
 * O(Placements × candidates) for each value of whose clusters a Placement selects one.
 */
export function lossOfEach(
  world: World,
  values: ReadonlyMap<string, string>,
  { onProgress, ...computing }: ComputingEach = {},
): readonly ValueLoss[] {
  const names = placementsIn(world);
  const { before: inputs, after } = inputsOf(world, names, computing);
  const unnoticed = unnoticedIn(world, inputs);
  const rowOf = ([value, lost]: readonly [string, readonly string[]]): readonly [string, Row] => {
    const of = { silent: silentClusters(inputs, lost), unnoticed: unnoticed(lost) };
    return [value, { value, clusters: lost.length, ...of, placements: [], more: new Map() }];
  };
  const rows = new Map(Array.from(byValue(values), rowOf));
  for (const [index, name] of inputs.isKnown ? names.entries() : []) {
    const before = sideOf(inputs.input(name), inputs);
    if (before !== undefined) addEffects({ rows, values, after, computing }, name, before);
    onProgress?.(index + 1, names.length);
  }
  return [...rows.values()].sort(worstFirst);
}

export interface ComputingEach extends Computing {
  /** Runs after each Placement. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

/** A {@link ValueLoss} that is not complete yet. */
interface Row extends ValueLoss {
  readonly silent: SilentClusters;
  readonly placements: ConcernedPlacement[];
  /** By how many more of the Placements so far a cluster is selected than before. */
  readonly more: Map<string, number>;
}

function byValue(values: ReadonlyMap<string, string>): ReadonlyMap<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, value] of values) {
    const group = groups.get(value);
    if (group === undefined) groups.set(value, [name]);
    else group.push(name);
  }
  return groups;
}

interface Losses {
  readonly rows: ReadonlyMap<string, Row>;
  readonly values: ReadonlyMap<string, string>;
  readonly after: WorldInputs;
  readonly computing: Computing;
}

function addEffects({ rows, values, after, computing }: Losses, name: Name, before: Side): void {
  const published = publishedInput(name, before, after);
  for (const value of valuesThatMatter(before.forecast, rows, values)) {
    computing.onDecision?.();
    const row = rows.get(value);
    if (row === undefined || published.deleting) continue;
    const forecast = forecastOf(counting(row.more, snapshotWhile(published.snapshot, row.silent)));
    const effect = lossEffect(before.forecast, forecast, row.silent);
    if (effect === 'None') continue;
    row.placements.push({ ...name, effect });
    for (const cluster of before.forecast.clusters) row.more.set(cluster, (row.more.get(cluster) ?? 0) - 1);
    for (const cluster of forecast.clusters) row.more.set(cluster, (row.more.get(cluster) ?? 0) + 1);
  }
}

/** The snapshot with what was decided of other Placements while the clusters are silent. */
function counting(more: Row['more'], snapshot: PlacementSnapshot): PlacementSnapshot {
  const { othersSelecting } = snapshot;
  if (othersSelecting === noOthers) return snapshot;
  return { ...snapshot, othersSelecting: (name) => othersSelecting(name) + (more.get(name) ?? 0) };
}

/**
 * A Placement that selects all that it wants changes only with a cluster that it selects. One that selects too few may be kept
 * from others by a cluster that it does not select.
 */
function valuesThatMatter(
  { satisfied, schedule: decided, clusters }: Forecast,
  rows: ReadonlyMap<string, Row>,
  values: ReadonlyMap<string, string>,
): Iterable<string> {
  if (satisfied.status !== 'True' || keptOut(decided, isHeld).length > 0) return rows.keys();
  return new Set(clusters.map((name) => values.get(name)).filter((value) => value !== undefined));
}

/** Those of the Placements on which the loss has this effect, or a worse one. */
export function atLeast(
  { placements }: Pick<ValueLoss, 'placements'>,
  effect: ConcernedPlacement['effect'],
): readonly ConcernedPlacement[] {
  return placements.filter((one) => WORST.indexOf(one.effect) <= WORST.indexOf(effect));
}

const WORST = ['Empty', 'Short', 'Moves'] as const;

function worstFirst(a: ValueLoss, b: ValueLoss): number {
  for (const effect of WORST) {
    const more = atLeast(b, effect).length - atLeast(a, effect).length;
    if (more !== 0) return more;
  }
  return b.clusters - a.clusters || (a.value < b.value ? -1 : 1);
}

/** The Placement once its decision of before is published. */
function publishedInput(name: Name, { input, forecast }: Side, after: WorldInputs): PlacementInput {
  return after.input(name, forecast.published) ?? input;
}

function lossEffect(before: Forecast, after: Forecast, lost: SilentClusters): LossEffect {
  const serving = servingClusters(after, lost);
  const isFewer = serving.length < before.clusters.length;
  if (isFewer && serving.length === 0) return 'Empty';
  if (isFewer && after.satisfied.status !== 'True') return 'Short';
  return sameList(before.clusters, serving) ? 'None' : 'Moves';
}
