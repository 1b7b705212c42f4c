import type { Candidates, ClusterView } from '../../domain/placement/select/snapshot.js';
import { NO_TAINTS, sameTaints } from '../../domain/placement/spec/taint.js';
import { Bitset } from './bitset.js';

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
