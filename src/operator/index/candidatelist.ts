import { clusterHash, type MatchedClusters } from '../../domain/placement/select/rank.js';
import type { Candidate, Candidates, ClusterView } from '../../domain/placement/select/snapshot.js';
import { NO_TAINTS, sameTaints } from '../../domain/placement/spec/taint.js';
import { Bitset } from './bitset.js';
import type { MembershipIndex } from './membershipindex.js';

interface Listed extends Candidate {
  readonly view: ClusterView;
}

const NONE: Candidates['tainted'] = new Map();

/** All clusters by ordinal, and lists of them that do not follow later changes. Clusters without taints cost nothing more. */
export class CandidateList {
  /** How many changes of taints there were. */
  changes = 0;
  readonly #membership: MembershipIndex;
  /** Those that are gone stay until the ordinal is used again; and so do they in `#tainted`. */
  #clusters: Listed[] = [];
  /** Whether a list has `#clusters`: only the first change after it copies them. */
  #isShared = false;
  readonly #tainted = new Bitset();

  /** `membership`: the ordinals. */
  constructor(membership: MembershipIndex) {
    this.#membership = membership;
  }

  /** Notes how the cluster at `ordinal` is now; returns whether its taints have changed. */
  put(ordinal: number, view: ClusterView): boolean {
    const { name, taints } = view;
    const before = this.#clusters[ordinal];
    const known = before?.name === name ? before : undefined;
    if (this.#isShared) this.#clusters = [...this.#clusters];
    this.#isShared = false;
    this.#clusters[ordinal] = { name, hash: known?.hash ?? clusterHash(name), view };
    this.#tainted.put(ordinal, taints.length > 0);
    const isRetainted = !sameTaints(known?.view.taints ?? NO_TAINTS, taints);
    if (isRetainted) this.changes += 1;
    return isRetainted;
  }

  /** The clusters at `ordinals`, which must not change any more, as they are now, and how one of them is. */
  at(ordinals: Bitset): MatchedClusters & Pick<Candidates, 'view'> {
    const clusters = this.#clusters;
    this.#isShared = true;
    let all: readonly Listed[] | undefined;
    const values = (): readonly Listed[] => (all ??= listedAt(ordinals, clusters));
    let byName: ReadonlyMap<string, Listed> | undefined;
    const find = (name: string): Listed | undefined => {
      const ordinal = this.#membership.ordinalOf(name);
      const found = ordinal === undefined ? undefined : clusters[ordinal];
      if (ordinal !== undefined && found?.name === name) return ordinals.has(ordinal) ? found : undefined;
      // The cluster is unknown, or its ordinal has changed since: the list alone decides.
      byName ??= new Map(values().map((one) => [one.name, one]));
      return byName.get(name);
    };
    return {
      size: ordinals.size,
      has: (name) => find(name) !== undefined,
      view: (name) => find(name)?.view,
      [Symbol.iterator]: () => values()[Symbol.iterator](),
    };
  }

  /** The taints of those of the clusters at `ordinals` that have some, by name. */
  taintedAt(ordinals: Bitset): Candidates['tainted'] {
    if (this.#tainted.size === 0) return NONE;
    const common = this.#tainted.copy();
    common.keepAll(ordinals);
    return new Map(listedAt(common, this.#clusters).map(({ name, view }) => [name, view.taints]));
  }
}

function listedAt(ordinals: Bitset, clusters: readonly Listed[]): readonly Listed[] {
  const found: Listed[] = [];
  ordinals.forEach((ordinal) => {
    const cluster = clusters[ordinal];
    if (cluster !== undefined) found.push(cluster);
  });
  return found;
}
