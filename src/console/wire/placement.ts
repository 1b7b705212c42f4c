import type { ClusterHealth, Health } from '../../answers/fleetsummary.js';
import type { Condition, PlacementSummary } from '../../answers/status.js';
import type { PlacementAction } from '../../answers/actions/action.js';
import type { ClusterAnswer } from '../../answers/cluster.js';
import type { FunnelStep } from '../../answers/explain/funnel.js';
import type { PlacementExplanation } from '../../answers/explain/document.js';
import type { DecisionHistory } from '../../answers/history.js';

/** Placements: the list, one with its funnel, the matrix of requirements. */

/** The phase of every Placement while nothing is decided. */
export const UNDECIDED = 'Undecided';

/** The phases that somebody has to look at, the worst first: on every page. One that holds clusters is `Held`, too. */
export const WORST_FIRST = [
  UNDECIDED,
  'Misconfigured',
  'Unsatisfied',
  'PartiallySatisfied',
  'Held',
  'Paused',
  'Waiting',
];

/** The phase that a Placement is shown with: one that holds clusters is held, whatever else it is. */
export function shownPhase({ phase, held }: Pick<PlacementSummary, 'phase' | 'held'>): string {
  return held ? 'Held' : phase;
}

export interface PlacementRow extends PlacementSummary {
  readonly selected: number;
  /** Absent: all that match. */
  readonly wanted?: number;
  /** Since when it is so, RFC 3339; absent without a status. */
  readonly since?: string;
  /** `7 silent and 3 unavailable` of its clusters; absent where all answer. */
  readonly gone?: string;
}

export interface Placements {
  readonly total: number;
  readonly rows: readonly PlacementRow[];
}

export interface PlacementView {
  /** What `explain placement NAME -o json` prints, with the clusters whose scores are shown alone: the selected ones by rank, and those that would be next. */
  readonly explanation: PlacementExplanation;
  readonly since?: string;
  /** As in {@link PlacementRow}. */
  readonly gone?: string;
  readonly selected: number;
  /** Which clusters somebody looks at first: those that just miss it, where some are missing. */
  readonly first: 'in' | 'near';
  /** Whether the spec is valid, and clusters, sets and bindings could be read: else only the decision is known. */
  readonly isKnown: boolean;
  readonly funnel: readonly FunnelStep[];
  readonly spread: readonly SpreadView[];
  readonly pieces: readonly PieceView[];
  /** The names of its decision objects. */
  readonly objects: readonly string[];
  readonly history: DecisionHistory;
  readonly notes: readonly PlacementNote[];
  readonly conditions: readonly Condition[];
  /** As somebody would apply it. */
  readonly manifest: string;
  readonly deleting: boolean;
  /** Whether its spec says so. */
  readonly paused: boolean;
}

/** What holds, releases, is not published or was left out, as `explain` says it, or what helps. */
export interface PlacementNote {
  readonly text: string;
  /** Of what helps, or of the action that ends it. */
  readonly command?: readonly string[];
  readonly end?: PlacementAction;
}

export const SHOWS = ['in', 'near', 'out', 'all'] as const;

type VerdictWord = ClusterAnswer['matchedBy'][number]['verdict'];

/** Which clusters are shown: of these four, or those of one verdict. */
export type Show = (typeof SHOWS)[number] | VerdictWord;

export interface Requirement {
  /** Index of the predicate. */
  readonly predicate: number;
  readonly source: string;
  /** `tier=gold`. */
  readonly text: string;
  /** How many candidates meet it, and how many fail this one alone. */
  readonly met: number;
  readonly failsAlone: number;
}

export interface Cell {
  readonly met: boolean;
  /** The cluster does not meet it, and matches another predicate: it does not matter. */
  readonly isSpare?: true;
  /** Absent where the cluster does not have the key. */
  readonly found?: string;
}

export interface MatrixRow {
  readonly name: string;
  /** Absent for a cluster that does not exist any more, or that could not be read. */
  readonly health?: Health;
  readonly verdict: VerdictWord;
  readonly rank?: number;
  readonly why: string;
  /** One for each requirement; empty for a cluster that does not exist any more. */
  readonly cells: readonly Cell[];
}

export interface Matrix {
  readonly requirements: readonly Requirement[];
  /** How many clusters each view has, of those whose names contain the filter. */
  readonly totals: Readonly<Record<(typeof SHOWS)[number], number>>;
  /** The same of each verdict that one of them has. */
  readonly verdicts: Readonly<Partial<Record<VerdictWord, number>>>;
  readonly show: Show;
  readonly after: number;
  readonly rows: readonly MatrixRow[];
  /** Where none has the filter in its name: some that do, and that are in none of its cluster sets. */
  readonly elsewhere?: readonly string[];
}

/** The health of a cluster; absent for one that is as it should be. */
export type TroubledHealth = Partial<ClusterHealth>;

/** `explain placement NAME --cluster CLUSTER`, line by line. */
export interface WhyCluster extends TroubledHealth {
  readonly lines: readonly string[];
}

export interface SpreadView {
  /** `claim region`. */
  readonly key: string;
  readonly maxSkew: number;
  readonly minDomains?: number;
  /** Whether it keeps clusters out. */
  readonly isStrict: boolean;
  /** The most clusters that a domain may have now. */
  readonly most: number;
  /** Selected clusters that do not have the key. */
  readonly without: number;
  readonly domains: readonly { readonly value: string; readonly count: number }[];
}

/** A part of the decision that belongs to a group. */
export interface PieceView {
  /** The name of the group. */
  readonly text: string;
  readonly clusters: readonly string[];
}
