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
}

/** A Placement with what the index keeps of it. */
export interface Entry extends IndexedPlacement, PlacementEntry {
  readonly key: string;
  pool: CandidatePool;
  unreadable: boolean;
  watch: FactWatch | undefined;
  isSpreadOpen: boolean;
  pending: boolean;
}
