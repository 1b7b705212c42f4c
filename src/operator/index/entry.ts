import type { PlacementRules } from '../../domain/placement/spec/predicates.js';
import type { PlacementEntry } from './affected.js';
import type { CandidatePool } from './candidatepools.js';
import type { MessageWatch } from './messagewatch.js';

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
  /** Keys of Placements to be looked at once an interval: scores by which clusters move may have changed, or details of items have. */
  readonly delayed: readonly Delayed[];
}

export const NO_EFFECTS: ClusterEffects = { placements: [], sets: [], delayed: [] };

export interface Delayed {
  readonly key: string;
  readonly afterMs: number;
}

/** A Placement with what the index keeps of it. */
export interface Entry extends IndexedPlacement, PlacementEntry {
  readonly key: string;
  pool: CandidatePool;
  unreadable: boolean;
  watch: MessageWatch | undefined;
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

/**
 * The values of labels and claims are written so long after the first that changes, with all that have changed until then: a
 * claim that never rests costs a write of each object in this time, not one for each change.
 */
const DETAILS_MS = 5_000;

/** Those of the Placements that have selected the cluster, and that no change has reported. */
export function detailedAmong(
  keys: Iterable<string>,
  selecting: ReadonlySet<string>,
  placements: ReadonlyMap<string, Entry>,
): readonly Delayed[] {
  const found = [...keys].filter((key) => selecting.has(key) && placements.get(key)?.pending === false);
  return found.map((key) => ({ key, afterMs: DETAILS_MS }));
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
    found.push({ key, afterMs: (entry.rules.rebalance?.intervalSeconds ?? 0) * 1_000 });
  }
  return found;
}
