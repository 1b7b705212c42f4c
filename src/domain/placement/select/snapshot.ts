import type { ClusterSelector } from '../../clusters/selector.js';
import type { DefinitionsNow } from '../stored/basis.js';
import type { Release } from '../spec/budget.js';
import type { ChangeTimes } from '../spec/changewindows.js';
import { isOwn, type StoredDecision, type Published } from '../stored/decision.js';
import { NO_TIMES, type Since } from '../stored/items.js';
import type { UnmatchedPredicate } from './unmatched.js';
import type { PlacementRules } from '../spec/predicates.js';
import type { ClusterView } from '../spec/cluster.js';
import { matchedClusters, type MatchedClusters } from './rank.js';
import type { Taint } from '../spec/taint.js';

export type { ClusterView } from '../spec/cluster.js';
export type { StoredDecision } from '../stored/decision.js';
export type { Slots } from '../stored/decision.js';
export type { Candidate, MatchedClusters } from './rank.js';

/** What the decision for one Placement is based on: plain values, all read at one moment. */

/** A ManagedClusterSet. Its members are known unless its selector is unreadable. */
export interface SetView {
  readonly name: string;
  readonly deleting: boolean;
  readonly selector: ClusterSelector;
  /** Left out where elective changes of its clusters may be made at any time. */
  readonly times?: ChangeTimes;
}

/** A ManagedClusterSetBinding of the Placement's namespace. */
export interface BindingView {
  readonly name: string;
  readonly clusterSet: string;
  readonly deleting: boolean;
}

/**
 * The Placement. `rules` is its spec, parsed by `compileSpec`; `release` and `releasedAdditions` its annotations, parsed by
 * `readRelease`; `status` is as stored, unchecked.
 */
export interface PlacementView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly rules: PlacementRules;
  readonly release: Release | undefined;
  readonly releasedAdditions: Release | undefined;
  readonly status: unknown;
}

/** The clusters of the readable eligible sets that are not being deleted, each once. Empty for an invalid spec. */
export interface Candidates {
  readonly count: number;
  has(name: string): boolean;
  readonly matched: MatchedClusters;
  /** Those of `matched` that have taints, by name. */
  readonly tainted: ReadonlyMap<string, readonly Taint[]>;
  /** How one of `matched` is. */
  view(name: string): ClusterView | undefined;
  /** The predicates that match none of them, and why; none unless the Placement `isShort`. */
  readonly unmatched: readonly UnmatchedPredicate[];
}

/** No candidate, as for an invalid spec. */
export const NO_CANDIDATES: Candidates = {
  count: 0,
  has: () => false,
  matched: matchedClusters([]),
  tainted: new Map(),
  view: () => undefined,
  unmatched: [],
};

/** Where nothing depends on the decisions of other Placements. */
export function noOthers(): number {
  return 0;
}

/** What exists of these names, by name. */
export function existing<T>(names: Iterable<string>, of: (name: string) => T | undefined): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const name of names) {
    const one = found.has(name) ? undefined : of(name);
    if (one !== undefined) found.set(name, one);
  }
  return found;
}

/** How a cluster and the eligible sets were when the decision before was made. */
export interface Before {
  readonly rules: PlacementRules;
  /** The sets that were eligible. */
  readonly eligible: readonly string[];
  /** Their selectors, where they are known: without them those of now count. */
  readonly selectors?: ReadonlyMap<string, ClusterSelector>;
  /** The cluster before its last change; undefined where none is known. */
  readonly cluster: (name: string) => ClusterView | undefined;
}

export interface PlacementSnapshot {
  readonly placement: PlacementView;
  /** All bindings of the namespace, in any order. */
  readonly bindings: readonly BindingView[];
  /** The existing sets that the bindings name. */
  readonly sets: ReadonlyMap<string, SetView>;
  /** All existing sets with `times`, also those that nothing binds to the namespace: their clusters may be selected by others. */
  readonly timedSets: readonly SetView[];
  readonly candidates: Candidates;
  /** The existing clusters that `stored` or `published` name, of any set, including those that are being deleted. */
  readonly selected: ReadonlyMap<string, ClusterView>;
  /** How many other Placements of the hub select the cluster; only where the rules ask for it, else 0. */
  readonly othersSelecting: (name: string) => number;
  /** The existing decision objects, in any order. */
  readonly stored: readonly StoredDecision[];
  /** What this process last published for this Placement (same UID), as `publishedBy` returns it; undefined after a restart. */
  readonly published: Published | undefined;
  /** The definitions of clusters, sets and bindings; undefined where they are not known. */
  readonly definitions: DefinitionsNow | undefined;
  /** When all of this was read: ms since the epoch, by the wall clock. */
  readonly now: number;
  /** What texts about a change name; no decision depends on it. Undefined where nothing is known of the decision before. */
  readonly before?: Before | undefined;
}

/**
 * Since when each selected cluster is selected: by the stored items and, for one whose object others have deleted, by what this
 * process remembers. A cluster that stands in two objects for a moment has the earlier time. None where the items have no times.
 */
export function selectedSince({ stored, published }: PlacementSnapshot): Since {
  const own = stored.filter((object) => isOwn(object) && object.since.size > 0);
  if (own.length === 0) return published?.since ?? NO_TIMES;
  const earliest = new Map<string, string>();
  for (const [name, time] of own.flatMap((object) => [...object.since])) {
    const known = earliest.get(name);
    if (known === undefined || Date.parse(time) < Date.parse(known)) earliest.set(name, time);
  }
  for (const [name, time] of published?.since ?? NO_TIMES) if (!earliest.has(name)) earliest.set(name, time);
  return earliest;
}
