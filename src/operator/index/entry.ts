import type { PlacementRules } from '../../domain/placement/spec/predicates.js';
import type { PlacementEntry } from './affected.js';
import type { CandidatePool } from './candidatepools.js';
import type { FactWatch } from './factwatch.js';

/** A Placement as the index has it. */
export interface IndexedPlacement {
  readonly namespace: string;
  readonly rules: PlacementRules;
}

/** What has to be reconciled after a change of a cluster. */
export interface ClusterEffects {
  /** Keys of Placements, sorted. */
  readonly placements: readonly string[];
  /** Names of ManagedClusterSets whose number of members changed, or may have. */
  readonly sets: readonly string[];
  /** Keys of Placements that ask for moves, and whose scores may have changed: to be looked at once an interval. */
  readonly rescored: readonly Rescored[];
}

export const NO_EFFECTS: ClusterEffects = { placements: [], sets: [], rescored: [] };

export interface Rescored {
  readonly key: string;
  readonly afterMs: number;
}

/** A Placement with what the index keeps of it. */
export interface Entry extends IndexedPlacement, PlacementEntry {
  readonly key: string;
  pool: CandidatePool;
  unreadable: boolean;
  watch: FactWatch | undefined;
  isSpreadOpen: boolean;
  /** Reported as rescored and not reconciled since. */
  isRescored: boolean;
  pending: boolean;
}

/** A Placement of which nothing is decided yet. */
export function newEntry(
  key: string,
  { namespace, rules }: IndexedPlacement,
  joined: Pick<Entry, 'pool' | 'unreadable'>,
): Entry {
  const undecided = { watch: undefined, isSpreadOpen: true, isRescored: false, pending: false };
  return { key, namespace, rules, ...joined, ...undecided };
}

/** Those of the Placements that may select one of the clusters, and that no change has reported: each once until its next pass. */
export function rescoredAmong(
  ordinals: readonly number[],
  keys: Iterable<string>,
  placements: ReadonlyMap<string, Entry>,
): readonly Rescored[] {
  const found: Rescored[] = [];
  for (const key of keys) {
    const entry = placements.get(key);
    if (entry === undefined || entry.pending || entry.isRescored) continue;
    if (!ordinals.some((one) => entry.pool.clusters.has(one))) continue;
    entry.isRescored = true;
    found.push({ key, afterMs: (entry.rules.rebalance?.intervalSeconds ?? 0) * 1_000 });
  }
  return found;
}
