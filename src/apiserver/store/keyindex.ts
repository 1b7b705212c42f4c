import type { Entry } from './store.js';

interface Keyed {
  readonly key: string;
}

interface Slot extends Keyed {
  /** undefined once the object is gone. */
  entry: Entry | undefined;
}

/** As many new keys are put in their places one by one; more are merged in at once. */
const FEW = 16;
const KEPT_LISTS = 8;

/**
 * Entries by key, in order of keys when asked. A change costs no more than a look-up: the order is mended by the next
 * who needs it, and a list that was handed out stays as it is.
 */
export class KeyIndex {
  readonly #slots = new Map<string, Slot>();
  /** In order; may hold slots that are empty. */
  #sorted: Slot[] = [];
  #empty = 0;
  #fresh: Slot[] = [];
  /** Lists that still hold, by prefix. */
  readonly #lists = new Map<string, readonly Entry[]>();

  get size(): number {
    return this.#slots.size;
  }

  get(key: string): Entry | undefined {
    return this.#slots.get(key)?.entry;
  }

  set(entry: Entry): void {
    this.#lists.clear();
    const slot = this.#slots.get(entry.key);
    if (slot !== undefined) {
      slot.entry = entry;
      return;
    }
    const fresh = { key: entry.key, entry };
    this.#slots.set(entry.key, fresh);
    this.#fresh.push(fresh);
  }

  delete(key: string): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    this.#lists.clear();
    this.#slots.delete(key);
    slot.entry = undefined;
    this.#empty += 1;
  }

  /** Entries whose keys begin with a prefix, in order of keys. Mostly the same array as last time while nothing changed. */
  list(prefix: string): readonly Entry[] {
    const known = this.#lists.get(prefix);
    if (known !== undefined) return known;
    this.#order();
    const found: Entry[] = [];
    for (let at = lowerBound(this.#sorted, prefix); at < this.#sorted.length; at++) {
      const slot = this.#sorted[at];
      if (slot === undefined || !slot.key.startsWith(prefix)) break;
      if (slot.entry !== undefined) found.push(slot.entry);
    }
    if (this.#lists.size < KEPT_LISTS) this.#lists.set(prefix, found);
    return found;
  }

  #order(): void {
    const fresh = this.#fresh.filter((slot) => slot.entry !== undefined);
    this.#fresh = [];
    if (fresh.length > FEW || this.#empty > FEW + this.#slots.size) {
      this.#sorted = merge(this.#sorted.filter((slot) => slot.entry !== undefined), fresh.sort(byKey));
      this.#empty = 0;
      return;
    }
    for (const slot of fresh) this.#sorted.splice(lowerBound(this.#sorted, slot.key), 0, slot);
  }
}

/** In order of UTF-16 code units. */
export function byKey(a: Keyed, b: Keyed): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** Both in order of keys; none is in both. */
export function merge<T extends Keyed>(a: readonly T[], b: readonly T[]): T[] {
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

/** The first place whose key is not below `key`. */
function lowerBound(slots: readonly Slot[], key: string): number {
  let low = 0;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slots[middle]?.key ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
