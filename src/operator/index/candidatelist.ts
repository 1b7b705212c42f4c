import { clusterHash, type MatchedClusters } from '../../domain/placement/select/rank.js';
import type { Candidate, ClusterView } from '../../domain/placement/select/snapshot.js';
import type { Bitset } from './bitset.js';
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
