import { field } from '../../../runtime/vocabulary/json.js';
import { PlacementConditions } from '../../../api/placementreasons.js';
import { isOwn, type StoredDecision } from '../stored/decision.js';
import { aboveNumbers, type Stayers } from './choice/choose.js';
import type { Cause } from './decision.js';
import type { Holder } from './holders.js';
import type { Draft } from './draft.js';
import { type Judged, HELD_TIER, tierOfSelected } from './judge.js';
import type { PlacementSnapshot, PlacementView } from './snapshot.js';
import { hasNumbers } from '../spec/predicates.js';
import { readBasis, storedHold } from '../stored/basis.js';
import { definitionsTrusted, isDefinitionReplaced, releaseOfLoss } from './definitions.js';
import { budgetInForce, isHoldContinued, type LimitInForce } from './limits.js';
import { isReleased, leftOf } from '../spec/budget.js';
import { recordEnd, usedIn, type ChangeRecord, type RecordEnd } from '../stored/record.js';

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

/** What becomes of the clusters whose removal is bounded. */
type Ration =
  /** They stay, unless the decision is larger than wanted. */
  | { readonly kind: 'held'; readonly clusters: Failing; readonly by: Holder }
  /**
   * They leave, and the removal of `counted` counts, of all but the first `uncounted` of them that leave: by so many clusters the
   * decision is larger than wanted, and which of them leave for that is not distinguished.
   */
  | { readonly kind: 'leave'; readonly counted: ReadonlySet<string>; readonly uncounted: number };

/** The clusters whose removal is bounded. */
interface Bounded {
  /** Those that fail a rule, with the first that they fail, and with a budget those above the number of their predicate. */
  readonly failing: ReadonlyMap<string, Cause>;
  /** Those of `failing` that leave because of taints which the hub adds itself: it bounds these, and they do not count. */
  readonly failingByHub: ReadonlySet<string>;
  /** How many others there are. */
  readonly passing: number;
}

type Failing = readonly (readonly [cluster: string, cause: Cause])[];

/** Deleted clusters are counted for this long without a budget. */
const DELETION_WINDOW_SECONDS = 60;
/** For how long deleted clusters are held without a budget. */
const DELETION_HOLD_MS = 15 * 60_000;
/** As many may be deleted in any case. */
const FEW = 2;

const UNCOUNTED: Ration = { kind: 'leave', counted: new Set(), uncounted: 0 };

/** The clusters that fail a rule leave, or are held. */
export function hold(draft: Draft): void {
  draft.lookAt(definitionsTrusted(draft.snapshot));
  const ration = rationOf(draft.snapshot, boundedClusters(draft));
  if (ration.kind === 'held') {
    for (const [cluster, cause] of ration.clusters) draft.keep(cluster, cause, [ration.by]);
  } else {
    draft.counted = ration.counted;
    draft.uncounted = ration.uncounted;
  }
  for (const [cluster, cause] of draft.judged.failing) if (!draft.isHeld(cluster)) draft.letGo(cluster, cause);
}

/** Those that fail a rule and, by a budget, those above the number of their predicate. */
function boundedClusters(draft: Draft): Bounded {
  const { judged, clusters, snapshot, scoreOf } = draft;
  const { placement } = snapshot;
  if (!hasNumbers(placement.rules)) return judged;
  if (budgetInForce(placement)?.maxRemovals === undefined) return withoutExcess(draft);
  const above = aboveNumbers(stayersAmong(judged, clusters), snapshot, scoreOf);
  const failing = new Map<string, Cause>(judged.failing);
  for (const name of above) failing.set(name, 'NotNeeded');
  return { ...judged, failing, passing: judged.passing - above.length };
}

/** Those of the clusters that pass every rule. */
export function stayersAmong({ failing, asked }: Judged, clusters: readonly string[]): Stayers {
  const names = clusters.filter((name) => !failing.has(name));
  return { names, tierOf: (name) => tierOfSelected(asked.get(name)) };
}

/**
 * Without those that are not needed because their predicate has more than its number: without a budget they leave in any case,
 * and must not count as removals, nor make room for others that do.
 */
function withoutExcess({ judged, clusters, snapshot, scoreOf }: Draft): Bounded {
  const { release } = snapshot.placement;
  if (judged.failing.size === 0) return judged;
  const { failing, failingByHub, asked } = judged;
  const leaves = (name: string): boolean => failingByHub.has(name) || isReleased(release, name, snapshot.now);
  const names = clusters.filter((name) => !failing.has(name) || !leaves(name));
  const tierOf = (name: string): number => (failing.has(name) ? HELD_TIER : tierOfSelected(asked.get(name)));
  const excess = new Set(aboveNumbers({ names, tierOf }, snapshot, scoreOf));
  const left = new Map([...failing].filter(([name]) => !excess.has(name)));
  return { ...judged, failing: left, passing: judged.passing - (excess.size - (failing.size - left.size)) };
}

/** Divides the clusters whose removal is bounded. */
function rationOf(snapshot: PlacementSnapshot, decided: Bounded): Ration {
  const { placement, now } = snapshot;
  const isReplaced = isDefinitionReplaced(snapshot);
  const release = isReplaced ? releaseOfLoss(snapshot) : placement.release;
  const leaving = [...decided.failing].filter(([cluster]) => !isReleased(release, cluster, now));
  if (leaving.length === 0) return UNCOUNTED;
  if (isReplaced) return { kind: 'held', clusters: leaving, by: { kind: 'Definitions' } };
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
  if (surplus >= limited.length) return UNCOUNTED;
  const fits = limited.length - surplus <= leftOf(maxRemovals.limit, base, used);
  if (!fits || isHoldContinued(snapshot.placement, 'RemovalsHeld', maxRemovals))
    return { kind: 'held', clusters: limited, by: { kind: 'Budget' } };
  return { kind: 'leave', counted: namesOf(limited), uncounted: surplus };
}

function rationDeletions(snapshot: PlacementSnapshot, leaving: Failing, passing: number): Ration {
  const { placement, now } = snapshot;
  const limited = leaving.filter(([, cause]) => cause === 'Gone' || cause === 'Deleting');
  const { base, surplus, used } = countsOf(snapshot, limited, passing);
  if (surplus >= limited.length) return UNCOUNTED;
  const counted = isTiny(placement) ? new Set<string>() : namesOf(limited);
  const left: Ration = { kind: 'leave', counted, uncounted: surplus };
  const held = (since: number): Ration => {
    return { kind: 'held', clusters: limited, by: { kind: 'Deletions', until: since + DELETION_HOLD_MS } };
  };
  const stored = storedHold(placement, PlacementConditions.RemovalsHeld);
  const heldBefore = readBasis(placement.status)?.heldDeletions ?? 0;
  // More than were held: those that came later stay as long, which the condition then says.
  const isMore = limited.length > heldBefore;
  if (stored?.reason !== 'ClustersDeleted') {
    // They have been held for long enough, and the decision without them could not be stored yet.
    const isOver = heldBefore > 0 && !isMore;
    const areFew = limited.length - surplus + (used ?? 0) <= Math.max(FEW, Math.floor(base / 2));
    return isOver || areFew ? left : held(now);
  }
  if (isMore || stored.since === undefined) return held(now);
  return now < stored.since + DELETION_HOLD_MS ? held(stored.since) : left;
}

/** By the decision that was reported last: what leaves and comes in meanwhile, in writes of its own, does not change it. */
function isTiny({ status }: PlacementView): boolean {
  const selected = field(status, 'numberOfSelectedClusters');
  return typeof selected === 'number' && selected <= FEW;
}

/** How many clusters a limit is a share of, how many more than wanted there are, and how many removals count already. */
export function countsOf(
  snapshot: PlacementSnapshot,
  limited: Pick<Failing, 'length'>,
  passing: number,
): { readonly base: number; readonly surplus: number; readonly used: number | undefined } {
  const { placement, now } = snapshot;
  // Without those that leave uncounted: so the result is the same when only a part of the removals was stored.
  const present = passing + limited.length;
  const { wanted = Infinity } = placement.rules;
  const used = usedIn(ownRecords(snapshot), recordWindow(snapshot), now);
  // Of a decision that is too large only what is wanted: the surplus leaves uncounted, and the base must not shrink on the way.
  return { base: Math.min(present + (used ?? 0), wanted), surplus: Math.max(present - wanted, 0), used };
}

/** For how many seconds a recorded removal counts. */
export function recordWindow({ placement }: PlacementSnapshot): number {
  return budgetInForce(placement)?.windowSeconds ?? DELETION_WINDOW_SECONDS;
}

/** When the records of an object have run out: ms since the epoch; undefined without a record. */
export function recordsEnd(
  { removals, additions }: StoredDecision,
  snapshot: PlacementSnapshot,
): RecordEnd | undefined {
  const window = recordWindow(snapshot);
  const isBounded = budgetInForce(snapshot.placement) !== undefined;
  const ends = [removals, additions].map((one) => {
    return one?.kind === 'unreadable' && !isBounded ? undefined : recordEnd(one, window);
  });
  if (ends.includes('never')) return 'never';
  const known = ends.filter((end) => typeof end === 'number');
  return known.length === 0 ? undefined : Math.max(...known);
}

function namesOf(failing: Failing): ReadonlySet<string> {
  return new Set(failing.map(([cluster]) => cluster));
}

/** The records of the objects of this Placement. Without a limit of removals one that cannot be read limits nothing. */
export function ownRecords({ stored, placement }: PlacementSnapshot): (ChangeRecord | undefined)[] {
  const records = stored.filter(isOwn).map(({ removals }) => removals);
  return budgetInForce(placement)?.maxRemovals === undefined
    ? records.filter((one) => one?.kind !== 'unreadable')
    : records;
}
