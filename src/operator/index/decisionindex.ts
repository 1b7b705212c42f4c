import type { Slots } from '../../domain/placement/select/snapshot.js';
import type { IndexedDecision } from './reading.js';

/** Pairs of a Placement and a cluster, to be found by either of them. `key`: the key of the Placement. */
class Relation {
  /** Key of a Placement → its clusters. */
  readonly #clusters = new Map<string, Set<string>>();
  /** Cluster → the keys of its Placements. */
  readonly #placements = new Map<string, Set<string>>();

  add(key: string, cluster: string): void {
    addTo(this.#clusters, key, cluster);
    addTo(this.#placements, cluster, key);
  }

  remove(key: string, cluster: string): void {
    removeFrom(this.#clusters, key, cluster);
    removeFrom(this.#placements, cluster, key);
  }

  /** Makes `clusters` the only clusters of the Placement. */
  replace(key: string, clusters: readonly string[]): void {
    for (const cluster of this.#clusters.get(key) ?? []) removeFrom(this.#placements, cluster, key);
    this.#clusters.delete(key);
    for (const cluster of clusters) this.add(key, cluster);
  }

  placementsOf(cluster: string): Iterable<string> {
    return this.#placements.get(cluster) ?? [];
  }
}

/** Tells which Placements have selected a cluster, and which hold it, by the decisions that are committed. */
export class DecisionIndex {
  /** Key of a Placement → the lists of its last decision. */
  readonly #committed = new Map<string, Slots>();
  readonly #selected = new Relation();
  readonly #held = new Relation();

  /**
   * Enters the decision of a Placement. It costs O(changed and held clusters) when the decision was made from the lists
   * of the last one that was committed; otherwise, as when that one was not published, O(clusters before and after).
   */
  commit(key: string, { schedule, before, after }: IndexedDecision): void {
    const { kept, added, dropped, heldRemovals } = schedule;
    if (before !== undefined && this.#committed.get(key) === before) {
      for (const { cluster } of dropped) this.#selected.remove(key, cluster);
      for (const cluster of added) this.#selected.add(key, cluster);
    } else {
      this.#selected.replace(key, [...kept.flat(), ...added]);
    }
    this.#committed.set(key, after);
    this.#held.replace(
      key,
      heldRemovals.map(({ cluster }) => cluster),
    );
  }

  /** Forgets a Placement that is gone. */
  forget(key: string): void {
    this.#selected.replace(key, []);
    this.#held.replace(key, []);
    this.#committed.delete(key);
  }

  /** The keys of the Placements that have selected the cluster, held or not. */
  selecting(cluster: string): Iterable<string> {
    return this.#selected.placementsOf(cluster);
  }

  /** The keys of the Placements that hold the cluster although it fails a rule: each of its changes concerns them. */
  holding(cluster: string): Iterable<string> {
    return this.#held.placementsOf(cluster);
  }
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const values = sets.get(key);
  if (values === undefined) sets.set(key, new Set([value]));
  else values.add(value);
}

function removeFrom(sets: Map<string, Set<string>>, key: string, value: string): void {
  const values = sets.get(key);
  values?.delete(value);
  if (values?.size === 0) sets.delete(key);
}
