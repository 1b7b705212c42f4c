/** A priority queue: a binary heap with what comes first on top. */
export class Queue<T> {
  readonly #items: T[];
  /** Negative when the first comes before the second. */
  readonly #compare: (a: T, b: T) => number;

  /** Orders `items` in O(n), and keeps them in that list. */
  constructor(compare: (a: T, b: T) => number, items: T[] = []) {
    this.#items = items;
    this.#compare = compare;
    for (let at = (items.length >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  get size(): number {
    return this.#items.length;
  }

  push(item: T): void {
    this.#items.push(item);
    let at = this.#items.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /** Removes and returns the first. */
  pop(): T | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return first;
    this.replaceFirst(last);
    return first;
  }

  /** For a queue that is not empty. */
  replaceFirst(item: T): void {
    this.#items[0] = item;
    this.#sink(0);
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      const child = this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#isBefore(child, at)) return;
      this.#swap(at, child);
      at = child;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [first, second] = [this.#items[a], this.#items[b]];
    return first !== undefined && second !== undefined && this.#compare(first, second) < 0;
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#items[a], this.#items[b]];
    if (first === undefined || second === undefined) return;
    this.#items[a] = second;
    this.#items[b] = first;
  }
}
