/** How many Placements select each cluster. */
export class SelectionCounts {
  readonly #clusters = new Map<string, ReadonlySet<string>>();
  readonly #counts = new Map<string, number>();

  keys(): Iterable<string> {
    return this.#clusters.keys();
  }

  /** Makes `clusters` what the Placement selects. */
  put(key: string, clusters: Iterable<string>): void {
    for (const name of this.#clusters.get(key) ?? []) this.#counts.set(name, (this.#counts.get(name) ?? 0) - 1);
    const selected = new Set(clusters);
    this.#clusters.set(key, selected);
    for (const name of selected) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** How many Placements other than this one select a cluster. */
  othersSelecting(key: string): (cluster: string) => number {
    return (name) => (this.#counts.get(name) ?? 0) - (this.#clusters.get(key)?.has(name) === true ? 1 : 0);
  }
}
