import { field } from '../../../runtime/vocabulary/json.js';
import { PlacementConditions } from '../../../api/placementreasons.js';
import { isOwn, type StoredDecision } from '../stored/decision.js';
import type { FailedRule } from './rules.js';
import type { PlacementSnapshot, PlacementView } from './snapshot.js';
import { readBasis, storedHold } from '../stored/basis.js';
import { isDefinitionReplaced, releaseOfLoss } from './definitions.js';
import { budgetInForce, type LimitInForce } from './inforce.js';
import { isReleased } from '../spec/release.js';
import { recordEnd, usedIn, type ChangeRecord } from '../stored/record.js';
import { leftOf } from '../spec/budget.js';

/**
 * What bounds removals. A removal uninstalls what follows the decision, so the bounds are of removals within a window, and not of
 * a level that recovers. The first of these that applies:
 * - a definition was made anew, and its objects with it: all stay until a person releases them after that;
 * - the disruption budget: of the clusters that fail a rule all leave, or none, so that too large a mistake does nothing,
 *   instead of as much of it as the budget allows at a time; so do those above the number of their predicate, since a label can
 *   make all clusters count for another predicate;
 * - without one, of deleted clusters: when they are more than half and at least three within a minute, they stay for a while.
 *
 * Clusters by which the decision is larger than wanted, those that a user released and, but for the first, those that leave
 * because of taints which the hub adds itself, leave without being counted.
 */

/** Why a removal is held: the rule that the cluster fails, or its predicate, which has more clusters than its number. */
export type HeldCause = FailedRule | 'NotNeeded';

/** A cluster that would leave and stays selected. */
export interface HeldRemoval {
  readonly cluster: string;
  readonly cause: HeldCause;
}

/** What holds removals. */
export type HoldKind = 'Definitions' | 'Budget' | 'Deletions';

/** What becomes of the clusters that fail a rule. */
export interface Ration {
  /** Cluster → why it would leave: it stays, unless the decision is larger than wanted. */
  readonly held: ReadonlyMap<string, HeldCause>;
  /** What holds them; undefined when nothing is held. */
  readonly hold: HoldKind | undefined;
  /** When the hold ends by itself: ms since the epoch, Infinity for never. */
  readonly holdUntil: number;
  /** The clusters whose removal counts, all but the first `uncounted` of them that leave. */
  readonly counted: ReadonlySet<string>;
  /** By how many clusters the decision is larger than wanted: which of `counted` leave for that is not distinguished. */
  readonly uncounted: number;
}

export interface DecidedClusters {
  /** Those that fail a rule, with the first that they fail, and with a budget those above the number of their predicate. */
  readonly failing: ReadonlyMap<string, HeldCause>;
  /** Those of `failing` that leave because of taints which the hub adds itself: it bounds these, and they do not count. */
  readonly failingByHub: ReadonlySet<string>;
  /** How many others there are. */
  readonly passing: number;
}

type Failing = readonly (readonly [cluster: string, cause: HeldCause])[];

/** Deleted clusters are counted for this long without a budget. */
const DELETION_WINDOW_SECONDS = 60;
/** For how long deleted clusters are held without a budget. */
const DELETION_HOLD_MS = 15 * 60_000;
/** As many may be deleted in any case. */
const FEW = 2;

const NOTHING: Ration = { held: new Map(), hold: undefined, holdUntil: Infinity, counted: new Set(), uncounted: 0 };

/** Divides the clusters that fail a rule. */
export function ration(snapshot: PlacementSnapshot, decided: DecidedClusters): Ration {
  const { placement, now } = snapshot;
  const isReplaced = isDefinitionReplaced(snapshot);
  const release = isReplaced ? releaseOfLoss(snapshot) : placement.release;
  const leaving = [...decided.failing].filter(([cluster]) => !isReleased(release, cluster, now));
  if (leaving.length === 0) return NOTHING;
  if (isReplaced) return { ...NOTHING, held: new Map(leaving), hold: 'Definitions' };
  const { maxRemovals } = budgetInForce(placement) ?? {};
  if (maxRemovals === undefined) return rationDeletions(snapshot, leaving, decided.passing);
  const limited = leaving.filter(([cluster]) => !decided.failingByHub.has(cluster));
  return rationByBudget(snapshot, { limited, passing: decided.passing, maxRemovals });
}

function rationByBudget(
  snapshot: PlacementSnapshot,
  { limited, passing, maxRemovals }: { limited: Failing; passing: number; maxRemovals: LimitInForce },
): Ration {
  const { base, surplus, used } = countsOf(snapshot, limited, passing);
  if (surplus >= limited.length) return NOTHING;
  const fits = limited.length - surplus <= leftOf(maxRemovals.limit, base, used);
  if (!fits || isHoldContinued(snapshot, maxRemovals)) return { ...NOTHING, held: new Map(limited), hold: 'Budget' };
  return { ...NOTHING, counted: namesOf(limited), uncounted: surplus };
}

/** A hold goes on for the spec of now; that of a limit which the spec has no more goes on whatever is edited. */
function isHoldContinued({ placement }: PlacementSnapshot, { isFormer }: LimitInForce): boolean {
  const stored = storedHold(placement, PlacementConditions.RemovalsHeld);
  return stored !== undefined && (stored.isCurrent || (isFormer && stored.reason === 'DisruptionBudgetExceeded'));
}

function rationDeletions(snapshot: PlacementSnapshot, leaving: Failing, passing: number): Ration {
  const { placement, now } = snapshot;
  const limited = leaving.filter(([, cause]) => cause === 'Gone' || cause === 'Deleting');
  const { base, surplus, used } = countsOf(snapshot, limited, passing);
  if (surplus >= limited.length) return NOTHING;
  const left = { ...NOTHING, counted: isTiny(placement) ? new Set<string>() : namesOf(limited), uncounted: surplus };
  const held = (since: number): Ration => {
    return { ...NOTHING, held: new Map(limited), hold: 'Deletions', holdUntil: since + DELETION_HOLD_MS };
  };
  const stored = storedHold(placement, PlacementConditions.RemovalsHeld);
  if (stored?.reason !== 'ClustersDeleted') {
    return limited.length - surplus + used <= Math.max(FEW, Math.floor(base / 2)) ? left : held(now);
  }
  // More than were held: those that came later stay as long, which the condition then says.
  const isMore = limited.length > (readBasis(placement.status)?.heldDeletions ?? 0);
  if (isMore || Number.isNaN(stored.since)) return held(now);
  return now < stored.since + DELETION_HOLD_MS ? held(stored.since) : left;
}

/** By the decision that was reported last: what leaves and comes in meanwhile, in writes of its own, does not change it. */
function isTiny({ status }: PlacementView): boolean {
  const selected = field(status, 'numberOfSelectedClusters');
  return typeof selected === 'number' && selected <= FEW;
}

/** How many clusters a limit is a share of, how many more than wanted there are, and how many removals count already. */
function countsOf(
  snapshot: PlacementSnapshot,
  limited: Failing,
  passing: number,
): { readonly base: number; readonly surplus: number; readonly used: number } {
  const { placement, now } = snapshot;
  // Without those that leave uncounted: so the result is the same when only a part of the removals was stored.
  const present = passing + limited.length;
  const { wanted = Infinity } = placement.rules;
  const used = usedIn(ownRecords(snapshot), recordWindow(snapshot), now);
  // Of a decision that is too large only what is wanted: the surplus leaves uncounted, and the base must not shrink on the way.
  return { base: Math.min(present + used, wanted), surplus: Math.max(present - wanted, 0), used };
}

/** For how many seconds a recorded removal counts. */
export function recordWindow({ placement }: PlacementSnapshot): number {
  return budgetInForce(placement)?.windowSeconds ?? DELETION_WINDOW_SECONDS;
}

/** When the records of an object have run out: ms since the epoch, -Infinity without a record. */
export function recordsEnd({ removals, additions }: StoredDecision, snapshot: PlacementSnapshot): number {
  const window = recordWindow(snapshot);
  const isBounded = budgetInForce(snapshot.placement) !== undefined;
  const ends = [removals, additions].map((one) => {
    return one?.kind === 'unreadable' && !isBounded ? undefined : recordEnd(one, window);
  });
  return Math.max(...ends.map((end) => end ?? -Infinity));
}

function namesOf(failing: Failing): ReadonlySet<string> {
  return new Set(failing.map(([cluster]) => cluster));
}

/** The records of the objects of this Placement. Without a budget one that cannot be read limits nothing. */
function ownRecords({ stored, placement }: PlacementSnapshot): (ChangeRecord | undefined)[] {
  const records = stored.filter(isOwn).map(({ removals }) => removals);
  return budgetInForce(placement) === undefined ? records.filter((one) => one?.kind !== 'unreadable') : records;
}
