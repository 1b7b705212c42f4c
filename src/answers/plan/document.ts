import type { Problem } from '../../domain/selectors.js';
import { CLI_API_VERSION } from '../output.js';
import { limitsOf, type Limits } from '../world/withheld.js';
import type { ApartPlan } from './apart.js';
import type { LaterAdd, PlannedMove } from './movesahead.js';
import type { PlacementPlan, PlacementState, PlanKind, PlannedAdd, PlannedRegroup, PlannedRemoval } from './plan.js';
import type { Refusal } from './refusals.js';
import { isChange, type Excess, type LossReport, type PlanReport, type PlanTotals } from './report.js';
import type { Name } from './sides.js';
import { apartText, excessText, totalText } from './text.js';

/** The plan as the commands print it and the console sends it. Fields that are undefined are left out of JSON. */

/** Kind PlacementPlan (docs/reference/cli/placementplan.schema.json). */
export interface PlanDocument extends Limits {
  readonly apiVersion: typeof CLI_API_VERSION;
  readonly kind: 'PlacementPlan';
  readonly summary: PlanTotals & { readonly text: string };
  /** Those that change, and those that are not known. */
  readonly placements: readonly PlannedPlacement[];
  readonly apartComputed?: false | undefined;
  readonly refusals: readonly (Refusal & { readonly reason: 'InUse' })[];
  readonly exceeded: readonly (Excess & { readonly message: string })[];
  readonly loss?: PlannedLoss | undefined;
}

export interface PlannedPlacement {
  readonly namespace: string;
  readonly name: string;
  readonly change: PlanKind;
  /** Undefined when the Placement does not exist then, or is being deleted. */
  readonly before?: PlannedState | undefined;
  readonly after?: PlannedState | undefined;
  readonly add: readonly PlannedAdd[];
  readonly remove: readonly PlannedRemoval[];
  readonly stay: readonly string[];
  readonly held: readonly PlannedRemoval[];
  readonly moves?: readonly PlannedMove[] | undefined;
  readonly addLater?: readonly LaterAdd[] | undefined;
  readonly movesComputed?: false | undefined;
  readonly regroup?: readonly PlannedRegroup[] | undefined;
  readonly apart?: (Pick<ApartPlan, 'leave' | 'back' | 'come' | 'held'> & { readonly message: string }) | undefined;
}

export interface PlannedState extends Pick<PlacementState, 'phase' | 'satisfied'> {
  readonly selected: number;
  readonly wanted?: number | undefined;
  readonly problem?: Problem | undefined;
  readonly absentKeys?: readonly string[] | undefined;
  readonly emptyGroups?: string | undefined;
}

interface PlannedLoss {
  readonly clusters: readonly string[];
  readonly short: readonly Name[];
  readonly empty: readonly Name[];
  readonly onLastCluster: readonly Name[];
  readonly unnoticed?: readonly string[] | undefined;
  readonly braked?: true | undefined;
}

export function planDocument(report: PlanReport): PlanDocument {
  const { placements, apart, refusals, exceeded, totals, reading, loss } = report;
  return {
    apiVersion: CLI_API_VERSION,
    kind: 'PlacementPlan',
    summary: { ...totals, text: totalText(totals) },
    placements: placements
      .filter((one) => isChange(one) || one.kind === 'Unknown')
      .map((one) => placementDocument(one, apart?.get(one))),
    apartComputed: apart === undefined ? false : undefined,
    refusals: refusals.map((one) => ({ ...one, reason: 'InUse' })),
    exceeded: exceeded.map((one) => ({ ...one, message: excessText(one) })),
    loss: loss && lossDocument(loss),
    ...limitsOf(reading),
  };
}

function lossDocument({ clusters, short, empty, onLast, unnoticed }: LossReport): PlannedLoss {
  const braked = unnoticed.isBraked ? true : undefined;
  return { clusters, short, empty, onLastCluster: onLast, unnoticed: some(unnoticed.clusters), braked };
}

function some<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

function placementDocument(
  { namespace, name, kind, before, after, ...lists }: PlacementPlan,
  apart: ApartPlan | undefined,
): PlannedPlacement {
  return {
    namespace,
    name,
    change: kind,
    before: before && stateDocument(before),
    after: after && stateDocument(after),
    add: lists.adds,
    remove: lists.removes,
    stay: lists.stays,
    held: lists.held,
    moves: some(lists.moves),
    addLater: some(lists.addLater),
    movesComputed: lists.hasMoreMoves ? false : undefined,
    regroup: some(lists.regrouped),
    apart: apart && apartDocument(apart),
  };
}

function stateDocument({ phase, satisfied, clusters, rules, absentKeys, emptyGroups }: PlacementState): PlannedState {
  const { wanted, problem } = rules;
  return { phase, satisfied, selected: clusters.length, wanted, problem, absentKeys: some(absentKeys), emptyGroups };
}

function apartDocument(apart: ApartPlan): NonNullable<PlannedPlacement['apart']> {
  const { leave, back, come, held } = apart;
  return { leave, back, come, held, message: apartText(apart) };
}
