import { type PlacementRules, hasNumbers } from '../../domain/placement/spec/predicates.js';
import type { CandidatePool, CandidatePoolChange } from './candidates.js';
import type { MessageWatch } from '../../domain/placement/select/unmatched.js';
import { matches, predicateOf } from '../../domain/placement/select/rules.js';
import type { ClusterView } from '../../domain/placement/select/snapshot.js';
import { isInSameGroup } from '../../domain/placement/spec/groups.js';
import { taintsAgainstNew, taintsAgainstSelected } from '../../domain/placement/select/standing.js';
import { NO_TAINTS, sameTaints } from '../../domain/placement/spec/taint.js';

/** A Placement with what the index keeps of it. */
export interface Entry {
  readonly key: string;
  readonly namespace: string;
  readonly rules: PlacementRules;
  pool: CandidatePool;
  /** An eligible set is unreadable: it may have selected clusters that are no candidates. */
  unreadable: boolean;
  /** While it `isShort`: the answers that its message depends on. */
  watch: MessageWatch | undefined;
  /**
   * A spread constraint keeps clusters out, some wait, or they move for better ones; or it is not known yet: which domain a cluster
   * has then makes a difference, and so do taints that only change the order.
   */
  isOrderOpen: boolean;
  /** Reported as rescored and not reconciled since. */
  isRescored: boolean;
  /** Reported as affected and not reconciled since: need not be reported again. */
  pending: boolean;
}

/** The state of a Placement that has no decision yet, or gets a new one. */
export const UNDECIDED = { watch: undefined, isOrderOpen: true, isRescored: false, pending: false };

/** A change of one cluster, after the pools and the requirements were updated. */
export interface ClusterChange {
  readonly ordinal: number;
  readonly before: ClusterView | undefined;
  readonly after: ClusterView | undefined;
  readonly moves: readonly CandidatePoolChange[];
  /** The keys of the Placements whose predicates name a label or claim that changed. */
  readonly naming: Iterable<string>;
  /** The keys of the Placements that hold the cluster although it fails a rule. */
  readonly holding: ReadonlySet<string>;
  /** The keys of the Placements that have selected the cluster. */
  readonly selecting: ReadonlySet<string>;
  /** Whether its taints have changed. */
  readonly retainted: boolean;
  /** Whether it has come into a set with times for changes, or left one: it may move then, or no longer. */
  readonly retimed: boolean;
  /** The keys of the Placements that spread over a key whose value changed. */
  readonly spreadKeys: Iterable<string>;
  /** The Placements that may have selected clusters which are no candidates: misconfigured, or with an unreadable set. */
  readonly maySelectOthers: Iterable<Entry>;
}

/**
 * The Placements that a change of a cluster affects:
 * - the cluster becomes or ceases to be a candidate, and matches, or is the first or the last candidate;
 * - it stays a candidate (or may be selected without being one) and begins or ceases to match;
 * - it changes an answer that the message of the Placement depends on;
 * - it is selected, and changes its group;
 * - its deletion begins, and the Placement may have selected clusters that are no candidates;
 * - the Placement holds it although it fails a rule;
 * - its domain changes, and the order is open: {@link Entry.isOrderOpen};
 * - its taints change: its standing for a Placement that has selected it, whether a Placement that has room may select it, or an order
 *   that is open;
 * - its clusters move for better ones, and sets with times for changes have the cluster now that had not, or the reverse.
 */
export function affected(change: ClusterChange, placements: ReadonlyMap<string, Entry>): ReadonlySet<Entry> {
  const found = new Set<Entry>();
  const moved = new Set<CandidatePool>();
  for (const move of change.moves) {
    if (move.was === move.now) continue;
    moved.add(move.pool);
    for (const key of move.pool.placements) {
      const placement = placements.get(key);
      if (placement !== undefined && !placement.pending && isMoveRelevant(placement, move, change))
        found.add(placement);
    }
  }
  for (const key of change.naming) {
    const placement = placements.get(key);
    if (placement === undefined || placement.pending || found.has(placement)) continue;
    const stays = !moved.has(placement.pool);
    if (isMatchChanged(placement, change) || (stays && isFactChanged(placement, change))) found.add(placement);
    else if (isGroupChanged(placement, change) && change.selecting.has(key)) found.add(placement);
  }
  for (const key of change.holding) {
    const placement = placements.get(key);
    if (placement !== undefined) found.add(placement);
  }
  addSpread(change, placements, found);
  if (change.retainted || change.retimed) addTainted(change, placements, found);
  const deletionBegins = change.before?.deleting === false && change.after?.deleting !== false;
  if (deletionBegins) for (const placement of change.maySelectOthers) found.add(placement);
  return found;
}

/** Adds the Placements to which another domain of the cluster makes a difference. */
function addSpread(
  { ordinal, after, spreadKeys, selecting }: ClusterChange,
  placements: ReadonlyMap<string, Entry>,
  found: Set<Entry>,
): void {
  if (after === undefined) return;
  for (const key of spreadKeys) {
    const placement = placements.get(key);
    if (placement === undefined || placement.pending || !placement.isOrderOpen || found.has(placement)) continue;
    if (selecting.has(key) || (placement.pool.clusters.has(ordinal) && matches(placement.rules, after)))
      found.add(placement);
  }
}

/** Adds the Placements to which other taints of the cluster, or other sets with times, make a difference. */
function addTainted(
  { before, after, selecting, moves }: ClusterChange,
  placements: ReadonlyMap<string, Entry>,
  found: Set<Entry>,
): void {
  if (before === undefined || after === undefined) return;
  const add = (key: string, isRelevant: (rules: PlacementRules) => boolean): void => {
    const placement = placements.get(key);
    if (placement === undefined || placement.pending || found.has(placement)) return;
    if (placement.isOrderOpen || isRelevant(placement.rules)) found.add(placement);
  };
  for (const key of selecting) add(key, (rules) => !standsAlike(before, after, rules));
  for (const { pool, was, now } of moves) {
    if (!was || !now) continue;
    for (const key of pool.room) add(key, (rules) => matches(rules, after) && !isKeptOutAlike(before, after, rules));
  }
}

/** Whether the same taints, with the same times, make the cluster leave a decision now or later. */
function standsAlike(before: ClusterView, after: ClusterView, { tolerations }: PlacementRules): boolean {
  const [were, are] = [before, after].map(({ taints }) =>
    taintsAgainstSelected(taints, tolerations).map(({ taint }) => taint),
  );
  return sameTaints(were ?? NO_TAINTS, are ?? NO_TAINTS);
}

/** Whether taints of the same keys keep the cluster out. */
function isKeptOutAlike(before: ClusterView, after: ClusterView, { tolerations }: PlacementRules): boolean {
  const [were, are] = [before, after].map(
    ({ taints }) => new Set(taintsAgainstNew(taints, tolerations).map(({ taint }) => taint.key)),
  );
  return were?.size === are?.size && [...(were ?? [])].every((key) => are?.has(key) === true);
}

function isMoveRelevant({ rules, watch }: Entry, move: CandidatePoolChange, { before, after }: ClusterChange): boolean {
  if (move.emptinessChanged) return true;
  const view = move.now ? after : before;
  if (view === undefined) return false;
  return (
    matches(rules, view) || watch?.isChangedBy(move.was ? before : undefined, move.now ? after : undefined) === true
  );
}

function isFactChanged({ pool, watch }: Entry, { ordinal, before, after }: ClusterChange): boolean {
  return watch !== undefined && pool.clusters.has(ordinal) && watch.isChangedBy(before, after);
}

function isGroupChanged({ rules }: Entry, { before, after }: ClusterChange): boolean {
  return before !== undefined && after !== undefined && !isInSameGroup(before, after, rules.groups);
}

function isMatchChanged({ rules, pool, unreadable }: Entry, { ordinal, before, after }: ClusterChange): boolean {
  if (before === undefined || after === undefined) return false;
  if (!unreadable && !pool.clusters.has(ordinal)) return false;
  // Where predicates have numbers, it makes a difference which of them the cluster counts for.
  if (hasNumbers(rules)) return predicateOf(rules, before) !== predicateOf(rules, after);
  return matches(rules, before) !== matches(rules, after);
}

/** What has to be reconciled after a change of a cluster. */
export interface ClusterEffects {
  /** Keys of Placements, sorted. */
  readonly placements: readonly string[];
  /** Names of ManagedClusterSets whose number of members changed, or may have. */
  readonly sets: readonly string[];
  /** Keys of Placements to be looked at once an interval: scores by which clusters move may have changed, or details of items have. */
  readonly delayed: readonly Delayed[];
}

export const NO_EFFECTS: ClusterEffects = { placements: [], sets: [], delayed: [] };

export interface Delayed {
  readonly key: string;
  readonly afterMs: number;
}

/**
 * The values of labels and claims are written so long after the first that changes, with all that have changed until then: a
 * claim that never rests costs a write of each object in this time, not one for each change. So are scores looked at without moves.
 */
const VALUES_MS = 5_000;

/** Those of the Placements that have selected the cluster, and that no change has reported. */
export function detailedAmong(
  keys: Iterable<string>,
  selecting: ReadonlySet<string>,
  placements: ReadonlyMap<string, Entry>,
): readonly Delayed[] {
  const found = [...keys].filter((key) => selecting.has(key) && placements.get(key)?.pending === false);
  return found.map((key) => ({ key, afterMs: VALUES_MS }));
}

/** Those of the Placements that may select one of the clusters, and that no change has reported: each once until its next pass. */
export function rescoredAmong(
  ordinals: readonly number[],
  keys: Iterable<string>,
  placements: ReadonlyMap<string, Entry>,
): readonly Delayed[] {
  const found: Delayed[] = [];
  for (const key of keys) {
    const entry = placements.get(key);
    if (entry === undefined || entry.pending || entry.isRescored) continue;
    if (!ordinals.some((one) => entry.pool.clusters.has(one))) continue;
    entry.isRescored = true;
    const { rebalance } = entry.rules;
    found.push({ key, afterMs: rebalance === undefined ? VALUES_MS : rebalance.intervalSeconds * 1_000 });
  }
  return found;
}
