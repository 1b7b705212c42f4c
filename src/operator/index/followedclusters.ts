/** Which Placements are affected by every change of a cluster, beside those that its labels and sets concern. */
export class FollowedClusters {
  readonly #clusters = new Map<string, readonly string[]>();
  readonly #placements = new Map<string, Set<string>>();

  /** The Placement `key` follows these clusters, and no others any more. */
  follow(key: string, clusters: readonly string[]): void {
    for (const name of this.#clusters.get(key) ?? []) {
      const keys = this.#placements.get(name);
      keys?.delete(key);
      if (keys?.size === 0) this.#placements.delete(name);
    }
    if (clusters.length === 0) this.#clusters.delete(key);
    else this.#clusters.set(key, clusters);
    for (const name of clusters) {
      const keys = this.#placements.get(name) ?? new Set<string>();
      this.#placements.set(name, keys.add(key));
    }
  }

  /** The keys of the Placements that follow the cluster. */
  followers(cluster: string): Iterable<string> {
    return this.#placements.get(cluster) ?? [];
  }
}
