import { DECISION_SIZE } from '../../api/names.js';
import type { Problem } from '../selectors.js';
import { ration, type HeldRemoval } from './budget/budget.js';
import { isOwn } from './decision.js';
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
  /** Those that fail a rule and stay because of the disruption budget, sorted by name; they are in `kept` too. */
  readonly heldRemovals: readonly HeldRemoval[];
  /** Those of `dropped` whose removal counts against the disruption budget, and how many of them leave first, uncounted. */
  readonly counted: ReadonlySet<string>;
  readonly uncounted: number;
}

/** Selects clusters. The result does not depend on the order of the lists of the snapshot. */
export function schedule(snapshot: PlacementSnapshot): Schedule {
  const { placement, candidates } = snapshot;
  const eligibility = eligibleSets(placement.rules, snapshot.bindings, snapshot.sets);
  const { problem, wanted } = placement.rules;
  const current = currentSlots(snapshot);
  const failing = new Map<string, FailureCause>();
  let passing = 0;
  let keptOnly = 0;
  for (const name of current.flat()) {
    const cause = failureOf(snapshot, eligibility, name);
    if (cause !== undefined) failing.set(name, cause);
    else passing++;
    if (cause === undefined && !candidates.matched.has(name)) keptOnly++;
  }
  const { held, counted, surplus: uncounted } = ration(snapshot, { failing, passing });
  const limit = problem === undefined ? (wanted ?? Infinity) : Infinity;
  const dropped = new Map<string, DropCause>([...failing].filter(([name]) => !held.has(name)));
  for (const [name, cause] of notNeeded({ current, dropped, held, limit }, snapshot)) dropped.set(name, cause);
  const kept = current.map((list) => list.filter((name) => !dropped.has(name)));
  const staying = kept.reduce((sum, list) => sum + list.length, 0);
  const free = problem === undefined && candidates.matched.size > passing - keptOnly ? limit - staying : 0;
  return {
    eligibility,
    problem,
    wanted,
    candidates: problem === undefined ? candidates.count + keptOnly : 0,
    matched: problem === undefined ? candidates.matched.size + keptOnly : 0,
    current,
    kept,
    added: bestNewClusters(snapshot, current, free),
    dropped: byCluster(dropped),
    heldRemovals: byCluster(held).filter(({ cluster }) => !dropped.has(cluster)),
    counted,
    uncounted,
  };
}

function byCluster<C extends DropCause>(causes: ReadonlyMap<string, C>): { cluster: string; cause: C }[] {
  return [...causes].map(([cluster, cause]) => ({ cluster, cause })).sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
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
  for (const { ordinal, clusters } of stored.filter(isOwn))
    if (ordinal !== undefined) lists[ordinal - 1] = clusters.slice(0, DECISION_SIZE);
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

/** The clusters that a schedule selects, in no particular order; without those that only the disruption budget keeps. */
export function selected(of: Schedule): readonly string[] {
  const held = new Set(of.heldRemovals.map((one) => one.cluster));
  return [...of.kept.flat().filter((name) => !held.has(name)), ...of.added];
}

function failureOf(snapshot: PlacementSnapshot, eligibility: Eligibility, name: string): FailureCause | undefined {
  const { placement, candidates, held } = snapshot;
  // A candidate that matches passes every rule.
  if (candidates.matched.has(name)) return undefined;
  const member = eligibility.unreadable.length > 0 || candidates.has(name);
  return firstFailure({ cluster: held.get(name), member }, placement.rules);
}

/** What stays of a decision, before it is cut to `limit`. */
interface Staying {
  readonly current: Slots;
  readonly dropped: ReadonlyMap<string, DropCause>;
  readonly held: ReadonlyMap<string, FailureCause>;
  readonly limit: number;
}

/** The clusters to remove so that `limit` stay, with their causes: held ones first, then those that rank lowest. */
function notNeeded(
  { current, dropped, held, limit }: Staying,
  { placement }: PlacementSnapshot,
): readonly (readonly [string, DropCause])[] {
  const staying = current.flat().filter((name) => !dropped.has(name));
  if (staying.length <= limit) return [];
  const seed = seedOf(placement.namespace, placement.name);
  const best = (names: readonly string[], count: number): readonly string[] =>
    topRanked(matchedClusters(names), count, seed).map((one) => one.name);
  const passing = best(
    staying.filter((name) => !held.has(name)),
    limit,
  );
  const failing = best(
    staying.filter((name) => held.has(name)),
    limit - passing.length,
  );
  const needed = new Set([...passing, ...failing]);
  return staying.filter((name) => !needed.has(name)).map((name) => [name, held.get(name) ?? 'NotNeeded'] as const);
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
