const NONE: ReadonlySet<string> = new Set();

/** The facts of clusters that some Placement names: the views of clusters have these and no others. */
export class NamedFacts {
  readonly #byPlacement = new Map<string, ReadonlySet<string>>();
  /** Name → how many Placements name it. */
  readonly #counts = new Map<string, number>();
  #all: ReadonlySet<string> = NONE;

  get all(): ReadonlySet<string> {
    return this.#all;
  }

  /** Replaces the facts that the Placement `key` names, none for one that is gone; returns whether {@link all} has changed. */
  put(key: string, names: ReadonlySet<string> = NONE): boolean {
    const before = this.#byPlacement.get(key) ?? NONE;
    let changed = false;
    for (const name of names) if (!before.has(name) && this.#add(name, 1) === 1) changed = true;
    for (const name of before) if (!names.has(name) && this.#add(name, -1) === 0) changed = true;
    if (names.size > 0) this.#byPlacement.set(key, names);
    else this.#byPlacement.delete(key);
    if (changed) this.#all = new Set(this.#counts.keys());
    return changed;
  }

  #add(name: string, difference: 1 | -1): number {
    const count = (this.#counts.get(name) ?? 0) + difference;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
    return count;
  }
}
