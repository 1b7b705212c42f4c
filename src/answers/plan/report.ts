import { laterMoves } from './movesahead.js';
import { plansApart } from './apart.js';
import { planLoss, type PlacementLoss } from './loss.js';
import { planFleet, type ComputeOptions } from './plan.js';
import type { Changed } from './changed.js';
import {
  isChange,
  type Excess,
  type Name,
  type PlanDocument,
  type PlannedPlacement,
  type PlanTotals,
  type Refusal,
} from './document.js';
import { excessText, totalText } from './text.js';
import { conditionIn } from '../../domain/conditions.js';
import { IN_USE_CONDITION } from '../../api/clusterreasons.js';
import { ALLOW_DELETION_ANNOTATION } from '../../api/names.js';
import type { RawObject } from '../../runtime/vocabulary/meta.js';
import { CLI_API_VERSION } from '../output.js';
import { limitsOf, type FleetReading } from '../world/worlds.js';
import type { World } from '../world/world.js';

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

/** What is planned. */
export interface PlanReport {
  readonly document: PlanDocument;
  /** Whether all moves that follow are counted. If not, a limit may be exceeded although `exceeded` is empty. */
  readonly isCounted: boolean;
}

/** The plan of a change. */
export function planReport(reading: FleetReading, changed: Changed, limits: ChangeLimits & ComputeOptions): PlanReport {
  const { world } = reading;
  const plans = planFleet(world, changed.after, limits);
  const apart = plansApart(world, changed, plans, limits.onDecision);
  const refusals = refusedDeletions(world, changed.after);
  const placements = plans.map((one) => ({ ...one, apart: apart?.get(one) }));
  return reportOf(reading, placements, { refusals, apartComputed: apart === undefined ? false : undefined }, limits);
}

/** The plan when clusters fall silent. `why`: why each cluster does, by its name. */
export function lossReport(
  reading: FleetReading,
  why: ReadonlyMap<string, string>,
  limits: ChangeLimits & ComputeOptions,
): PlanReport {
  const { losses, unnoticed } = planLoss(reading.world, why, limits);
  const namesOf = (isMeant: (one: PlacementLoss) => boolean): readonly Name[] =>
    losses.filter(isMeant).map(({ plan: { namespace, name } }) => ({ namespace, name }));
  const loss = {
    clusters: [...why.keys()].sort(),
    short: namesOf(({ effect }) => effect === 'Short' || effect === 'Empty'),
    empty: namesOf(({ effect }) => effect === 'Empty'),
    onLastCluster: namesOf(({ isOnLast }) => isOnLast),
    ...unnoticed,
  };
  const placements = losses.map(({ plan }) => plan);
  return reportOf(reading, placements, { refusals: [], loss }, limits);
}

function reportOf(
  reading: FleetReading,
  plans: readonly PlannedPlacement[],
  { apartComputed, refusals, loss }: Pick<PlanDocument, 'apartComputed' | 'refusals' | 'loss'>,
  limits: ChangeLimits,
): PlanReport {
  const totals = totalsOf(plans);
  return {
    document: {
      apiVersion: CLI_API_VERSION,
      kind: 'PlacementPlan',
      summary: { ...totals, text: `Plan: ${totalText(totals)}` },
      placements: plans.filter((one) => one.change !== 'Unchanged'),
      apartComputed,
      refusals,
      exceeded: plans.flatMap((one) => excessesOf(one, limits)),
      loss,
      ...limitsOf(reading),
    },
    isCounted: plans.every(({ movesComputed }) => movesComputed !== false),
  };
}

/**
 * The sets that are deleted between two worlds although their condition InUse is True, sorted by name: the policy
 * `multicluster-engine-in-use` refuses it. An annotation allows it.
 */
function refusedDeletions(before: World, after: World): readonly Refusal[] {
  const left = new Map(after.objects.managedclustersets.map((one) => [one.metadata.name, one]));
  return before.objects.managedclustersets
    .filter((one) => !isDeleting(one) && isDeleting(left.get(one.metadata.name)))
    .filter(
      (one) =>
        conditionIn(one.status, IN_USE_CONDITION)?.['status'] === 'True' &&
        one.metadata.annotations?.[ALLOW_DELETION_ANNOTATION] !== 'true',
    )
    .map(({ metadata }): Refusal => ({ kind: 'ManagedClusterSet', name: metadata.name, reason: 'InUse' }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether the object is being deleted, or does not exist. */
function isDeleting(object: RawObject | undefined): boolean {
  return object?.metadata.deletionTimestamp !== undefined || object === undefined;
}

function totalsOf(placements: readonly PlannedPlacement[]): PlanTotals {
  const sum = (count: (one: PlannedPlacement) => number): number =>
    placements.reduce((total, one) => total + count(one), 0);
  const moves = sum((one) => laterMoves(one).length);
  const addLater = sum((one) => one.addLater?.length ?? 0);
  const waiting = sum(({ held }) => held.filter(({ waitsFor }) => waitsFor !== undefined).length);
  const lost = sum(({ held }) => held.filter((one) => one.lost).length);
  const already = sum(({ held }) => held.filter((one) => one.already).length);
  const paused = sum(({ held }) => held.filter(({ waitsFor }) => waitsFor === 'paused').length);
  return {
    ...(already > 0 && { already }),
    ...(waiting > 0 && { waiting }),
    ...(paused > 0 && { paused }),
    ...(lost > 0 && { lost }),
    add: sum((one) => one.add.length),
    remove: sum((one) => one.remove.length),
    stay: sum((one) => one.stay.length),
    held: sum(({ held }) => held.length),
    ...(moves > 0 && { moves }),
    ...(addLater > 0 && { addLater }),
    changed: placements.filter(isChange).length,
    unknown: placements.filter(({ change }) => change === 'Unknown').length,
    placements: placements.length,
  };
}

/**
 * A percentage is rounded up, as that of a PodDisruptionBudget; of additions it is of one cluster at least. The changes may be
 * written together or slowly: the larger number counts. A move counts as a removal of the cluster that it leaves, since the
 * workload leaves it, and as an addition of the one that it goes to, and so does what comes in after it.
 */
function excessesOf(plan: PlannedPlacement, { maxRemovals, maxAdditions }: ChangeLimits): readonly Excess[] {
  const { namespace, name, remove, add, stay, held, moves = [], addLater = [], apart } = plan;
  const selected = plan.before?.selected ?? 0;
  const kept = held.filter(({ cause }) => cause !== 'HeldBack');
  const first = new Set([...stay, ...[...remove, ...kept].map((one) => one.name)]);
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
    const excess = { namespace, name, [kind]: all, ...(byMoves > 0 && { moves: byMoves }), selected, most: limit };
    return [{ ...excess, message: excessText(excess) }];
  };
  const longer = (planned: readonly { readonly name: string }[], slowly: readonly string[] = []): readonly string[] =>
    slowly.length > planned.length ? slowly : planned.map((one) => one.name);
  return [
    ...excessOf('removals', longer(remove, apart?.leave), { later: leaving, most: most(maxRemovals, selected) }),
    ...excessOf('additions', longer(add, apart?.come), {
      later: coming,
      most: most(maxAdditions, Math.max(selected, 1)),
    }),
  ];
}

function most(limit: ChangeLimit | undefined, of: number): number {
  if (limit === undefined) return Infinity;
  return limit.kind === 'number' ? limit.value : Math.ceil((of * limit.value) / 100);
}
