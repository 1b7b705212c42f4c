/** Which Placements hold which clusters in their decisions. */
export class HolderIndex {
  readonly #clusters = new Map<string, Set<string>>();
  readonly #placements = new Map<string, Set<string>>();

  /** The Placement `key` holds these clusters and no others, in O(clusters before and after). */
  replace(key: string, clusters: Iterable<string>): void {
    this.forget(key);
    this.change(key, { added: clusters, dropped: [] });
  }

  /** The Placement holds other clusters than before, in O(changes). */
  change(
    key: string,
    { added, dropped }: { readonly added: Iterable<string>; readonly dropped: Iterable<string> },
  ): void {
    const held = this.#clusters.get(key) ?? new Set<string>();
    for (const name of dropped) {
      held.delete(name);
      this.#leave(key, name);
    }
    for (const name of added) {
      held.add(name);
      const holders = this.#placements.get(name);
      if (holders === undefined) this.#placements.set(name, new Set([key]));
      else holders.add(key);
    }
    if (held.size === 0) this.#clusters.delete(key);
    else this.#clusters.set(key, held);
  }

  /** The Placement is gone, or holds nothing. */
  forget(key: string): void {
    for (const name of this.#clusters.get(key) ?? []) this.#leave(key, name);
    this.#clusters.delete(key);
  }

  /** The keys of the Placements that hold the cluster. */
  holdersOf(cluster: string): Iterable<string> {
    return this.#placements.get(cluster) ?? [];
  }

  #leave(key: string, cluster: string): void {
    const holders = this.#placements.get(cluster);
    holders?.delete(key);
    if (holders?.size === 0) this.#placements.delete(cluster);
  }
}
