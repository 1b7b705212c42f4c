import type { Problem } from '../../domain/selectors.js';
import type { Cause, WaitField } from '../../domain/placement/select/decision.js';
import type { Piece } from '../../domain/placement/stored/items.js';
import type { CLI_API_VERSION } from '../output.js';
import type { Forecast } from '../world/forecast.js';
import type { Limits } from '../world/withheld.js';
import type { FollowingMoves } from './movesahead.js';
import type { Unnoticed } from './silence.js';

/** A plan, as it is computed, printed and sent. Fields that are undefined are left out of JSON. */

/** Kind PlacementPlan (docs/reference/cli/placementplan.schema.json). */
export interface PlanDocument extends Limits {
  readonly apiVersion: typeof CLI_API_VERSION;
  readonly kind: 'PlacementPlan';
  readonly summary: PlanTotals & { readonly text: string };
  /** Those that change, and those that are not known; by namespace and name. */
  readonly placements: readonly PlannedPlacement[];
  /** False: what the changes do one after another would take too long to compute; otherwise absent. */
  readonly apartComputed?: false | undefined;
  readonly refusals: readonly Refusal[];
  readonly exceeded: readonly Excess[];
  /** Of clusters that are lost; undefined for a change. */
  readonly loss?: PlannedLoss | undefined;
}

export interface Name {
  readonly namespace: string;
  readonly name: string;
}

/**
 * `Unknown`: objects that it depends on could not be read, so `before` and `after` are undefined and all lists are empty.
 * `Changed`: some cluster comes in or leaves, other ones are held or wait, phase, reason or the wanted number differ, or a key or
 * a group is new that no cluster has.
 */
export type PlanKind = 'Created' | 'Deleted' | 'Changed' | 'Unchanged' | 'Unknown';

export interface PlannedPlacement extends Name, FollowingMoves {
  readonly change: PlanKind;
  /** Undefined when the Placement does not exist then, or is being deleted. */
  readonly before?: PlannedState | undefined;
  readonly after?: PlannedState | undefined;
  /** These lists are sorted by name. */
  readonly add: readonly PlannedAdd[];
  readonly remove: readonly PlannedRemoval[];
  readonly stay: readonly string[];
  /** Those of the decision that are held or wait, and those that are kept out of it. */
  readonly held: readonly PlannedRemoval[];
  readonly regroup?: readonly PlannedRegroup[] | undefined;
  /** What the changes do when they are written one after another, where that differs. */
  readonly apart?: PlannedApart | undefined;
}

/** A Placement before or after the change. */
export interface PlannedState extends Pick<Forecast, 'phase' | 'satisfied'> {
  readonly selected: number;
  /** Undefined: all that match. */
  readonly wanted?: number | undefined;
  readonly problem?: Problem | undefined;
  /** What is said of each key of spread, scores, groups and details that no matching cluster has. */
  readonly absentKeys?: readonly string[] | undefined;
  /** What is said of groups without a cluster. */
  readonly emptyGroups?: string | undefined;
}

/** A cluster that comes in. */
export interface PlannedAdd {
  readonly name: string;
  /** The first predicate that it matches; undefined without predicates. */
  readonly predicate: number | undefined;
  readonly why: string;
  /** Undefined without prioritizers. */
  readonly score?: number;
  /** The piece of a group that it comes into; undefined without groups. */
  readonly piece?: PieceName;
}

/** A cluster that leaves, or that is held or waits where it would; `HeldBack`: it would come in, and is kept out. */
export interface PlannedRemoval {
  readonly name: string;
  readonly cause: Cause | 'PlacementDeleted' | 'HeldBack';
  readonly why: string;
  /** Of one that is not needed any more; undefined without prioritizers. */
  readonly score?: number;
  /** The field of the spec that it waits for; undefined for one that leaves, or is held. */
  readonly waitsFor?: WaitField;
  /** When the change window opens that it waits for, RFC 3339. */
  readonly waitsUntil?: string;
}

/** A cluster that stays and changes its group or piece; undefined: the Placement has no groups then. */
export interface PlannedRegroup {
  readonly name: string;
  readonly from: PieceName | undefined;
  readonly to: PieceName | undefined;
}

export type PieceName = Pick<Piece, 'group' | 'index'>;

export interface PlannedApart {
  /** The clusters of the decision before that leave, in the order in which they do. */
  readonly leave: readonly string[];
  /** Those of them that are in the decision at the end. */
  readonly back: readonly string[];
  /** The clusters that come in and are in the decision at the end, in the order in which they do. */
  readonly come: readonly string[];
  /** Those that are held or wait at the end, in the decision or out of it, sorted by name. */
  readonly held: readonly string[];
  readonly message: string;
}

/** A deletion that admission refuses. */
export interface Refusal {
  readonly kind: 'ManagedClusterSet';
  readonly name: string;
  readonly reason: 'InUse';
}

/** A Placement that would lose more clusters than it may, or gain more; one of the two numbers is there. */
export interface Excess extends Name {
  readonly removals?: number;
  readonly additions?: number;
  /** How many of them by moves that follow later. */
  readonly moves?: number;
  readonly selected: number;
  /** How many may leave, or come in. */
  readonly most: number;
  readonly message: string;
}

/** What a loss does, besides what the plans say; Placements by namespace and name. */
interface PlannedLoss extends Unnoticed {
  /** The lost clusters, sorted. */
  readonly clusters: readonly string[];
  /** With fewer clusters that are not lost than before, and too few. */
  readonly short: readonly Name[];
  /** Those of `short` with none. */
  readonly empty: readonly Name[];
  /** Left with one cluster that no other can replace, by the loss. */
  readonly onLastCluster: readonly Name[];
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

/** Whether the change does anything to the Placement. */
export function isChange({ change }: PlannedPlacement): boolean {
  return change !== 'Unchanged' && change !== 'Unknown';
}

/** What is said of keys and groups after the change, and not before it. */
export function newlySaid(before: PlannedState | undefined, after: PlannedState | undefined): readonly string[] {
  const [was = [], is = []] = [before, after].map((one) => [...(one?.absentKeys ?? []), one?.emptyGroups]);
  return is.filter((text) => text !== undefined).filter((text) => !was.includes(text));
}
