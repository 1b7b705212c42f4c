import type { Problem } from '../selectors.js';
import { eligibleSets } from './eligible.js';
import type { Eligibility } from './eligible.js';
import { matches } from './predicates.js';
import { matchedClusters, seedOf, topRanked } from './rank.js';
import type { Candidate } from './rank.js';
import { currentSlots } from './snapshot.js';
import type { PlacementSnapshot, Slots } from './snapshot.js';

/**
 * Why a cluster that was selected is not any more. `Gone`: the object does not exist; `NotMember`: in no readable
 * eligible set. These two rest on the absence of an object and may need proof of it.
 */
export type DropCause = 'Gone' | 'Deleting' | 'NotMatched' | 'NotMember' | 'NotNeeded';

export interface Dropped {
  readonly cluster: string;
  readonly cause: DropCause;
}

/** What a Placement selects. Lists of names are each once; no cluster is both kept and added. */
export interface Schedule {
  readonly eligibility: Eligibility;
  /** The field that cannot be read; the last decision then stays, less clusters that are deleted. */
  readonly problem: Problem | undefined;
  /** numberOfClusters; undefined for all that match. */
  readonly wanted: number | undefined;
  /** Candidates, with those kept because a set is unreadable; 0 under a `problem`, as `matched` is. */
  readonly candidates: number;
  readonly matched: number;
  /** What counted as selected before, by decision object. */
  readonly current: Slots;
  /** Selected before and still: by decision object, in their order there. */
  readonly kept: Slots;
  /** Newly selected, highest rank first. */
  readonly added: readonly string[];
  /** Sorted by name. */
  readonly dropped: readonly Dropped[];
}

/** The selection that the snapshot calls for: the same whatever the order of its lists. */
export function schedule(snapshot: PlacementSnapshot): Schedule {
  const { placement, candidates } = snapshot;
  const eligibility = eligibleSets(placement.rules, snapshot.bindings, snapshot.sets);
  const { problem, wanted } = placement.rules;
  const current = currentSlots(snapshot);
  const dropped = new Map<string, DropCause>();
  let staying = 0;
  let unlisted = 0;
  for (const name of current.flat()) {
    const cause = dropCause(snapshot, eligibility, name);
    if (cause !== undefined) dropped.set(name, cause);
    else staying++;
    if (cause === undefined && !candidates.matched.has(name)) unlisted++;
  }
  const limit = problem === undefined ? (wanted ?? Infinity) : Infinity;
  if (staying > limit) dropLowest(current, dropped, limit, snapshot);
  const kept = current.map((list) => list.filter((name) => !dropped.has(name)));
  const open = problem === undefined && candidates.matched.size > staying - unlisted ? limit - staying : 0;
  return {
    eligibility,
    problem,
    wanted,
    candidates: problem === undefined ? candidates.count + unlisted : 0,
    matched: problem === undefined ? candidates.matched.size + unlisted : 0,
    current,
    kept,
    added: bestNewClusters(snapshot, current, open),
    dropped: [...dropped]
      .map(([cluster, cause]) => ({ cluster, cause }))
      .sort((a, b) => (a.cluster < b.cluster ? -1 : 1)),
  };
}

/** Whether the schedule for the snapshot drops a cluster because an object is missing, which may need proof. */
export function dropsForAbsence(snapshot: PlacementSnapshot): boolean {
  const eligibility = eligibleSets(snapshot.placement.rules, snapshot.bindings, snapshot.sets);
  return currentSlots(snapshot).some((names) =>
    names.some((name) => {
      const cause = dropCause(snapshot, eligibility, name);
      return cause === 'Gone' || cause === 'NotMember';
    }),
  );
}

/** The clusters that a schedule selects, in no promised order. */
export function selected(of: Schedule): readonly string[] {
  return [...of.kept.flat(), ...of.added];
}

function dropCause(snapshot: PlacementSnapshot, eligibility: Eligibility, name: string): DropCause | undefined {
  const cluster = snapshot.held.get(name);
  if (cluster === undefined) return 'Gone';
  if (cluster.deleting) return 'Deleting';
  const { rules } = snapshot.placement;
  if (rules.problem !== undefined || snapshot.candidates.matched.has(name)) return undefined;
  if (!matches(rules, cluster)) return 'NotMatched';
  return eligibility.unreadable.length > 0 ? undefined : 'NotMember';
}

/** Marks the lowest ranked of those that stay, down to `limit`. */
function dropLowest(current: Slots, dropped: Map<string, DropCause>, limit: number, snapshot: PlacementSnapshot): void {
  const staying = current.flat().filter((name) => !dropped.has(name));
  const best = topRanked(
    matchedClusters(staying),
    limit,
    seedOf(snapshot.placement.namespace, snapshot.placement.name),
  );
  const needed = new Set(best.map((one) => one.name));
  for (const name of staying) if (!needed.has(name)) dropped.set(name, 'NotNeeded');
}

/** The `open` best of the candidates that match and were not selected before. */
function bestNewClusters(
  { placement, candidates }: PlacementSnapshot,
  current: Slots,
  open: number,
): readonly string[] {
  if (open <= 0) return [];
  const known = new Set(current.flat());
  const others = function* (): Generator<Candidate> {
    for (const candidate of candidates.matched) if (!known.has(candidate.name)) yield candidate;
  };
  return topRanked(others(), open, seedOf(placement.namespace, placement.name)).map((one) => one.name);
}
