import type { ClusterHealth, Health } from '../../answers/fleetsummary.js';

/** The fleet: rows, counts, groups of the map, keys for filters. */

/**
 * In the order of sorting by health: what needs somebody comes first.
 */
export const HEALTHS: readonly Health[] = ['unavailable', 'silent', 'notJoined', 'deleting', 'noAgent', 'available'];

export type Counts = Readonly<Record<Health, number>>;

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

export interface Fleet {
  readonly total: number;
  readonly counts: Counts;
  /** How many the query matches. */
  readonly matched: number;
  readonly sets: readonly FacetValue[];
  /** The brake of health, as `status` says it; absent while it holds nothing. */
  readonly brake?: string;
  /** The index of the first row. */
  readonly after: number;
  readonly rows: readonly ClusterRow[];
  /** What is wrong with the query; then nothing is filtered. */
  readonly queryFault?: string;
  /** Where the query matches nothing: each of its terms, and how many match without it. */
  readonly without?: readonly { readonly term: string; readonly matched: number }[];
}

/** By what the map is grouped: `set`, `health`, `label:KEY` or `claim:KEY`. */
export interface FleetMap {
  readonly group: string;
  readonly matched: number;
  /** The clusters, group after group. */
  readonly names: readonly string[];
  /** One letter a cluster, in the order of `names`: the index in HEALTHS. */
  readonly health: string;
  readonly groups: readonly MapGroup[];
}

export interface MapGroup {
  /** Empty for clusters without the key, or in no set. */
  readonly value: string;
  readonly count: number;
  readonly counts: Counts;
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
