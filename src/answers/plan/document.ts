import type { Problem } from '../../domain/selectors.js';
import type { Cause } from '../../domain/placement/select/decision.js';
import type { WaitField } from '../../domain/placement/select/holders.js';
import type { Piece } from '../../domain/placement/stored/items.js';
import type { CLI_API_VERSION } from '../output.js';
import type { Forecast } from '../world/forecast.js';
import type { Limits } from '../world/worlds.js';
import type { FollowingMoves } from './movesahead.js';
import type { Unnoticed } from './lose.js';

/**
 * A plan, as it is computed, printed and sent. Fields that are undefined are left out of JSON.
 *
 * `before` and `after` mean before and after the changes, or the loss of clusters, that the plan is about.
 */

/** Kind PlacementPlan (docs/reference/cli/placementplan.schema.json). */
export interface PlanDocument extends Limits {
  readonly apiVersion: typeof CLI_API_VERSION;
  readonly kind: 'PlacementPlan';
  readonly summary: PlanTotals & { readonly text: string };
  /** The Placements that change, and those of which it is not known; sorted by namespace and name. */
  readonly placements: readonly PlannedPlacement[];
  /** False: it would take too long to compute {@link PlannedPlacement.apart}; otherwise absent. */
  readonly apartComputed?: false | undefined;
  readonly refusals: readonly Refusal[];
  readonly exceeded: readonly Excess[];
  /** What else is known where clusters are lost; undefined for a plan of changes. */
  readonly loss?: PlannedLoss | undefined;
}

export interface Name {
  readonly namespace: string;
  readonly name: string;
}

/**
 * What happens to a Placement.
 * - `Unknown`: objects that it depends on could not be read, so `before` and `after` are undefined and all lists are empty.
 * - `Changed`: a cluster comes in or leaves, other clusters are held or wait, the phase, the reason or the number of wanted clusters
 *   differs, or the spec has a new key or group that no cluster has.
 */
export type PlanKind = 'Created' | 'Deleted' | 'Changed' | 'Unchanged' | 'Unknown';

export interface PlannedPlacement extends Name, FollowingMoves {
  readonly change: PlanKind;
  /** These two are undefined when the Placement does not exist at that time, or is being deleted. */
  readonly before?: PlannedState | undefined;
  readonly after?: PlannedState | undefined;
  /** These lists are sorted by name. */
  readonly add: readonly PlannedAdd[];
  readonly remove: readonly PlannedRemoval[];
  readonly stay: readonly string[];
  /** The clusters in the decision that are held, wait, or are lost, and the clusters that are kept out of it. */
  readonly held: readonly PlannedRemoval[];
  readonly regroup?: readonly PlannedRegroup[] | undefined;
  /** What the changes do when they are written apart, one after another; undefined where that is the same. */
  readonly apart?: PlannedApart | undefined;
  /** What a loss of clusters does to it; undefined for a plan of changes. */
  readonly loss?: { readonly effect: LossEffect; readonly usable: number };
}

/**
 * What a loss does to a Placement, the worst first: it has no cluster left that is not lost; it has fewer than before, and too few;
 * others are selected, or fewer, and the Placement is satisfied.
 */
export const LOSS_EFFECTS = ['Empty', 'Short', 'Moves', 'None'] as const;

export type LossEffect = (typeof LOSS_EFFECTS)[number];

/** A Placement before or after the change. */
export interface PlannedState extends Pick<Forecast, 'phase' | 'satisfied'> {
  readonly selected: number;
  /** How many clusters are wanted; undefined: all that match. */
  readonly wanted?: number | undefined;
  readonly problem?: Problem | undefined;
  /** A message for each key of spread, scores, groups and details that no matching cluster has. */
  readonly absentKeys?: readonly string[] | undefined;
  /** The message about groups without a cluster; undefined without such groups. */
  readonly emptyGroups?: string | undefined;
}

/** A cluster that comes in. */
export interface PlannedAdd {
  readonly name: string;
  /** The index of the first predicate that the cluster matches; undefined without predicates. */
  readonly predicate: number | undefined;
  readonly why: string;
  /** Undefined without prioritizers. */
  readonly score?: number;
  /** The piece of a group that the cluster belongs to then; undefined without groups. */
  readonly piece?: PieceName;
}

/** A cluster that leaves, or that would leave and is held or waits. With the cause `HeldBack` it would come in and is kept out. */
export interface PlannedRemoval {
  readonly name: string;
  readonly cause: Cause | 'PlacementDeleted' | 'HeldBack';
  readonly why: string;
  /** The score of a cluster that is not needed any more; undefined for others, and without prioritizers. */
  readonly score?: number;
  /** The field of the spec, of the Placement or of a set, because of which the cluster waits; undefined if it leaves or is held. */
  readonly waitsFor?: WaitField;
  /** The set that has this field; undefined where it is the Placement's. */
  readonly clusterSet?: string;
  /** Present: it is lost and the decision names it still, for no bound and no wait. */
  readonly lost?: true;
  /** Present: it was held or waited before the changes, too, maybe for another reason. */
  readonly already?: true;
  /** When the last of the change windows that the cluster waits for opens, RFC 3339. */
  readonly waitsUntil?: string;
}

/** A cluster that stays and changes its group or piece. */
export interface PlannedRegroup {
  readonly name: string;
  /** These two are undefined when the Placement has no groups at that time. */
  readonly from: PieceName | undefined;
  readonly to: PieceName | undefined;
}

export type PieceName = Pick<Piece, 'group' | 'index'>;

/** What changes do when they are written apart. `The end` is the last write. */
export interface PlannedApart {
  /** The clusters of the decision before the first write that leave at some time, in this order. */
  readonly leave: readonly string[];
  /** The clusters of `leave` that are in the decision again at the end. */
  readonly back: readonly string[];
  /** The other clusters in the decision at the end, in the order in which they come in. */
  readonly come: readonly string[];
  /** The clusters that are held or wait at the end, in the decision or out of it, sorted by name. */
  readonly held: readonly string[];
  readonly message: string;
}

/** A deletion that admission refuses. */
export interface Refusal {
  readonly kind: 'ManagedClusterSet';
  readonly name: string;
  readonly reason: 'InUse';
}

/** A Placement that would lose or gain more clusters than a limit of the caller allows. */
export interface Excess extends Name {
  /** Either `removals` or `additions` is defined: how many clusters would leave, or come in. */
  readonly removals?: number;
  readonly additions?: number;
  /** How many of them do so by moves that follow later. */
  readonly moves?: number;
  readonly selected: number;
  /** How many clusters may leave, or come in. */
  readonly most: number;
  readonly message: string;
}

/** What a loss of clusters does, besides what the plans say. Lists of Placements are sorted by namespace and name. */
interface PlannedLoss extends Unnoticed {
  /** The lost clusters, sorted. */
  readonly clusters: readonly string[];
  /** The Placements that have fewer clusters left than before the loss, and are not satisfied. */
  readonly short: readonly Name[];
  /** The Placements of `short` that have no cluster left. */
  readonly empty: readonly Name[];
  /** The Placements that because of the loss have one cluster left, which no other cluster could replace. */
  readonly onLastCluster: readonly Name[];
}

/** Sums over all Placements. Absent means zero. */
export interface PlanTotals {
  /** From here on, how many clusters; a cluster of two Placements counts twice. */
  readonly add: number;
  readonly remove: number;
  readonly stay: number;
  /** How many are held or wait. */
  readonly held: number;
  /** How many moves follow. */
  readonly moves?: number;
  /** How many clusters come in after a move. */
  readonly addLater?: number;
  /** How many of `held` were held or waited before the changes, too. */
  readonly already?: number;
  /** How many of `held` wait, for the end of a pause or for a change window. */
  readonly waiting?: number;
  /** How many of `held` are lost, and neither held nor waiting: the decision names them still. */
  readonly lost?: number;
  /** How many of `waiting` wait for the end of a pause. */
  readonly paused?: number;
  /** From here on, how many Placements. */
  readonly changed: number;
  readonly unknown: number;
  readonly placements: number;
}

/** Whether the Placement changes. */
export function isChange({ change }: PlannedPlacement): boolean {
  return change !== 'Unchanged' && change !== 'Unknown';
}

/** The messages about absent keys and empty groups after the change that there are not before it. */
export function newMessages(before: PlannedState | undefined, after: PlannedState | undefined): readonly string[] {
  const [old = [], current = []] = [before, after].map((one) => [...(one?.absentKeys ?? []), one?.emptyGroups]);
  return current.filter((text) => text !== undefined).filter((text) => !old.includes(text));
}
