import { hash64, type Hash64 } from '../../hash.js';

/**
 * Rendezvous hashing: the score of a cluster depends only on its name and on namespace and name of the Placement. So
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

/** A cluster and its score, an unsigned 32-bit integer: the highest ranks first. */
export interface Ranked {
  readonly name: string;
  readonly score: number;
}

/** The part of a score that depends on the Placement alone. */
export type RankSeed = Hash64;

/** The seed of the Placement `namespace/name`. */
export function seedOf(namespace: string, name: string): RankSeed {
  return hash64(`${namespace}/${name}`);
}

/** The part of a score that depends on the cluster alone. */
export function clusterHash(name: string): number {
  const { high, low } = hash64(name);
  return (high ^ low) >>> 0;
}

/** The score of a cluster for a Placement, from 0 to 2^32 - 1. */
export function scoreOf(seed: RankSeed, hash: number): number {
  return mix((mix((hash ^ seed.low) >>> 0) + seed.high) >>> 0);
}

/** Negative when `a` ranks before `b`: by the higher score, then by name in code units. */
export function byRank(a: Ranked, b: Ranked): number {
  return b.score - a.score || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
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
  const heap: Ranked[] = [];
  for (const candidate of candidates) {
    const { name } = candidate;
    const score = scoreOf(seed, candidate.hash);
    const worst = heap[0];
    if (heap.length < limit) {
      if (!accepts(candidate)) continue;
      heap.push({ name, score });
      if (heap.length === limit) heapify(heap);
    } else if (
      worst !== undefined &&
      score >= worst.score &&
      byRank({ name, score }, worst) < 0 &&
      accepts(candidate)
    ) {
      heap[0] = { name, score };
      sink(heap, 0);
    }
  }
  return heap.sort(byRank);
}

/** Orders the array as a heap with the worst on top. */
function heapify(heap: Ranked[]): void {
  for (let at = (heap.length >> 1) - 1; at >= 0; at--) sink(heap, at);
}

function sink(heap: Ranked[], from: number): void {
  let at = from;
  for (;;) {
    const left = 2 * at + 1;
    const child = worse(heap, left + 1, left) ? left + 1 : left;
    if (!worse(heap, child, at)) return;
    swap(heap, at, child);
    at = child;
  }
}

/** Whether the heap has an entry `a` that ranks behind entry `b`. */
function worse(heap: readonly Ranked[], a: number, b: number): boolean {
  const first = heap[a];
  const second = heap[b];
  return first !== undefined && second !== undefined && byRank(first, second) > 0;
}

function swap(heap: Ranked[], a: number, b: number): void {
  const first = heap[a];
  const second = heap[b];
  if (first === undefined || second === undefined) return;
  heap[a] = second;
  heap[b] = first;
}

/** Mixes the bits of a 32-bit integer; a bijection (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
