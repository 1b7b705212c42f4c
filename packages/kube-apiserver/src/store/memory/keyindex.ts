import type { Entry } from '../store.js';

/**
 * Entries by key, sorted on demand. A change costs one look-up; the next read restores the order. A returned list never
 * changes; it costs a copy of the pointers.
 */
export class KeyIndex {
  readonly #entries = new Map<string, Entry>();
  #sorted: Entry[] = [];
  /** The changes since `#sorted` was in order; undefined for a removed entry. */
  #changed = new Map<string, Entry | undefined>();

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  set(entry: Entry): void {
    this.#entries.set(entry.key, entry);
    this.#changed.set(entry.key, entry);
  }

  delete(key: string): void {
    if (this.#entries.delete(key)) this.#changed.set(key, undefined);
  }

  /** Entries whose keys start with a prefix, in order of keys, as a new array. */
  list(prefix: string): Entry[] {
    this.#sorted = applyEntries(this.#sorted, this.#changed);
    this.#changed = new Map();
    const from = firstWhere(this.#sorted, ({ key }) => key >= prefix);
    return this.#sorted.slice(
      from,
      firstWhere(this.#sorted, ({ key }) => key > prefix && !key.startsWith(prefix)),
    );
  }
}

/**
 * Applies changed entries (undefined removes one) to a list that is sorted by key. Changes it in place where no entry
 * moves.
 * @returns the list, or a new one
 */
export function applyEntries(sorted: Entry[], states: ReadonlyMap<string, Entry | undefined>): Entry[] {
  const moved: [key: string, entry: Entry | undefined][] = [];
  for (const [key, entry] of states) {
    const at = indexOf(sorted, key);
    if (entry !== undefined && sorted[at]?.key === key) sorted[at] = entry;
    else moved.push([key, entry]);
  }
  // In order of UTF-16 code units.
  moved.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return moved.length === 0 ? sorted : merged(sorted, moved);
}

/** A new list with entries inserted and removed. `moved` is sorted by key too. */
function merged(
  sorted: readonly Entry[],
  moved: readonly (readonly [key: string, entry: Entry | undefined])[],
): Entry[] {
  const all: Entry[] = [];
  let next = 0;
  for (const [key, entry] of moved) {
    const at = indexOf(sorted, key);
    for (const one of sorted.slice(next, at)) all.push(one);
    if (entry !== undefined) all.push(entry);
    next = sorted[at]?.key === key ? at + 1 : at;
  }
  return all.concat(sorted.slice(next));
}

/** The index of a key, or where it would be inserted. */
function indexOf(sorted: readonly Entry[], key: string): number {
  return firstWhere(sorted, (one) => one.key >= key);
}

/** The first index from which on a rule holds; the length where it holds nowhere. */
export function firstWhere<T>(list: readonly T[], rule: (one: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const one = list[middle];
    if (one !== undefined && !rule(one)) low = middle + 1;
    else high = middle;
  }
  return low;
}
