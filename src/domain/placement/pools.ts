import { Bitset } from '../bitset.js';
import type { Membership } from '../clusters/membership.js';

/** The candidates of every Placement that selects from the same sets. */
export interface Pool {
  /** Readable eligible sets, sorted. */
  readonly sets: readonly string[];
  /** Members of the sets that are not being deleted, by number. */
  readonly members: Bitset;
  /** Keys of the Placements that share it. */
  readonly placements: Set<string>;
}

/** A cluster that entered or left a pool, or was in it before and after. */
export interface PoolChange {
  readonly pool: Pool;
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

const NO_POOLS: ReadonlySet<Pool> = new Set();

/** Candidate lists, one for each combination of sets that a Placement selects from, shared by all that do. */
export class Pools {
  readonly #membership: Membership;
  readonly #deleting: Bitset;
  readonly #pools = new Map<string, Pool>();
  readonly #bySet = new Map<string, Set<Pool>>();

  /** `deleting`: the clusters, by number, that never are candidates. Followed, not copied. */
  constructor(membership: Membership, deleting: Bitset) {
    this.#membership = membership;
    this.#deleting = deleting;
  }

  /** The pool of `sets` (sorted, each once), with the Placement `key` added to it. */
  join(key: string, sets: readonly string[]): Pool {
    const id = sets.join('\n');
    const pool = this.#pools.get(id) ?? this.#create(id, sets);
    pool.placements.add(key);
    return pool;
  }

  /** Takes the Placement out; a pool that nobody uses goes. */
  leave(key: string, pool: Pool): void {
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
  move({ ordinal, alive, sets, after }: Move): PoolChange[] {
    const touched = new Set<Pool>();
    for (const set of sets) for (const pool of this.#bySet.get(set) ?? NO_POOLS) touched.add(pool);
    const changes: PoolChange[] = [];
    for (const pool of touched) {
      const was = pool.members.has(ordinal);
      const now = alive && after.some((set) => pool.sets.includes(set));
      const before = pool.members.size;
      pool.members.put(ordinal, now);
      changes.push({ pool, was, now, turned: was !== now && (before === 0 || pool.members.size === 0) });
    }
    return changes;
  }

  /** Folds a set's change in: membership holds the new members already. */
  refill(set: string): void {
    for (const pool of this.#bySet.get(set) ?? NO_POOLS) {
      pool.members.keepAll(NOBODY);
      this.#fill(pool);
    }
  }

  #create(id: string, sets: readonly string[]): Pool {
    const pool: Pool = { sets, members: new Bitset(), placements: new Set() };
    this.#fill(pool);
    this.#pools.set(id, pool);
    for (const set of sets) {
      const users = this.#bySet.get(set) ?? new Set<Pool>();
      this.#bySet.set(set, users.add(pool));
    }
    return pool;
  }

  #fill(pool: Pool): void {
    for (const set of pool.sets) pool.members.addAll(this.#membership.members(set));
    for (const ordinal of this.#deleting.values()) pool.members.delete(ordinal);
  }
}

const NOBODY = new Bitset();
