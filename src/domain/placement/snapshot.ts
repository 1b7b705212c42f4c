import { DECISION_SIZE } from '../../api/names.js';
import type { ClusterView } from './cluster.js';
import type { StoredDecision } from './decision.js';
import type { PlacementRules } from './predicates.js';
import type { MatchedClusters } from './rank.js';

export type { ClusterView } from './cluster.js';
export type { StoredDecision } from './decision.js';
export type { Candidate, MatchedClusters } from './rank.js';

/** What a pass over one Placement decides on: plain values, all seen at one moment. */

/** A ManagedClusterSet. `readable`: its selector can be read, so that its members are known. */
export interface SetView {
  readonly name: string;
  readonly deleting: boolean;
  readonly readable: boolean;
}

/** A ManagedClusterSetBinding of the Placement's namespace. */
export interface BindingView {
  readonly name: string;
  readonly clusterSet: string;
  readonly deleting: boolean;
}

/** The Placement itself. `rules` are its spec, read by `compileSpec`; `status` is as stored, unchecked. */
export interface PlacementView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly rules: PlacementRules;
  readonly status: unknown;
}

/** Clusters of the readable eligible sets that are not being deleted, each once. Empty under misconfiguration. */
export interface Candidates {
  readonly count: number;
  readonly matched: MatchedClusters;
}

/** The decision objects' lists of clusters: `slots[n - 1]` is that of object n; an object that is not there is empty. */
export type Slots = readonly (readonly string[])[];

export interface PlacementSnapshot {
  readonly placement: PlacementView;
  /** All bindings of the namespace, in any order. */
  readonly bindings: readonly BindingView[];
  /** Those of the sets that the bindings name which exist. */
  readonly sets: ReadonlyMap<string, SetView>;
  readonly candidates: Candidates;
  /** Those of the clusters that `stored` or `remembered` name which exist, deleting or not, of any set. */
  readonly held: ReadonlyMap<string, ClusterView>;
  /** The decision objects that exist, in any order. */
  readonly stored: readonly StoredDecision[];
  /**
   * What this process last published for this very Placement (same UID), as `remember` gives it; undefined after a
   * restart and after a write whose outcome is unknown.
   */
  readonly remembered: Slots | undefined;
}

/**
 * The lists that count as selected, each cluster once: what is remembered, else what is stored in objects of this
 * Placement (an adoptable one included). A cluster that stands in several keeps the first place.
 */
export function currentSlots(snapshot: PlacementSnapshot): Slots {
  const lists = snapshot.remembered ?? storedLists(snapshot.stored);
  const seen = new Set<string>();
  return Array.from(lists, (list) => once(list ?? [], seen));
}

function storedLists(stored: readonly StoredDecision[]): (readonly string[])[] {
  const lists: (readonly string[])[] = [];
  for (const { ordinal, ownership, clusters } of stored) {
    if (ordinal !== undefined && (ownership === 'ours' || ownership === 'adoptable'))
      lists[ordinal - 1] = clusters.slice(0, DECISION_SIZE);
  }
  return lists;
}

function once(list: readonly string[], seen: Set<string>): string[] {
  const first: string[] = [];
  for (const name of list) {
    if (seen.has(name)) continue;
    seen.add(name);
    first.push(name);
  }
  return first;
}
