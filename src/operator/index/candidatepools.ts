import { Bitset } from './bitset.js';
import type { MembershipChange, MembershipIndex } from './membershipindex.js';
import { Multimap } from './multimap.js';

/** The candidates of all Placements that select from the same sets. */
export interface CandidatePool {
  /** Readable eligible sets, sorted. */
  readonly sets: readonly string[];
  /** Ordinals of the members of the sets that are not being deleted. */
  readonly clusters: Bitset;
  /** Keys of the Placements that share the pool. */
  readonly placements: Set<string>;
  /** Those of `placements` that would select another cluster, or replace one by it, or of which that is not known yet. */
  readonly room: Set<string>;
}

/** What a change of a cluster means for one pool. `was` and `now`: whether the cluster is in it. */
export interface CandidatePoolChange {
  readonly pool: CandidatePool;
  readonly was: boolean;
  readonly now: boolean;
  /** The pool was empty before the change, or is empty after it. */
  readonly emptinessChanged: boolean;
}

const NO_CLUSTERS = new Bitset();

/** One pool of candidates for each combination of sets that a Placement selects from, shared by the Placements with it. */
export class CandidatePools {
  readonly #membership: MembershipIndex;
  readonly #deleting: Bitset;
  readonly #pools = new Map<string, CandidatePool>();
  readonly #bySet = new Multimap<string, CandidatePool>();

  /** `deleting`: ordinals of the clusters that are never candidates. It is read at each change, not copied. */
  constructor(membership: MembershipIndex, deleting: Bitset) {
    this.#membership = membership;
    this.#deleting = deleting;
  }

  /** Adds the Placement `key` to the pool of `sets` (sorted, unique), and returns the pool. */
  join(key: string, sets: readonly string[]): CandidatePool {
    const id = sets.join('\n');
    const pool = this.#pools.get(id) ?? this.#create(id, sets);
    pool.placements.add(key);
    pool.room.add(key);
    return pool;
  }

  /** Notes whether the Placement would select another cluster of its pool, or replace one by it. */
  setRoom(pool: CandidatePool, key: string, hasRoom: boolean): void {
    if (hasRoom) pool.room.add(key);
    else pool.room.delete(key);
  }

  /** Removes the Placement from its pool, and the pool with its last Placement. */
  leave(key: string, pool: CandidatePool): void {
    pool.placements.delete(key);
    pool.room.delete(key);
    if (pool.placements.size > 0) return;
    this.#pools.delete(pool.sets.join('\n'));
    for (const set of pool.sets) this.#bySet.delete(set, pool);
  }

  /**
   * Applies a change of a cluster; returns one change for each pool of its sets. `alive`: the cluster exists and is not
   * being deleted, after the change.
   */
  updateCluster({ ordinal, before, after }: MembershipChange, alive: boolean): CandidatePoolChange[] {
    const pools = new Set<CandidatePool>();
    for (const set of [...before, ...after]) for (const pool of this.#bySet.get(set)) pools.add(pool);
    const changes: CandidatePoolChange[] = [];
    for (const pool of pools) {
      const was = pool.clusters.has(ordinal);
      const now = alive && after.some((set) => pool.sets.includes(set));
      const sizeBefore = pool.clusters.size;
      pool.clusters.put(ordinal, now);
      const emptinessChanged = was !== now && (sizeBefore === 0 || pool.clusters.size === 0);
      changes.push({ pool, was, now, emptinessChanged });
    }
    return changes;
  }

  /** Fills the pools of a set again, after the membership index was updated. */
  updateSet(set: string): void {
    for (const pool of this.#bySet.get(set)) {
      pool.clusters.keepAll(NO_CLUSTERS);
      this.#fill(pool);
    }
  }

  #create(id: string, sets: readonly string[]): CandidatePool {
    const pool: CandidatePool = { sets, clusters: new Bitset(), placements: new Set(), room: new Set() };
    this.#fill(pool);
    this.#pools.set(id, pool);
    for (const set of sets) this.#bySet.add(set, pool);
    return pool;
  }

  #fill(pool: CandidatePool): void {
    for (const set of pool.sets) pool.clusters.addAll(this.#membership.members(set));
    for (const ordinal of this.#deleting.values()) pool.clusters.delete(ordinal);
  }
}
