import type { DecisionHistory } from '../../answers/history.js';

/** How a Placement chooses among the clusters that match, and what has changed in its decision. */

export interface SpreadView {
  /** `claim region`. */
  readonly key: string;
  readonly maxSkew: number;
  readonly minDomains?: number;
  /** Whether it keeps clusters out. */
  readonly isStrict: boolean;
  /** So many clusters a domain may have now. */
  readonly most: number;
  /** Selected clusters that do not have the key. */
  readonly without: number;
  readonly domains: readonly { readonly value: string; readonly count: number }[];
}

export interface ScoreTable {
  readonly coordinates: readonly { readonly text: string; readonly weight: number }[];
  /** The selected clusters by rank, and those that would be next; the lists may be cut. */
  readonly rows: readonly ScoreRow[];
}

export interface ScoreRow {
  readonly name: string;
  readonly verdict: string;
  readonly score: number;
  readonly parts: readonly { readonly value: string; readonly points: number }[];
}

/** A part of the decision that belongs to a group. */
export interface PieceView {
  /** `piece 0 (group canary)`. */
  readonly text: string;
  readonly clusters: readonly string[];
}

export interface Choice {
  readonly spread: readonly SpreadView[];
  /** Absent where nothing is preferred. */
  readonly scores?: ScoreTable;
  readonly pieces: readonly PieceView[];
  /** The newest first. */
  readonly changes: DecisionHistory['changes'];
  readonly olderChanges: number;
}
