import { hash64, type Hash64 } from '../../hash.js';

/**
 * Rendezvous hashing: among equals, clusters rank by a hash of the Placement and the cluster, by their names alone. So
 * different Placements spread over the fleet, the order of lists does not matter, and a cluster that is created or
 * deleted does not change the order of the others.
 */

/** A cluster that may be selected; `hash`: its {@link clusterHash}, computed once. */
export interface Candidate {
  readonly name: string;
  readonly hash: number;
}

/** The candidates that match a predicate: unique, in any order; can be iterated repeatedly. */
export interface MatchedClusters extends Iterable<Candidate> {
  readonly size: number;
  has(name: string): boolean;
}

/** {@link MatchedClusters} of `names`, hashed here: an index has the hashes already. */
export function matchedClusters(names: Iterable<string>): MatchedClusters {
  const hashes = new Map<string, Candidate>();
  for (const name of names) hashes.set(name, { name, hash: clusterHash(name) });
  return { size: hashes.size, has: (name) => hashes.has(name), [Symbol.iterator]: () => hashes.values() };
}

/** A cluster and its {@link pairHash}: the highest ranks first. */
export interface Ranked {
  readonly name: string;
  readonly pairHash: number;
}

/** The part of the hash that depends on the Placement alone. */
export type RankSeed = Hash64;

export function seedOf(namespace: string, name: string): RankSeed {
  return hash64(`${namespace}/${name}`);
}

/** The part of the hash that depends on the cluster alone. */
export function clusterHash(name: string): number {
  const { high, low } = hash64(name);
  return (high ^ low) >>> 0;
}

/** The hash of a Placement and a cluster, from 0 to 2^32 - 1. */
export function pairHash(seed: RankSeed, hash: number): number {
  return mix((mix((hash ^ seed.low) >>> 0) + seed.high) >>> 0);
}

/** Negative when `a` ranks before `b`: by the higher hash, then by name in code units. */
export function byRank(a: Ranked, b: Ranked): number {
  return b.pairHash - a.pairHash || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

/**
 * The `limit` best of those `candidates` that `accepts` lets in, best first, in O(n log limit); `limit` may be Infinity.
 * `accepts` is asked only about one that ranks among the `limit` best so far.
 */
export function topRanked(
  candidates: Iterable<Candidate>,
  limit: number,
  seed: RankSeed,
  accepts: (candidate: Candidate) => boolean = () => true,
): Ranked[] {
  if (limit <= 0) return [];
  const best: Ranked[] = [];
  let worstFirst: Queue<Ranked> | undefined;
  // The hash of the worst of `limit`: most candidates are behind it, and nothing else of them is looked at.
  let least = 0;
  for (const candidate of candidates) {
    const hash = pairHash(seed, candidate.hash);
    if (hash < least) continue;
    const one = { name: candidate.name, pairHash: hash };
    const worst = worstFirst?.first;
    if ((worst !== undefined && byRank(one, worst) >= 0) || !accepts(candidate)) continue;
    if (worstFirst === undefined) best.push(one);
    else worstFirst.replaceFirst(one);
    if (best.length === limit) worstFirst ??= new Queue((a, b) => byRank(b, a), best);
    least = worstFirst?.first?.pairHash ?? 0;
  }
  return best.sort(byRank);
}

/** Lists of names, the first before all others. */
export type Tiers = readonly (readonly string[])[];

/** The `count` best of the tiers, in their order. */
export function bestFirst(tiers: Tiers, count: number, seed: RankSeed): string[] {
  const best: string[] = [];
  for (const names of tiers) {
    if (best.length >= count) break;
    for (const { name } of topRanked(matchedClusters(names), count - best.length, seed)) best.push(name);
  }
  return best;
}

/** Mixes the bits of a 32-bit integer; a bijection (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

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
