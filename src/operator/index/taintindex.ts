import type { Schedule } from '../../domain/placement/select/schedule.js';
import type { Candidates, ClusterView } from '../../domain/placement/select/snapshot.js';
import { NO_TAINTS, sameTaints } from '../../domain/placement/spec/taint.js';
import { Bitset } from './bitset.js';
import { HolderIndex } from './holders.js';

const NONE: Candidates['tainted'] = new Map();

/** The clusters with taints, and which Placements hold a cluster. Clusters without taints cost nothing. */
export class TaintIndex {
  /** Counts the changes of taints. */
  #changes = 0;
  /** Key of a Placement → the count when it read its candidates last. */
  readonly #seen = new Map<string, number>();
  readonly #tainted = new Bitset();
  readonly #holders = new HolderIndex();

  /** Applies a change of a cluster; returns the Placements that hold it when its taints have changed. */
  updateCluster(
    ordinal: number,
    before: ClusterView | undefined,
    after: ClusterView | undefined,
  ): Iterable<string> | undefined {
    const [were, are] = [before?.taints ?? NO_TAINTS, after?.taints ?? NO_TAINTS];
    if (sameTaints(were, are)) return undefined;
    this.#changes += 1;
    this.#tainted.put(ordinal, are.length > 0);
    return before === undefined || after === undefined ? undefined : this.#holders.holdersOf(after.name);
  }

  /** The taints of those of `matched` that have some, by name; `key`: the Placement that they are read for. */
  among(key: string, matched: Bitset, clusters: ReadonlyMap<number, ClusterView>): Candidates['tainted'] {
    this.#seen.set(key, this.#changes);
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

  /**
   * The Placement holds what was decided; `isFirst`: what it held before is not known here. Returns whether taints have
   * changed since it read its candidates.
   */
  settle(key: string, { kept, added, dropped }: Schedule, isFirst: boolean): boolean {
    if (isFirst) this.#holders.replace(key, [...kept.flat(), ...added]);
    else this.#holders.change(key, { added, dropped: dropped.map(({ cluster }) => cluster) });
    return (this.#seen.get(key) ?? this.#changes) !== this.#changes;
  }

  /** The Placement has other rules, and holds the same clusters: what it has read does not count any more. */
  rulesChanged(key: string): void {
    this.#seen.delete(key);
  }

  forget(key: string): void {
    this.#holders.forget(key);
    this.#seen.delete(key);
  }
}
