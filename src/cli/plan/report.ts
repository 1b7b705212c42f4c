import { planFleet, type PlacementPlan } from '../../domain/fleet/plan.js';
import { refusedDeletions, type Refusal } from '../../domain/fleet/refusals.js';
import type { World } from '../../domain/fleet/world.js';
import type { FleetReading } from '../fleetsource.js';

/** The most removals of one Placement: a number, or a share of the clusters selected before. */
export interface RemovalLimit {
  readonly kind: 'number' | 'percent';
  readonly value: number;
}

/** A Placement that would lose more clusters than it may. */
export interface Excess {
  readonly namespace: string;
  readonly name: string;
  readonly removals: number;
  readonly selected: number;
  readonly most: number;
}

/** Everything that the command shows. */
export interface PlanReport {
  /** All Placements, sorted by namespace and name. */
  readonly placements: readonly PlacementPlan[];
  readonly refusals: readonly Refusal[];
  readonly exceeded: readonly Excess[];
  /** What was read before the change. */
  readonly reading: FleetReading;
  readonly totals: PlanTotals;
}

export interface PlanTotals {
  /** Clusters, counted once for each Placement. */
  readonly add: number;
  readonly remove: number;
  readonly stay: number;
  readonly held: number;
  /** Placements. */
  readonly changed: number;
  readonly unknown: number;
  readonly placements: number;
}

export function planReport(reading: FleetReading, after: World, limit: RemovalLimit | undefined): PlanReport {
  const { world: before } = reading;
  const placements = planFleet(before, after);
  return {
    placements,
    refusals: refusedDeletions(before, after),
    exceeded: limit === undefined ? [] : placements.flatMap((one) => excessOf(one, limit)),
    reading,
    totals: totalsOf(placements),
  };
}

/** Whether the change does anything to the Placement. */
export function isChange({ kind }: PlacementPlan): boolean {
  return kind !== 'Unchanged' && kind !== 'Unknown';
}

function totalsOf(placements: readonly PlacementPlan[]): PlanTotals {
  const sum = (count: (one: PlacementPlan) => number): number =>
    placements.reduce((total, one) => total + count(one), 0);
  return {
    add: sum(({ adds }) => adds.length),
    remove: sum(({ removes }) => removes.length),
    stay: sum(({ stays }) => stays.length),
    held: sum(({ held }) => held.length),
    changed: placements.filter(isChange).length,
    unknown: placements.filter(({ kind }) => kind === 'Unknown').length,
    placements: placements.length,
  };
}

/** A percentage is rounded up, as that of a PodDisruptionBudget. */
function excessOf(
  { namespace, name, before, removes }: PlacementPlan,
  { kind, value }: RemovalLimit,
): readonly Excess[] {
  const selected = before?.clusters.length ?? 0;
  const most = kind === 'number' ? value : Math.ceil((selected * value) / 100);
  return removes.length > most ? [{ namespace, name, removals: removes.length, selected, most }] : [];
}
