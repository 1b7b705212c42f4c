import { laterMoves } from './movesahead.js';
import { orderedPlans, plansApart, type ApartPlan } from './apart.js';
import { altering, worldsOf, type Change } from '../world/overlay.js';
import { planLoss, type PlacementLoss } from './loss.js';
import { planFleet, type Computing } from './fleetplan.js';
import type { Changed } from './changed.js';
import type { PlacementPlan } from './plan.js';
import { refusedDeletions, type Refusal } from './refusals.js';
import type { Name } from './sides.js';
import type { Unnoticed } from './silence.js';
import type { World } from '../world/world.js';
import type { FleetReading } from '../world/worlds.js';

/** The most changes of one Placement: a number, or a share of the clusters selected before. */
export interface ChangeLimit {
  readonly kind: 'number' | 'percent';
  readonly value: number;
}

/** How many clusters a Placement may lose or gain at most; absent without a limit. */
export interface ChangeLimits {
  readonly maxRemovals?: ChangeLimit | undefined;
  readonly maxAdditions?: ChangeLimit | undefined;
}

/** A Placement that would lose more clusters than it may, or gain more; one of the two numbers is there. */
export interface Excess {
  readonly namespace: string;
  readonly name: string;
  readonly removals?: number;
  readonly additions?: number;
  /** How many of them by moves that follow later. */
  readonly moves?: number;
  readonly selected: number;
  readonly most: number;
}

/** Everything that the command shows. */
export interface PlanReport {
  /** All Placements, sorted by namespace and name. */
  readonly placements: readonly PlacementPlan[];
  /** Of the Placements of which it differs, what the changes do when they are written slowly; undefined: it is not computed. */
  readonly apart: ReadonlyMap<PlacementPlan, ApartPlan> | undefined;
  readonly refusals: readonly Refusal[];
  readonly exceeded: readonly Excess[];
  /** What was read before the change. */
  readonly reading: FleetReading;
  readonly totals: PlanTotals;
  /** Of clusters that are lost; undefined for a change. */
  readonly loss?: LossReport;
}

/** What a loss does, besides what the plans say; Placements by namespace and name. */
export interface LossReport {
  /** The lost clusters, sorted, and of how many. */
  readonly clusters: readonly string[];
  readonly of: number;
  readonly short: readonly Name[];
  readonly empty: readonly Name[];
  readonly onLast: readonly Name[];
  /** Whom of them the hub does not taint, so that what is planned follows only when somebody else does. */
  readonly unnoticed: Unnoticed;
}

export interface PlanTotals {
  /** Clusters, counted once for each Placement. */
  readonly add: number;
  readonly remove: number;
  readonly stay: number;
  /** Those that are held, or wait. */
  readonly held: number;
  /** Moves that follow; undefined where none does. */
  readonly moves?: number;
  /** Clusters that come in after a move; left out for none. */
  readonly addLater?: number;
  /** Those of `held` that wait, for the end of a pause or for a change window; left out for none. */
  readonly waiting?: number;
  /** Those of `waiting` that wait for the end of a pause; left out for none. */
  readonly paused?: number;
  /** Placements. */
  readonly changed: number;
  readonly unknown: number;
  readonly placements: number;
}

/** For how many clusters the rules are judged at most, to know what slow writes do: some ten seconds. */
const MOST_JUDGED = 20_000_000;

export function planReport(
  reading: FleetReading,
  { after, writes }: Changed,
  limits: ChangeLimits & Computing,
): PlanReport {
  const { world: before } = reading;
  const placements = planFleet(before, after, limits);
  const apart = apartOf(before, writes, orderedPlans(placements), limits);
  return { ...reportOf(reading, placements, apart, limits), refusals: refusedDeletions(before, after) };
}

/** The report when the clusters fall silent. `why`: of each. */
export function lossReport(
  reading: FleetReading,
  why: ReadonlyMap<string, string>,
  limits: ChangeLimits & Computing,
): PlanReport & { readonly loss: LossReport } {
  const { world } = reading;
  const { losses, unnoticed } = planLoss(world, why, limits);
  const namesOf = (isMeant: (one: PlacementLoss) => boolean): readonly Name[] =>
    losses.filter(isMeant).map(({ plan: { namespace, name } }) => ({ namespace, name }));
  const placements = losses.map(({ plan }) => plan);
  return {
    ...reportOf(reading, placements, new Map(), limits),
    loss: {
      clusters: [...why.keys()].sort(),
      of: world.objects.managedclusters.length,
      short: namesOf(({ effect }) => effect === 'Short' || effect === 'Empty'),
      empty: namesOf(({ effect }) => effect === 'Empty'),
      onLast: namesOf(({ isOnLast }) => isOnLast),
      unnoticed,
    },
  };
}

function reportOf(
  reading: FleetReading,
  placements: readonly PlacementPlan[],
  apart: PlanReport['apart'],
  limits: ChangeLimits,
): PlanReport {
  const exceeded = placements.flatMap((one) => excessesOf(one, apart?.get(one), limits));
  return { placements, apart, refusals: [], exceeded, reading, totals: totalsOf(placements) };
}

/** Undefined where it would take too long. */
function apartOf(
  before: World,
  writes: readonly Change[],
  plans: readonly PlacementPlan[],
  { onDecision }: Computing,
): ReadonlyMap<PlacementPlan, ApartPlan> | undefined {
  if (plans.length === 0 || writes.length < 2) return new Map();
  const mostWrites = MOST_JUDGED / ((plans.length + 1) * before.objects.managedclusters.length);
  if (writes.length > mostWrites) return undefined;
  return plansApart(worldsOf(before, altering(before, writes)), plans, onDecision);
}

/** Whether the change does anything to the Placement. */
export function isChange({ kind }: PlacementPlan): boolean {
  return kind !== 'Unchanged' && kind !== 'Unknown';
}

function totalsOf(placements: readonly PlacementPlan[]): PlanTotals {
  const sum = (count: (one: PlacementPlan) => number): number =>
    placements.reduce((total, one) => total + count(one), 0);
  const moves = sum((one) => laterMoves(one).length);
  const addLater = sum((one) => one.addLater.length);
  const waiting = sum(({ held }) => held.filter(({ waitsFor }) => waitsFor !== undefined).length);
  const paused = sum(({ held }) => held.filter(({ waitsFor }) => waitsFor === 'paused').length);
  return {
    ...(waiting > 0 && { waiting }),
    ...(paused > 0 && { paused }),
    add: sum(({ adds }) => adds.length),
    remove: sum(({ removes }) => removes.length),
    stay: sum(({ stays }) => stays.length),
    held: sum(({ held }) => held.length),
    ...(moves > 0 && { moves }),
    ...(addLater > 0 && { addLater }),
    changed: placements.filter(isChange).length,
    unknown: placements.filter(({ kind }) => kind === 'Unknown').length,
    placements: placements.length,
  };
}

/**
 * A percentage is rounded up, as that of a PodDisruptionBudget; of additions it is of one cluster at least. The changes may be
 * written together or slowly: the larger number counts. A move counts as a removal of the cluster that it leaves, since the
 * workload leaves it, and as an addition of the one that it goes to, and so does what comes in after it.
 */
function excessesOf(
  plan: PlacementPlan,
  apart: ApartPlan | undefined,
  { maxRemovals, maxAdditions }: ChangeLimits,
): readonly Excess[] {
  const { namespace, name, before, removes, adds, moves, addLater } = plan;
  const first = new Set(before?.clusters);
  const leaving = moves.map(({ from }) => from).filter((one) => first.has(one));
  const coming = [...moves.map(({ to }) => to), ...addLater.map((one) => one.name)].filter((one) => !first.has(one));
  const excessOf = (
    kind: 'removals' | 'additions',
    now: readonly string[],
    { later, most: limit }: { readonly later: readonly string[]; readonly most: number },
  ): readonly Excess[] => {
    const all = new Set([...now, ...later]).size;
    if (all <= limit) return [];
    const byMoves = all - new Set(now).size;
    return [
      { namespace, name, [kind]: all, ...(byMoves > 0 && { moves: byMoves }), selected: first.size, most: limit },
    ];
  };
  const longer = (planned: readonly { readonly name: string }[], slowly: readonly string[] = []): readonly string[] =>
    slowly.length > planned.length ? slowly : planned.map((one) => one.name);
  return [
    ...excessOf('removals', longer(removes, apart?.leave), { later: leaving, most: most(maxRemovals, first.size) }),
    ...excessOf('additions', longer(adds, apart?.come), {
      later: coming,
      most: most(maxAdditions, Math.max(first.size, 1)),
    }),
  ];
}

function most(limit: ChangeLimit | undefined, of: number): number {
  if (limit === undefined) return Infinity;
  return limit.kind === 'number' ? limit.value : Math.ceil((of * limit.value) / 100);
}
