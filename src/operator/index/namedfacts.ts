import type { FactNames } from '../../domain/clusters/facts.js';

const NONE: ReadonlySet<string> = new Set();
/** Counts as the name of those that name all of them. */
const ALL = '*';
const EVERY: ReadonlySet<string> = new Set([ALL]);

/** The facts of clusters that some Placement names: the views of clusters have these and no others. */
export class NamedFacts {
  readonly #byPlacement = new Map<string, ReadonlySet<string>>();
  /** Name → how many Placements name it. */
  readonly #counts = new Map<string, number>();
  #all: FactNames = NONE;

  get all(): FactNames {
    return this.#all;
  }

  /** Replaces the facts that the Placement `key` names, none for one that is gone; returns whether {@link all} has changed. */
  put(key: string, named: FactNames = NONE): boolean {
    const names = named === 'all' ? EVERY : named;
    const before = this.#byPlacement.get(key) ?? NONE;
    let changed = false;
    for (const name of names) if (!before.has(name) && this.#add(name, 1) === 1) changed = true;
    for (const name of before) if (!names.has(name) && this.#add(name, -1) === 0) changed = true;
    if (names.size > 0) this.#byPlacement.set(key, names);
    else this.#byPlacement.delete(key);
    if (changed) this.#all = this.#counts.has(ALL) ? 'all' : new Set(this.#counts.keys());
    return changed;
  }

  #add(name: string, difference: 1 | -1): number {
    const count = (this.#counts.get(name) ?? 0) + difference;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
    return count;
  }
}
