import type { Entry } from './store.js';

interface Keyed {
  readonly key: string;
}

/** As many entries are put in and taken out one by one; more of them at once, in a new array. */
const FEW = 64;

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
    return this.#sorted.slice(from, firstWhere(this.#sorted, ({ key }) => key > prefix && !key.startsWith(prefix)));
  }
}

/**
 * Gives keys of a list in order other entries, or none. Works in place where it can.
 * @returns the list, or a new one in its place
 */
export function settle(sorted: Entry[], states: ReadonlyMap<string, Entry | undefined>): Entry[] {
  const moved = new Map<string, Entry | undefined>();
  for (const [key, entry] of states) {
    const at = firstWhere(sorted, (one) => one.key >= key);
    if (entry !== undefined && sorted[at]?.key === key) sorted[at] = entry;
    else moved.set(key, entry);
  }
  if (moved.size > FEW) return merge(sorted.filter(({ key }) => !moved.has(key)), [...moved.values()].filter((entry) => entry !== undefined).sort(byKey));
  for (const [key, entry] of moved) {
    const at = firstWhere(sorted, (one) => one.key >= key);
    if (entry !== undefined) sorted.splice(at, 0, entry);
    else if (sorted[at]?.key === key) sorted.splice(at, 1);
  }
  return sorted;
}

/** In order of UTF-16 code units. */
function byKey(a: Keyed, b: Keyed): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** Both in order of keys; none is in both. */
function merge<T extends Keyed>(a: readonly T[], b: readonly T[]): T[] {
  const merged: T[] = [];
  let next = 0;
  for (const one of a) {
    for (let other = b[next]; other !== undefined && other.key < one.key; other = b[next]) {
      merged.push(other);
      next += 1;
    }
    merged.push(one);
  }
  return merged.concat(b.slice(next));
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
