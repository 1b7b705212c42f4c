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

/** A change of the decision, as `history` has it. */
export interface Change {
  readonly time: string;
  /** Kind and name of the object whose change was the first. */
  readonly trigger: string;
  readonly added: readonly string[];
  readonly removed: readonly { readonly clusters: readonly string[]; readonly why: string }[];
  /** How many names did not fit. */
  readonly unnamed: number;
}

export interface Choice {
  readonly spread: readonly SpreadView[];
  /** Absent where nothing is preferred. */
  readonly scores?: ScoreTable;
  readonly pieces: readonly PieceView[];
  /** The newest first. */
  readonly changes: readonly Change[];
  readonly olderChanges: number;
}
