import { chosen } from '../../domain/placement/select/decision.js';
import { isKeptBySet } from '../../domain/placement/select/holders.js';
import type { Published } from '../../domain/placement/stored/decision.js';
import { Multimap } from './multimap.js';
import type { IndexedDecision } from './reading.js';

/** Pairs of a Placement and a cluster, to be found by either of them. `key`: the key of the Placement. */
class Relation {
  /** Key of a Placement → its clusters. */
  readonly #clusters = new Multimap<string, string>();
  /** Cluster → the keys of its Placements. */
  readonly #placements = new Multimap<string, string>();

  add(key: string, cluster: string): void {
    this.#clusters.add(key, cluster);
    this.#placements.add(cluster, key);
  }

  remove(key: string, cluster: string): void {
    this.#clusters.delete(key, cluster);
    this.#placements.delete(cluster, key);
  }

  /** Makes `clusters` the only clusters of the Placement. */
  replace(key: string, clusters: readonly string[]): void {
    for (const cluster of this.#clusters.get(key)) this.#placements.delete(cluster, key);
    this.#clusters.clear(key);
    for (const cluster of clusters) this.add(key, cluster);
  }

  clustersOf(key: string): ReadonlySet<string> {
    return this.#clusters.get(key);
  }

  placementsOf(cluster: string): ReadonlySet<string> {
    return this.#placements.get(cluster);
  }

  /** How many Placements other than this one have the cluster. */
  othersOf(key: string, cluster: string): number {
    const placements = this.#placements.get(cluster);
    return placements.size - (placements.has(key) ? 1 : 0);
  }
}

/** The clusters in the stored decision objects of a Placement. */
export type StoredClusters = (key: string) => readonly string[];

/** Tells which Placements have selected a cluster, and which hold it, by the decisions that are committed. */
export class DecisionIndex {
  /** Key of a Placement → what is published by its last decision. */
  readonly #committed = new Map<string, Published>();
  /** The Placements without a committed decision, also because another process may have published since the last one. */
  readonly #unknown = new Set<string>();
  readonly #storedOf: StoredClusters;
  readonly #selected = new Relation();
  readonly #held = new Relation();

  /** `storedOf` is asked about a Placement of which no decision was committed yet. */
  constructor(storedOf: StoredClusters = () => []) {
    this.#storedOf = storedOf;
  }

  /**
   * Enters the decision of a Placement. This costs O(changed and held clusters) if the decision began with what the last committed
   * one publishes, and O(clusters before and after) if not, for instance because that one could not be published.
   */
  commit(key: string, { decision, before, after }: IndexedDecision): void {
    const isNext = before !== undefined && this.#committed.get(key) === before;
    if (!isNext) this.#selected.replace(key, chosen(decision));
    this.#held.replace(key, []);
    for (const [cluster, fate] of decision.fates) {
      const { kind } = fate;
      if (kind === 'held' || (fate.kind === 'keptOut' && isKeptBySet(fate.by))) this.#held.add(key, cluster);
      else if (isNext && kind === 'leaves') this.#selected.remove(key, cluster);
      else if (isNext && kind === 'comesIn') this.#selected.add(key, cluster);
    }
    this.#committed.set(key, after);
    this.#unknown.delete(key);
  }

  /** Forgets a Placement that is gone. Returns the clusters that it had selected. */
  forget(key: string): readonly string[] {
    const selected = [...this.#selected.clustersOf(key)];
    this.#selected.replace(key, []);
    this.#held.replace(key, []);
    this.#committed.delete(key);
    this.#unknown.delete(key);
    return selected;
  }

  /** Notes that the Placement exists. */
  addPlacement(key: string): void {
    if (!this.#committed.has(key)) this.#unknown.add(key);
  }

  /** To be called when another process may have published since the last commits. */
  doubt(): void {
    for (const key of this.#committed.keys()) this.#unknown.add(key);
    this.#committed.clear();
  }

  /** How many other Placements have selected a cluster, by their committed decision or, without one, by what is stored. */
  othersSelecting(key: string): (cluster: string) => number {
    for (const unknown of this.#unknown) this.#selected.replace(unknown, this.#storedOf(unknown));
    this.#unknown.clear();
    return (cluster) => this.#selected.othersOf(key, cluster);
  }

  /** The keys of the Placements that have selected the cluster, held or not. */
  selecting(cluster: string): ReadonlySet<string> {
    return this.#selected.placementsOf(cluster);
  }

  /** Whether clusters of the Placement are held, or wait. */
  isHolding(key: string): boolean {
    return this.#held.clustersOf(key).size > 0;
  }

  /**
   * The keys of the Placements in which the cluster fails a rule and is held or waits, or is kept out by a set of it. They are woken
   * by each of its changes.
   */
  holding(cluster: string): ReadonlySet<string> {
    return this.#held.placementsOf(cluster);
  }
}
