const WORD = 32;

/** A set of small non-negative integers, one bit each, that grows as needed. */
export class Bitset {
  #words: Uint32Array;
  /** Undefined: not counted since several were added or removed at once. */
  #size: number | undefined = 0;

  constructor(capacity = 0) {
    this.#words = new Uint32Array(Math.ceil(capacity / WORD));
  }

  /** The number of integers in the set. */
  get size(): number {
    return (this.#size ??= this.#counted());
  }

  has(index: number): boolean {
    return ((this.#words[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0;
  }

  /** Adds `index`; returns whether it was missing. */
  add(index: number): boolean {
    if (this.has(index)) return false;
    const word = index >>> 5;
    if (word >= this.#words.length) this.#grow(word + 1);
    this.#words[word] = (this.#words[word] ?? 0) | (1 << (index & 31));
    if (this.#size !== undefined) this.#size += 1;
    return true;
  }

  /** Removes `index`; returns whether it was in the set. */
  delete(index: number): boolean {
    if (!this.has(index)) return false;
    const word = index >>> 5;
    this.#words[word] = (this.#words[word] ?? 0) & ~(1 << (index & 31));
    if (this.#size !== undefined) this.#size -= 1;
    return true;
  }

  /** Adds or removes `index`; returns whether the set has changed. */
  put(index: number, present: boolean): boolean {
    return present ? this.add(index) : this.delete(index);
  }

  addAll(other: Bitset): void {
    if (other.#words.length > this.#words.length) this.#grow(other.#words.length);
    for (let word = 0; word < other.#words.length; word++)
      this.#words[word] = (this.#words[word] ?? 0) | (other.#words[word] ?? 0);
    this.#size = undefined;
  }

  /** Removes what is not in `other`. */
  keepAll(other: Bitset): void {
    for (let word = 0; word < this.#words.length; word++)
      this.#words[word] = (this.#words[word] ?? 0) & (other.#words[word] ?? 0);
    this.#size = undefined;
  }

  /** Whether some integer is in each of `sets`, of which there is at least one. */
  static haveCommon(sets: readonly Bitset[]): boolean {
    const words = Math.min(...sets.map((one) => one.#words.length));
    for (let word = 0; word < words; word++) {
      let common = -1;
      for (const one of sets) common &= one.#words[word] ?? 0;
      if (common !== 0) return true;
    }
    return false;
  }

  copy(): Bitset {
    const copy = new Bitset();
    copy.#words = this.#words.slice();
    copy.#size = this.#size;
    return copy;
  }

  /** Calls `visit` with each integer, in ascending order. A generator costs an object and a call for each of thousands. */
  forEach(visit: (index: number) => void): void {
    for (let word = 0; word < this.#words.length; word++) {
      let bits = this.#words[word] ?? 0;
      while (bits !== 0) {
        const lowest = bits & -bits;
        visit(word * WORD + (31 - Math.clz32(lowest)));
        bits ^= lowest;
      }
    }
  }

  /** The integers in ascending order. */
  values(): number[] {
    const values: number[] = [];
    this.forEach((index) => values.push(index));
    return values;
  }

  #grow(words: number): void {
    const grown = new Uint32Array(Math.max(words, Math.ceil(this.#words.length * 1.5)));
    grown.set(this.#words);
    this.#words = grown;
  }

  #counted(): number {
    let size = 0;
    for (const word of this.#words) size += ones(word);
    return size;
  }
}

/** How many bits of a 32-bit word are set. */
function ones(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
