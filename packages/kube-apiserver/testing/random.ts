/** Seeded random numbers: the same seed yields the same sequence on every machine. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** One of `items`, which must not be empty. */
  pick<T>(items: readonly T[]): T {
    const one = items[Math.floor(this.next() * items.length)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  }

  /** `count` distinct items (fewer where there are not enough) in random order. */
  some<T>(items: readonly T[], count: number): T[] {
    const rest = [...items];
    const taken: T[] = [];
    while (taken.length < count && rest.length > 0)
      taken.push(...rest.splice(Math.floor(this.next() * rest.length), 1));
    return taken;
  }
}
