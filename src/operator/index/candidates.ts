import { Bitset } from './bitset.js';
import type { MembershipChange, MembershipIndex } from './membershipindex.js';
import { Multimap } from './multimap.js';
import { clusterHash, type MatchedClusters } from '../../domain/placement/select/rank.js';
import type { Candidate, Candidates, ClusterView } from '../../domain/placement/select/snapshot.js';
import { NO_TAINTS, sameTaints } from '../../domain/placement/spec/taint.js';

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

interface Listed extends Candidate {
  readonly view: ClusterView;
}

const NONE: Candidates['tainted'] = new Map();

/** All clusters by ordinal, and lists of them that do not follow later changes. Clusters without taints cost nothing more. */
export class CandidateList {
  /** How many changes of taints there were. */
  changes = 0;
  readonly #membership: MembershipIndex;
  /** Those that are gone stay until the ordinal is used again; and so do they in `#tainted`. */
  #clusters: Listed[] = [];
  /** Whether a list has `#clusters`: only the first change after it copies them. */
  #isShared = false;
  readonly #tainted = new Bitset();

  /** `membership`: the ordinals. */
  constructor(membership: MembershipIndex) {
    this.#membership = membership;
  }

  /** Notes how the cluster at `ordinal` is now; returns whether its taints have changed. */
  put(ordinal: number, view: ClusterView): boolean {
    const { name, taints } = view;
    const before = this.#clusters[ordinal];
    const known = before?.name === name ? before : undefined;
    if (this.#isShared) this.#clusters = [...this.#clusters];
    this.#isShared = false;
    this.#clusters[ordinal] = { name, hash: known?.hash ?? clusterHash(name), view };
    this.#tainted.put(ordinal, taints.length > 0);
    const isRetainted = !sameTaints(known?.view.taints ?? NO_TAINTS, taints);
    if (isRetainted) this.changes += 1;
    return isRetainted;
  }

  /** The clusters at `ordinals`, which must not change any more, as they are now, and how one of them is. */
  at(ordinals: Bitset): MatchedClusters & Pick<Candidates, 'view'> {
    const clusters = this.#clusters;
    this.#isShared = true;
    let all: readonly Listed[] | undefined;
    const values = (): readonly Listed[] => (all ??= listedAt(ordinals, clusters));
    let byName: ReadonlyMap<string, Listed> | undefined;
    const find = (name: string): Listed | undefined => {
      const ordinal = this.#membership.ordinalOf(name);
      const found = ordinal === undefined ? undefined : clusters[ordinal];
      if (ordinal !== undefined && found?.name === name) return ordinals.has(ordinal) ? found : undefined;
      // The cluster is unknown, or its ordinal has changed since: the list alone decides.
      byName ??= new Map(values().map((one) => [one.name, one]));
      return byName.get(name);
    };
    return {
      size: ordinals.size,
      has: (name) => find(name) !== undefined,
      view: (name) => find(name)?.view,
      [Symbol.iterator]: () => values()[Symbol.iterator](),
    };
  }

  /** The taints of those of the clusters at `ordinals` that have some, by name. */
  taintedAt(ordinals: Bitset): Candidates['tainted'] {
    if (this.#tainted.size === 0) return NONE;
    const common = this.#tainted.copy();
    common.keepAll(ordinals);
    return new Map(listedAt(common, this.#clusters).map(({ name, view }) => [name, view.taints]));
  }
}

function listedAt(ordinals: Bitset, clusters: readonly Listed[]): readonly Listed[] {
  const found: Listed[] = [];
  ordinals.forEach((ordinal) => {
    const cluster = clusters[ordinal];
    if (cluster !== undefined) found.push(cluster);
  });
  return found;
}
