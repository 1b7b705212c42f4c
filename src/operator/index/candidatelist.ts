import type { Candidates, ClusterView, Candidate } from '../../domain/placement/select/snapshot.js';
import { NO_TAINTS, sameTaints } from '../../domain/placement/spec/taint.js';
import { Bitset } from './bitset.js';
import { clusterHash, type MatchedClusters } from '../../domain/placement/select/rank.js';
import type { MembershipIndex } from './membershipindex.js';

/** How the cluster of this name is; undefined for one that is not in a list. */
export type ViewOf = (name: string) => ClusterView | undefined;

/** A list by ordinal. What `share` returns does not follow later changes: only the first of them copies it. */
class SharedList<T> {
  #items: T[] = [];
  #isShared = false;

  set(ordinal: number, item: T): void {
    if (this.#isShared) this.#items = [...this.#items];
    this.#isShared = false;
    this.#items[ordinal] = item;
  }

  share(): readonly T[] {
    this.#isShared = true;
    return this.#items;
  }
}

/** The names and views of all clusters by ordinal, and lists of them that do not follow later changes. */
export class CandidateList {
  readonly #membership: MembershipIndex;
  /** Those of clusters that are gone stay until the ordinal is used again. */
  readonly #candidates = new SharedList<Candidate>();
  /** Likewise, those that are gone included. */
  readonly #views = new SharedList<ClusterView>();

  /** `membership`: the ordinals. */
  constructor(membership: MembershipIndex) {
    this.#membership = membership;
  }

  add(ordinal: number, name: string): void {
    this.#candidates.set(ordinal, { name, hash: clusterHash(name) });
  }

  /** Notes how the cluster at `ordinal` is now. */
  put(ordinal: number, view: ClusterView): void {
    this.#views.set(ordinal, view);
  }

  /** How the clusters at `ordinals`, which must not change any more, are now. Only the first change after it costs anything. */
  viewsAt(ordinals: Bitset): ViewOf {
    const views = this.#views.share();
    let byName: Map<string, ClusterView> | undefined;
    return (name) => {
      const ordinal = this.#membership.ordinalOf(name);
      const view = ordinal === undefined ? undefined : views[ordinal];
      if (ordinal !== undefined && view?.name === name) return ordinals.has(ordinal) ? view : undefined;
      byName ??= viewsByName(ordinals, views);
      return byName.get(name);
    };
  }

  /** The clusters at `ordinals`, which must not change any more, as they are called now. */
  at(ordinals: Bitset): MatchedClusters {
    const candidates = this.#candidates.share();
    let all: readonly Candidate[] | undefined;
    const values = (): readonly Candidate[] => (all ??= candidatesAt(ordinals, candidates));
    let names: Set<string> | undefined;
    return {
      size: ordinals.size,
      has: (name) => {
        const ordinal = this.#membership.ordinalOf(name);
        if (ordinal !== undefined && candidates[ordinal]?.name === name) return ordinals.has(ordinal);
        // The cluster is unknown, or its ordinal has changed since: the copy alone decides.
        names ??= new Set(values().map((one) => one.name));
        return names.has(name);
      },
      [Symbol.iterator]: () => values()[Symbol.iterator](),
    };
  }
}

function candidatesAt(ordinals: Bitset, candidates: readonly Candidate[]): readonly Candidate[] {
  const found: Candidate[] = [];
  ordinals.forEach((ordinal) => {
    const candidate = candidates[ordinal];
    if (candidate !== undefined) found.push(candidate);
  });
  return found;
}

function viewsByName(ordinals: Bitset, views: readonly ClusterView[]): Map<string, ClusterView> {
  const found = new Map<string, ClusterView>();
  ordinals.forEach((ordinal) => {
    const view = views[ordinal];
    if (view !== undefined) found.set(view.name, view);
  });
  return found;
}

const NONE: Candidates['tainted'] = new Map();

/** The clusters with taints. Clusters without taints cost nothing. */
export class TaintIndex {
  readonly #tainted = new Bitset();
  #changes = 0;

  /** How many changes of taints there were. */
  get changes(): number {
    return this.#changes;
  }

  /** Applies a change of a cluster; returns whether its taints have changed. */
  updateCluster(ordinal: number, before: ClusterView | undefined, after: ClusterView | undefined): boolean {
    const [were, are] = [before?.taints ?? NO_TAINTS, after?.taints ?? NO_TAINTS];
    if (sameTaints(were, are)) return false;
    this.#changes += 1;
    this.#tainted.put(ordinal, are.length > 0);
    return true;
  }

  /** The taints of those of `matched` that have some, by name. */
  among(matched: Bitset, clusters: ReadonlyMap<number, ClusterView>): Candidates['tainted'] {
    if (this.#tainted.size === 0) return NONE;
    const common = this.#tainted.copy();
    common.keepAll(matched);
    const found = new Map<string, ClusterView['taints']>();
    for (const ordinal of common.values()) {
      const cluster = clusters.get(ordinal);
      if (cluster !== undefined) found.set(cluster.name, cluster.taints);
    }
    return found;
  }
}
