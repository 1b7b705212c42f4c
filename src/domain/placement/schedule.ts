import { DECISION_SIZE } from '../../api/names.js';
import type { Problem } from '../selectors.js';
import { eligibleSets, type Eligibility } from './eligible.js';
import { matchedClusters, seedOf, topRanked, type Candidate } from './rank.js';
import { firstFailure, type FailureCause } from './rules.js';
import type { PlacementSnapshot, Slots, StoredDecision } from './snapshot.js';

/**
 * Why a selected cluster is dropped: the first rule that it fails, or `NotNeeded`. For `Gone` and `NotMember` some object is
 * missing, and its deletion has to be confirmed before the cluster is dropped.
 */
export type DropCause = FailureCause | 'NotNeeded';

export interface Dropped {
  readonly cluster: string;
  readonly cause: DropCause;
}

/** What a Placement selects. Names in lists are unique; no cluster is both kept and added. */
export interface Schedule {
  readonly eligibility: Eligibility;
  /** The invalid field; the last decision then stays published, without clusters that are deleted. */
  readonly problem: Problem | undefined;
  /** numberOfClusters; undefined for all matching clusters. */
  readonly wanted: number | undefined;
  /** Number of candidates, including clusters kept because a set is unreadable. This and `matched`: 0 with a `problem`. */
  readonly candidates: number;
  readonly matched: number;
  /** The clusters selected before, by decision object. */
  readonly current: Slots;
  /** The clusters selected before and still, by decision object, in their order there. */
  readonly kept: Slots;
  /** Newly selected, highest rank first. */
  readonly added: readonly string[];
  /** Sorted by name. */
  readonly dropped: readonly Dropped[];
}

/** Selects clusters. The result does not depend on the order of the lists of the snapshot. */
export function schedule(snapshot: PlacementSnapshot): Schedule {
  const { placement, candidates } = snapshot;
  const eligibility = eligibleSets(placement.rules, snapshot.bindings, snapshot.sets);
  const { problem, wanted } = placement.rules;
  const current = currentSlots(snapshot);
  const dropped = new Map<string, DropCause>();
  let staying = 0;
  let keptOnly = 0;
  for (const name of current.flat()) {
    const cause = dropCause(snapshot, eligibility, name);
    if (cause !== undefined) dropped.set(name, cause);
    else staying++;
    if (cause === undefined && !candidates.matched.has(name)) keptOnly++;
  }
  const limit = problem === undefined ? (wanted ?? Infinity) : Infinity;
  if (staying > limit) dropLowest(current, dropped, limit, snapshot);
  const kept = current.map((list) => list.filter((name) => !dropped.has(name)));
  const free = problem === undefined && candidates.matched.size > staying - keptOnly ? limit - staying : 0;
  return {
    eligibility,
    problem,
    wanted,
    candidates: problem === undefined ? candidates.count + keptOnly : 0,
    matched: problem === undefined ? candidates.matched.size + keptOnly : 0,
    current,
    kept,
    added: bestNewClusters(snapshot, current, free),
    dropped: [...dropped]
      .map(([cluster, cause]) => ({ cluster, cause }))
      .sort((a, b) => (a.cluster < b.cluster ? -1 : 1)),
  };
}

/**
 * The selected clusters, each once: the remembered lists or, without these, the lists stored in objects of this Placement
 * (including adoptable ones). Of a cluster in several lists the first place counts.
 */
function currentSlots(snapshot: PlacementSnapshot): Slots {
  const lists = snapshot.remembered ?? storedLists(snapshot.stored);
  const seen = new Set<string>();
  return Array.from(lists, (list) => once(list ?? [], seen));
}

function storedLists(stored: readonly StoredDecision[]): (readonly string[])[] {
  const lists: (readonly string[])[] = [];
  for (const { ordinal, ownership, clusters } of stored) {
    if (ordinal !== undefined && (ownership === 'ours' || ownership === 'adoptable'))
      lists[ordinal - 1] = clusters.slice(0, DECISION_SIZE);
  }
  return lists;
}

function once(list: readonly string[], seen: Set<string>): string[] {
  const first: string[] = [];
  for (const name of list) {
    if (seen.has(name)) continue;
    seen.add(name);
    first.push(name);
  }
  return first;
}

/** The clusters that a schedule selects, in no particular order. */
export function selected(of: Schedule): readonly string[] {
  return [...of.kept.flat(), ...of.added];
}

function dropCause(snapshot: PlacementSnapshot, eligibility: Eligibility, name: string): DropCause | undefined {
  const { placement, candidates, held } = snapshot;
  // A candidate that matches passes every rule.
  if (candidates.matched.has(name)) return undefined;
  const member = eligibility.unreadable.length > 0 || candidates.has(name);
  return firstFailure({ cluster: held.get(name), member }, placement.rules);
}

/** Adds the lowest ranked clusters to `dropped`, so that `limit` stay. */
function dropLowest(current: Slots, dropped: Map<string, DropCause>, limit: number, snapshot: PlacementSnapshot): void {
  const staying = current.flat().filter((name) => !dropped.has(name));
  const { namespace, name: placement } = snapshot.placement;
  const best = topRanked(matchedClusters(staying), limit, seedOf(namespace, placement));
  const needed = new Set(best.map((one) => one.name));
  for (const name of staying) if (!needed.has(name)) dropped.set(name, 'NotNeeded');
}

/** The `free` best of the matching candidates that were not selected before. */
function bestNewClusters(
  { placement, candidates }: PlacementSnapshot,
  current: Slots,
  free: number,
): readonly string[] {
  if (free <= 0) return [];
  const known = new Set(current.flat());
  const others = function* (): Generator<Candidate> {
    for (const candidate of candidates.matched) if (!known.has(candidate.name)) yield candidate;
  };
  return topRanked(others(), free, seedOf(placement.namespace, placement.name)).map((one) => one.name);
}
