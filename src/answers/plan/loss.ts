import { placementsIn } from '../world/worlds.js';
import { sameList } from '../../domain/placement/stored/items.js';
import { noOthers, type PlacementSnapshot } from '../../domain/placement/select/snapshot.js';
import { forecastOf, type Forecast } from '../world/forecast.js';
import {
  plansOf,
  type ComputeOptions,
  carryDecisions,
  planPlacement,
  sideOf,
  unknownPlan,
  type Side,
  type Sides,
} from './plan.js';
import type { LossEffect, Name, PlannedPlacement, PlannedRemoval } from './document.js';
import { placeText, selectedTaintsText } from '../../domain/placement/explain/taints.js';
import { silentClusters, snapshotWhile, unnoticedIn, type SilentClusters, type Unnoticed } from './lose.js';
import { inputsOf, grouped, WorldInputs, type PlacementInput, type World } from '../world/world.js';
import { isKeptOutByPause, keptOut } from '../../domain/placement/select/decision.js';
import { isHold } from '../../domain/placement/select/holders.js';

/**
 * What becomes of the decisions when clusters are lost, such as those of a region: they fall silent, the hub taints them, and each
 * Placement replaces those that it can. What is decided is what the controller would decide.
 */

export interface PlacementLoss {
  readonly plan: PlannedPlacement;
  readonly effect: LossEffect;
  /** One cluster that is not lost is selected then and no other can take its place, and that is so because of the loss. */
  readonly isOnLast: boolean;
}

/** One value of a key, and what the loss of its clusters does to Placements. */
export interface ValueLoss extends Unnoticed {
  readonly value: string;
  readonly clusters: number;
  /** How many Placements select other clusters then, how many of them are short, and how many of these are empty. */
  readonly move: number;
  readonly short: number;
  readonly empty: number;
  /** The Placements that select other clusters then, sorted by namespace and name. */
  readonly placements: readonly ConcernedPlacement[];
}

export interface ConcernedPlacement extends Name {
  readonly effect: Exclude<LossEffect, 'None'>;
  /** How many clusters are selected before the loss, and how many that are not lost after it. */
  readonly selected: { readonly before: number; readonly after: number };
}

export interface FleetLoss {
  /** What the loss does to each Placement, sorted by namespace and name. */
  readonly losses: readonly PlacementLoss[];
  /** Which of the lost clusters the hub does not taint. */
  readonly unnoticed: Unnoticed;
}

/** What the loss of clusters does. `why`: why each cluster is lost, by its name. */
export function planLoss(world: World, why: ReadonlyMap<string, string>, computing: ComputeOptions = {}): FleetLoss {
  const names = placementsIn(world);
  const inputs = bothInputs(world, names, computing);
  const { before } = inputs;
  const silent = silentClusters(before, why.keys());
  const effects: (typeof NO_EFFECT)[] = [];
  const plans = before.isKnown
    ? plansOf(names, (name) => {
        const { sides, plan, ...effect } = lossOf(name, { ...inputs, why, silent });
        effects.push(effect);
        return { sides, plan };
      })
    : names.map(unknownPlan);
  return {
    losses: plans.map((plan, index) => ({ plan, ...(effects[index] ?? NO_EFFECT) })),
    unnoticed: unnoticedIn(world, before)(why.keys()),
  };
}

const NO_EFFECT: Omit<PlacementLoss, 'plan'> = { effect: 'None', isOnLast: false };

interface Losing extends InputsOfLoss {
  readonly why: ReadonlyMap<string, string>;
  readonly silent: SilentClusters;
}

function lossOf(
  name: Name,
  { before: inputs, after: inputsAfter, why, silent }: Losing,
): PlacementLoss & { readonly sides: Sides } {
  const before = sideOf(inputs.input(name), inputs);
  const published = before && publishedInput(name, before, inputsAfter);
  const after = published && sideOf({ ...published, snapshot: snapshotWhile(published.snapshot, silent) }, inputsAfter);
  const sides = { before, after };
  const plan = planPlacement(name, sides, inputs);
  if (before === undefined || published === undefined || after === undefined) return { sides, plan, ...NO_EFFECT };
  const isLast = ({ forecast }: Side, lost: SilentClusters): boolean => {
    const [last, ...others] = servingClusters(forecast, lost);
    if (last === undefined || others.length > 0) return false;
    const all = new Map([...lost, ...silentClusters(inputs, [last])]);
    return servingClusters(forecastOf(snapshotWhile(published.snapshot, all)), all).length === 0;
  };
  const effect = lossEffect(before.forecast, after.forecast, silent);
  const usable = servingClusters(after.forecast, silent).length;
  const lost = withLost(plan, after, why);
  // One that was held before is held on, and yet it is lost.
  const isChanged = lost.change === 'Unchanged' && usable < before.forecast.clusters.length;
  return {
    sides,
    plan: { ...lost, ...(isChanged && { change: 'Changed' as const }), loss: { effect, usable } },
    effect,
    isOnLast: isLast(after, silent) && !isLast(before, new Map()),
  };
}

/** The plan with why clusters are lost, and with those that stay in the decision nevertheless. */
function withLost(plan: PlannedPlacement, after: Side, why: ReadonlyMap<string, string>): PlannedPlacement {
  const isLost = ({ name }: { readonly name: string }): boolean => why.has(name);
  const lostText = (name: string, rest: string): string => `${why.get(name)}; ${rest}`;
  const remove = plan.remove.map((one): PlannedRemoval => ({ ...one, why: why.get(one.name) ?? one.why }));
  const add = plan.add.map((one) => (isLost(one) ? { ...one, why: lostText(one.name, one.why) } : one));
  const held = plan.held.map((one) => (isLost(one) ? { ...one, why: lostText(one.name, one.why) } : one));
  const staying = plan.stay.filter((name) => why.has(name));
  if (staying.length === 0) return { ...plan, remove, add, held };
  const kept = staying.map((name): PlannedRemoval => {
    return { name, cause: 'Tainted', why: lostText(name, stayText(name, after)), lost: true };
  });
  const all = [...held, ...kept].sort((a, b) => (a.name < b.name ? -1 : 1));
  const stay = plan.stay.filter((name) => !why.has(name));
  return { ...plan, change: plan.change === 'Unchanged' ? 'Changed' : plan.change, remove, add, held: all, stay };
}

/** Why a decision keeps a cluster that is silent. */
function stayText(name: string, { snapshot, forecast: { decision } }: Side): string {
  const { rules } = snapshot.placement;
  if (rules.problem !== undefined) return 'stays while the spec is invalid';
  const fate = decision.fates.get(name);
  if (fate?.kind === 'stays' || (fate?.kind === 'held' && fate.yields !== undefined))
    return rules.wanted === undefined
      ? 'stays, since every cluster that matches is wanted'
      : `stays, and ${placeText(isKeptOutByPause(decision))}`;
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
function bothInputs(world: World, names: readonly Name[], { onDecision }: ComputeOptions): InputsOfLoss {
  const before = new WorldInputs(world, inputsOf(world), onDecision);
  if (!before.isKnown || !before.isBalanced) return { before, after: before };
  const after = new WorldInputs(world, before);
  carryDecisions(names, before, after);
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
  { onProgress, ...computing }: LossOfEachOptions = {},
): readonly ValueLoss[] {
  const names = placementsIn(world);
  const { before: inputs, after } = bothInputs(world, names, computing);
  const unnoticed = unnoticedIn(world, inputs);
  const lostByValue = grouped(
    values,
    ([, value]) => [value],
    ([name]) => name,
  );
  const rows = new Map(
    Array.from(lostByValue, ([value, lost]): readonly [string, Row] => {
      return [value, { value, lost, silent: silentClusters(inputs, lost), placements: [], more: new Map() }];
    }),
  );
  for (const [index, name] of inputs.isKnown ? names.entries() : []) {
    const before = sideOf(inputs.input(name), inputs);
    if (before !== undefined) {
      const { snapshot } = publishedInput(name, before, after);
      for (const row of rowsThatMatter(before.forecast, rows, values)) {
        computing.onDecision?.();
        addEffect(row, name, before.forecast, snapshot);
      }
    }
    onProgress?.(index + 1, names.length);
  }
  const losses = [...rows.values()].map(({ value, lost, placements }): ValueLoss => {
    const short = placements.filter(({ effect }) => effect !== 'Moves');
    const empty = short.filter(({ effect }) => effect === 'Empty').length;
    const counts = { clusters: lost.length, move: placements.length, short: short.length, empty };
    return { value, ...counts, placements, ...unnoticed(lost) };
  });
  return losses.sort(worstFirst);
}

export interface LossOfEachOptions extends ComputeOptions {
  /** Runs after each Placement. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

/** What is known so far of a {@link ValueLoss}. */
interface Row {
  readonly value: string;
  readonly lost: readonly string[];
  readonly silent: SilentClusters;
  readonly placements: ConcernedPlacement[];
  /** By how many more of the Placements so far a cluster is selected than before. */
  readonly more: Map<string, number>;
}

/**
 * Adds to the row what the loss does to the Placement. `snapshot`: that of the Placement once its decision `before` is published.
 */
function addEffect(row: Row, name: Name, before: Forecast, snapshot: PlacementSnapshot): void {
  const after = forecastOf(counting(row.more, snapshotWhile(snapshot, row.silent)));
  const effect = lossEffect(before, after, row.silent);
  if (effect === 'None') return;
  const selected = { before: before.clusters.length, after: servingClusters(after, row.silent).length };
  row.placements.push({ ...name, effect, selected });
  for (const cluster of before.clusters) row.more.set(cluster, (row.more.get(cluster) ?? 0) - 1);
  for (const cluster of after.clusters) row.more.set(cluster, (row.more.get(cluster) ?? 0) + 1);
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
function rowsThatMatter(
  { satisfied, decision: decided, clusters }: Forecast,
  rows: ReadonlyMap<string, Row>,
  values: ReadonlyMap<string, string>,
): Iterable<Row> {
  if (satisfied.status !== 'True' || keptOut(decided, isHold).length > 0) return rows.values();
  const lost = new Set(clusters.map((name) => values.get(name)).filter((value) => value !== undefined));
  return [...lost].flatMap((value) => rows.get(value) ?? []);
}

function worstFirst(a: ValueLoss, b: ValueLoss): number {
  const worse = b.empty - a.empty || b.short - a.short || b.move - a.move || b.clusters - a.clusters;
  return worse || (a.value < b.value ? -1 : 1);
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
