import type { CandidatePool, CandidatePoolChange } from './candidatepools.js';
import { matches, type PlacementRules } from '../domain/placement/predicates.js';
import type { ClusterView } from '../domain/placement/snapshot.js';

/** What the rules below need to know of a Placement. */
export interface PlacementEntry {
  readonly rules: PlacementRules;
  readonly pool: CandidatePool;
  /** A set that it may select from cannot be read: it may hold clusters that are no candidates. */
  readonly unreadable: boolean;
  /** Named already, and not looked at since: need not be named again. */
  readonly pending: boolean;
}

/** A change of one cluster, folded into the pools and the matches already. */
export interface ClusterChange<W extends PlacementEntry> {
  readonly ordinal: number;
  readonly before: ClusterView | undefined;
  readonly after: ClusterView | undefined;
  readonly moves: readonly CandidatePoolChange[];
  /** The Placements whose predicates name a label or claim that changed. */
  readonly named: Iterable<W>;
  /** Those that keep clusters which are no candidates: misconfigured, or with a set that cannot be read. */
  readonly wide: Iterable<W>;
}

/**
 * The Placements that a cluster's change can change:
 * - it enters or leaves the list of candidates, and matches, or is the first to come or the last to go;
 * - it stays a candidate (or may be held without being one) and begins or ceases to match;
 * - it is deleted, and the Placement may hold clusters that are no candidates.
 */
export function affected<W extends PlacementEntry>(
  change: ClusterChange<W>,
  find: (key: string) => W | undefined,
): ReadonlySet<W> {
  const found = new Set<W>();
  for (const move of change.moves) {
    if (move.was === move.now) continue;
    for (const key of move.pool.placements) {
      const watcher = find(key);
      if (watcher !== undefined && !watcher.pending && cares(watcher, move, change)) found.add(watcher);
    }
  }
  for (const watcher of change.named) if (!watcher.pending && flips(watcher, change)) found.add(watcher);
  if (dies(change)) for (const watcher of change.wide) found.add(watcher);
  return found;
}

function cares<W extends PlacementEntry>(
  { rules }: W,
  move: CandidatePoolChange,
  { before, after }: ClusterChange<W>,
): boolean {
  if (move.turned) return true;
  const view = move.now ? after : before;
  return view !== undefined && matches(rules, view);
}

function flips<W extends PlacementEntry>(
  { rules, pool, unreadable }: W,
  { ordinal, before, after }: ClusterChange<W>,
): boolean {
  if (before === undefined || after === undefined) return false;
  if (!unreadable && !pool.clusters.has(ordinal)) return false;
  return matches(rules, before) !== matches(rules, after);
}

function dies<W extends PlacementEntry>({ before, after }: ClusterChange<W>): boolean {
  return before?.deleting === false && after?.deleting !== false;
}
