import { sameList } from '../placement/stored/items.js';
import { schedule, selectedClusters } from '../placement/select/schedule.js';
import { noOthers, type PlacementSnapshot } from '../placement/select/snapshot.js';
import { forecastOf, type Forecast } from './forecast.js';
import { mayMoveOn, withMoves } from './fleetplan.js';
import { planPlacement, unknownPlan, type PlacementPlan, type PlannedRemoval } from './plan.js';
import { continueAfter, placementsIn, sideOf, type Name, type Side, type Sides } from './sides.js';
import { finished, type Steps } from './steps.js';
import { inputWithout, lostClusters, type LostClusters } from './without.js';
import { WorldInputs, type PlacementInput, type World } from './world.js';

/**
 * What becomes of the decisions when clusters are lost for good, such as those of a region: what each Placement selects without
 * them in the end. No bound holds a lost cluster in a decision. All other clusters stay or come in as always.
 */

/**
 * What a loss does to a Placement, the worst first: it has no cluster left; it has fewer than before, and too few; other clusters
 * are selected, but enough of them.
 */
export type LossEffect = 'Empty' | 'Short' | 'Moves' | 'None';

export interface PlacementLoss {
  readonly plan: PlacementPlan;
  readonly effect: LossEffect;
  /** One cluster is selected then and no other can take its place, and that is so because of the loss. */
  readonly isOnLast: boolean;
}

/** One value of a key, and what the loss of its clusters does to Placements. */
export interface ValueLoss {
  readonly value: string;
  readonly clusters: number;
  /** Those that select other clusters then, by namespace and name. */
  readonly placements: readonly ConcernedPlacement[];
}

export interface ConcernedPlacement extends Name {
  readonly effect: Exclude<LossEffect, 'None'>;
}

/** What the loss does to every Placement, by namespace and name, with a step for each. `why`: of each lost cluster. */
export function* planLossSteps(world: World, why: ReadonlyMap<string, string>): Steps<readonly PlacementLoss[]> {
  const names = placementsIn(world);
  const inputs = yield* inputsOf(world, names);
  const lost = lostClusters(inputs.before, why.keys());
  const moving: Sides[] = [];
  const losses: PlacementLoss[] = [];
  for (const name of names) {
    yield;
    losses.push(
      inputs.before.isKnown
        ? lossOf(name, { ...inputs, why, lost, moving })
        : { plan: unknownPlan(name), effect: 'None', isOnLast: false },
    );
  }
  const plans = yield* withMoves(
    losses.map(({ plan }) => plan),
    moving,
  );
  return losses.map((one, index) => ({ ...one, plan: plans[index] ?? one.plan }));
}

interface Losing extends InputsOfLoss {
  readonly why: ReadonlyMap<string, string>;
  readonly lost: LostClusters;
  readonly moving: Sides[];
}

function lossOf(name: Name, { before: inputs, after: inputsAfter, why, lost, moving }: Losing): PlacementLoss {
  const before = sideOf(inputs.input(name), inputs);
  const published = before && publishedInput(name, before, inputsAfter);
  const after = published && sideOf(inputWithout(inputsAfter, published, lost), inputsAfter);
  const sides = { before, after };
  if (mayMoveOn(sides)) moving.push(sides);
  const plan = planPlacement(name, sides, inputs);
  if (before === undefined || published === undefined || after === undefined)
    return { plan, effect: 'None', isOnLast: false };
  const removes = plan.removes.map((one): PlannedRemoval => {
    const text = why.get(one.name);
    return text === undefined ? one : { ...one, cause: 'Gone', why: text };
  });
  const isLast = ({ forecast }: Side, without: Iterable<string>): boolean =>
    isOnLast(forecast, (last) => inputWithout(inputsAfter, published, lostClusters(inputs, [...without, last])));
  return {
    plan: { ...plan, removes },
    effect: lossEffect(before.forecast, after.forecast),
    isOnLast: isLast(after, lost.names) && !isLast(before, []),
  };
}

interface InputsOfLoss {
  readonly before: WorldInputs;
  readonly after: WorldInputs;
}

/** The inputs before and after a loss: two of them only where what was decided of a Placement counts for others. */
function* inputsOf(world: World, names: readonly Name[]): Steps<InputsOfLoss> {
  const before = new WorldInputs(world);
  if (!before.isKnown || !before.isBalanced) return { before, after: before };
  const after = new WorldInputs(world, before);
  yield* continueAfter(names, before, after);
  return { before, after };
}

/**
 * What the loss of the clusters of each value does, the worst first: by the Placements that are empty then, by those that are
 * short, by those that move, and by clusters. `values`: cluster → value. `onProgress` runs after each Placement. In
 * O(Placements × candidates) for each value of whose clusters a Placement selects one.
 */
export function lossOfEach(
  world: World,
  values: ReadonlyMap<string, string>,
  onProgress?: (done: number, all: number) => void,
): readonly ValueLoss[] {
  return finished(lossOfEachSteps(world, values, onProgress));
}

/** The same, with a step for each Placement and each value that concerns it. */
export function* lossOfEachSteps(
  world: World,
  values: ReadonlyMap<string, string>,
  onProgress: (done: number, all: number) => void = () => {},
): Steps<readonly ValueLoss[]> {
  const names = placementsIn(world);
  const { before: inputs, after } = yield* inputsOf(world, names);
  const rows = new Map(Array.from(byValue(values), ([value, lost]) => [value, rowOf(value, inputs, lost)]));
  for (const [index, name] of inputs.isKnown ? names.entries() : []) {
    const before = sideOf(inputs.input(name), inputs);
    if (before !== undefined) yield* addEffects({ rows, values, after }, name, before);
    onProgress(index + 1, names.length);
  }
  return [...rows.values()].sort(worstFirst);
}

/** A {@link ValueLoss} that is not complete yet. */
interface Row extends ValueLoss {
  readonly lost: LostClusters;
  readonly placements: ConcernedPlacement[];
  /** By how many more of the Placements so far a cluster is selected than before. */
  readonly more: Map<string, number>;
}

function rowOf(value: string, inputs: WorldInputs, names: readonly string[]): Row {
  return { value, clusters: names.length, lost: lostClusters(inputs, names), placements: [], more: new Map() };
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
}

function* addEffects({ rows, values, after }: Losses, name: Name, before: Side): Steps<void> {
  const published = publishedInput(name, before, after);
  for (const value of valuesThatMatter(before.forecast, rows, values)) {
    yield;
    const row = rows.get(value);
    if (row === undefined || published.deleting) continue;
    const forecast = forecastOf(counting(row.more, inputWithout(after, published, row.lost).snapshot));
    const effect = lossEffect(before.forecast, forecast);
    if (effect === 'None') continue;
    row.placements.push({ ...name, effect });
    for (const cluster of before.forecast.clusters) row.more.set(cluster, (row.more.get(cluster) ?? 0) - 1);
    for (const cluster of forecast.clusters) row.more.set(cluster, (row.more.get(cluster) ?? 0) + 1);
  }
}

/** The snapshot with what was decided of other Placements without the lost clusters. */
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
  if (satisfied.status !== 'True' || decided.heldAdditions.length > 0) return rows.keys();
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

function lossEffect(before: Forecast, after: Forecast): LossEffect {
  const isFewer = after.clusters.length < before.clusters.length;
  if (isFewer && after.clusters.length === 0) return 'Empty';
  if (isFewer && after.satisfied.status !== 'True') return 'Short';
  return sameList(before.clusters, after.clusters) ? 'None' : 'Moves';
}

/** Whether one cluster is selected, and none would be without that one too. */
function isOnLast({ clusters }: Forecast, without: (last: string) => PlacementInput): boolean {
  const [last, ...others] = clusters;
  if (last === undefined || others.length > 0) return false;
  return selectedClusters(schedule(without(last).snapshot)).length === 0;
}
