import type { Entry } from './store.js';

/**
 * Entries by key, in order of keys when asked. A change costs no more than a look-up: the order is mended by the next
 * who needs it, and a list that was handed out stays as it is. A list costs a copy of as many pointers.
 */
export class KeyIndex {
  readonly #entries = new Map<string, Entry>();
  #sorted: Entry[] = [];
  /** What has changed since `#sorted` was in order; undefined for an entry that is gone. */
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

  /** Entries whose keys begin with a prefix, in order of keys: an array of the caller's own. */
  list(prefix: string): Entry[] {
    this.#sorted = settle(this.#sorted, this.#changed);
    this.#changed = new Map();
    const from = firstWhere(this.#sorted, ({ key }) => key >= prefix);
    return this.#sorted.slice(
      from,
      firstWhere(this.#sorted, ({ key }) => key > prefix && !key.startsWith(prefix)),
    );
  }
}

/**
 * Gives keys of a list in order other entries, or none. Works in place where nothing moves.
 * @returns the list, or a new one in its place
 */
export function settle(sorted: Entry[], states: ReadonlyMap<string, Entry | undefined>): Entry[] {
  const moved: [key: string, entry: Entry | undefined][] = [];
  for (const [key, entry] of states) {
    const at = placeOf(sorted, key);
    if (entry !== undefined && sorted[at]?.key === key) sorted[at] = entry;
    else moved.push([key, entry]);
  }
  // In order of UTF-16 code units.
  moved.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return moved.length === 0 ? sorted : merged(sorted, moved);
}

/** A new list with entries put in at keys that it does not have, and taken out. `moved` is in order of keys, too. */
function merged(
  sorted: readonly Entry[],
  moved: readonly (readonly [key: string, entry: Entry | undefined])[],
): Entry[] {
  const all: Entry[] = [];
  let next = 0;
  for (const [key, entry] of moved) {
    const at = placeOf(sorted, key);
    for (const one of sorted.slice(next, at)) all.push(one);
    if (entry !== undefined) all.push(entry);
    next = sorted[at]?.key === key ? at + 1 : at;
  }
  return all.concat(sorted.slice(next));
}

/** The place of a key, or where it would be. */
function placeOf(sorted: readonly Entry[], key: string): number {
  return firstWhere(sorted, (one) => one.key >= key);
}

/** The first place where a rule holds that holds from there on; the length when there is none. */
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
