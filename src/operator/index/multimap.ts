/** Sets of values by key. A key without values costs nothing. */
export class Multimap<K, V> {
  readonly #sets = new Map<K, Set<V>>();
  readonly #none: ReadonlySet<V> = new Set();

  /** The values of the key; they follow later changes, unless there are none. */
  get(key: K): ReadonlySet<V> {
    return this.#sets.get(key) ?? this.#none;
  }

  /** Those that have values. */
  keys(): Iterable<K> {
    return this.#sets.keys();
  }

  add(key: K, value: V): void {
    const values = this.#sets.get(key);
    if (values === undefined) this.#sets.set(key, new Set([value]));
    else values.add(value);
  }

  delete(key: K, value: V): void {
    const values = this.#sets.get(key);
    values?.delete(value);
    if (values?.size === 0) this.#sets.delete(key);
  }

  /** Removes all values of the key. */
  clear(key: K): void {
    this.#sets.delete(key);
  }
}
