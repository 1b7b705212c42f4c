import type { ClusterHealth, Health } from '../../answers/fleetsummary.js';

/** The fleet: rows, counts, groups of the map, keys for filters. */

/**
 * In the order of sorting by health: what needs somebody comes first.
 */
export const HEALTHS: readonly Health[] = ['unavailable', 'silent', 'notJoined', 'deleting', 'noAgent', 'available'];

export interface ClusterRow extends ClusterHealth {
  readonly name: string;
  readonly sets: readonly string[];
  /** Kubernetes version; absent where the cluster has not said it. */
  readonly version?: string;
  /** How many decisions hold it. */
  readonly placements: number;
  /** Keys of its taints. */
  readonly taints: readonly string[];
}

export const SORTS = ['name', 'health', 'set', 'placements', 'version'] as const;

export type Sort = (typeof SORTS)[number];

export function isSort(text: string): text is Sort {
  return (SORTS as readonly string[]).includes(text);
}

/** By what the map may be grouped. */
export const GROUPING = /^(set|health|(label|claim):.+)$/s;

export interface FacetValue {
  readonly value: string;
  readonly count: number;
}

/** Clusters of one health or under maintenance, or Placements of one phase, of which some are named. */
export type Trouble = {
  readonly count: number;
  /** Names of clusters, or `namespace/name`. */
  readonly some: readonly string[];
} & (
  | { readonly kind: 'health'; readonly word: Health }
  | { readonly kind: 'maintenance' | 'phase'; readonly word: string }
);

export interface Fleet {
  readonly total: number;
  /** How many the query matches. */
  readonly matched: number;
  /** The brake of health, as `status` says it; absent while it holds nothing. */
  readonly brake?: string;
  /** What somebody has to look at, the worst first. */
  readonly trouble: readonly Trouble[];
  /** How many Placements could be read. */
  readonly placements: number;
  /** The index of the first row. */
  readonly after: number;
  readonly rows: readonly ClusterRow[];
  /** What is wrong with the query; then nothing is filtered. */
  readonly queryFault?: string;
  /** Where the query matches nothing: each of its terms, and how many match without it. */
  readonly without?: readonly { readonly term: string; readonly matched: number }[];
}

/** By what the map may be colored; `placement` and `score`: by one Placement. */
export const COLORING = /^(health|version|(placement|score):[^/]+\/[^/]+)$/s;

/** By what the map is grouped: `set`, `health`, `label:KEY` or `claim:KEY`. */
export interface FleetMap {
  readonly group: string;
  /** It is not known in which sets the clusters are. */
  readonly setsUnread?: true;
  readonly color: string;
  readonly matched: number;
  /** The clusters, group after group. */
  readonly names: readonly string[];
  /** One digit a cluster, in the order of `names`: the index in `legend`. */
  readonly marks: string;
  /** What the cells can be, as they are sorted within a group; ten at most. */
  readonly legend: readonly LegendRow[];
  readonly groups: readonly MapGroup[];
  /** By what else it can be colored: some Placements, those in trouble first. */
  readonly colors: readonly string[];
}

/** A health, what a Placement or a plan does with a cluster, a range of scores, or a version. */
export interface LegendRow {
  readonly key: string;
  readonly count: number;
}

export interface MapGroup {
  /** Empty for clusters without the key, or in no set. */
  readonly value: string;
  readonly count: number;
  /** How many cells of each row of the legend. */
  readonly counts: readonly number[];
  /** The term that filters this group; absent for clusters without a value. */
  readonly term?: string;
}

export interface Key {
  readonly source: 'label' | 'claim';
  readonly key: string;
  readonly clusters: number;
  /** The most frequent values. */
  readonly values: readonly FacetValue[];
}
