import { Bitset } from './bitset.js';
import type { MembershipIndex } from './membershipindex.js';

/** The candidates of every Placement that selects from the same sets. */
export interface CandidatePool {
  /** Readable eligible sets, sorted. */
  readonly sets: readonly string[];
  /** Members of the sets that are not being deleted, by number. */
  readonly clusters: Bitset;
  /** Keys of the Placements that share it. */
  readonly placements: Set<string>;
}

/** A cluster that entered or left a pool, or was in it before and after. */
export interface CandidatePoolChange {
  readonly pool: CandidatePool;
  readonly was: boolean;
  readonly now: boolean;
  /** The pool had no candidate before, or has none now. */
  readonly turned: boolean;
}

/** One cluster's change as pools see it. */
export interface Move {
  readonly ordinal: number;
  /** Exists and is not being deleted, afterwards. */
  readonly alive: boolean;
  /** Its sets before and after, together. */
  readonly sets: Iterable<string>;
  readonly after: readonly string[];
}

const NO_POOLS: ReadonlySet<CandidatePool> = new Set();

/** Candidate lists, one for each combination of sets that a Placement selects from, shared by all that do. */
export class CandidatePools {
  readonly #membership: MembershipIndex;
  readonly #deleting: Bitset;
  readonly #pools = new Map<string, CandidatePool>();
  readonly #bySet = new Map<string, Set<CandidatePool>>();

  /** `deleting`: the clusters, by number, that never are candidates. Followed, not copied. */
  constructor(membership: MembershipIndex, deleting: Bitset) {
    this.#membership = membership;
    this.#deleting = deleting;
  }

  /** The pool of `sets` (sorted, each once), with the Placement `key` added to it. */
  join(key: string, sets: readonly string[]): CandidatePool {
    const id = sets.join('\n');
    const pool = this.#pools.get(id) ?? this.#create(id, sets);
    pool.placements.add(key);
    return pool;
  }

  /** Takes the Placement out; a pool that nobody uses goes. */
  leave(key: string, pool: CandidatePool): void {
    pool.placements.delete(key);
    if (pool.placements.size > 0) return;
    this.#pools.delete(pool.sets.join('\n'));
    for (const set of pool.sets) {
      const users = this.#bySet.get(set);
      users?.delete(pool);
      if (users?.size === 0) this.#bySet.delete(set);
    }
  }

  /** Folds a cluster's change in; every pool that it can concern, once. */
  updateCluster({ ordinal, alive, sets, after }: Move): CandidatePoolChange[] {
    const touched = new Set<CandidatePool>();
    for (const set of sets) for (const pool of this.#bySet.get(set) ?? NO_POOLS) touched.add(pool);
    const changes: CandidatePoolChange[] = [];
    for (const pool of touched) {
      const was = pool.clusters.has(ordinal);
      const now = alive && after.some((set) => pool.sets.includes(set));
      const before = pool.clusters.size;
      pool.clusters.put(ordinal, now);
      changes.push({ pool, was, now, turned: was !== now && (before === 0 || pool.clusters.size === 0) });
    }
    return changes;
  }

  /** Folds a set's change in: membership holds the new members already. */
  updateSet(set: string): void {
    for (const pool of this.#bySet.get(set) ?? NO_POOLS) {
      pool.clusters.keepAll(NOBODY);
      this.#fill(pool);
    }
  }

  #create(id: string, sets: readonly string[]): CandidatePool {
    const pool: CandidatePool = { sets, clusters: new Bitset(), placements: new Set() };
    this.#fill(pool);
    this.#pools.set(id, pool);
    for (const set of sets) {
      const users = this.#bySet.get(set) ?? new Set<CandidatePool>();
      this.#bySet.set(set, users.add(pool));
    }
    return pool;
  }

  #fill(pool: CandidatePool): void {
    for (const set of pool.sets) pool.clusters.addAll(this.#membership.members(set));
    for (const ordinal of this.#deleting.values()) pool.clusters.delete(ordinal);
  }
}

const NOBODY = new Bitset();
