import { eligibleSets } from '../../domain/placement/select/eligible.js';
import type { Member } from '../../domain/placement/explain/verdict.js';
import { isShort, unmatchedPredicates } from '../../domain/placement/select/unmatched.js';
import type { PlacementRules } from '../../domain/placement/spec/predicates.js';
import type { Schedule } from '../../domain/placement/select/schedule.js';
import {
  NO_CANDIDATES,
  type BindingView,
  type Candidates,
  type ClusterView,
  type SetView,
} from '../../domain/placement/select/snapshot.js';
import { sameView } from '../../domain/placement/spec/cluster.js';
import { affected, type PlacementEntry } from './affected.js';
import { BindingIndex, type Bound } from './bindingindex.js';
import { CandidateList } from './candidatelist.js';
import { CandidatePools, type CandidatePool } from './candidatepools.js';
import { FactWatch } from './factwatch.js';
import { FollowedClusters } from './followedclusters.js';
import { membersOf } from './members.js';
import { MembershipIndex, type MembershipChange } from './membershipindex.js';
import { RequirementIndex } from './requirementindex.js';
import { SetUsage } from './setusage.js';
import { TaintIndex } from './taintindex.js';

/** A Placement as the index holds it. */
export interface IndexedPlacement {
  readonly namespace: string;
  readonly rules: PlacementRules;
}

/** What has to be reconciled after a change of a cluster. */
export interface ClusterEffects {
  /** Keys of Placements, sorted. */
  readonly placements: readonly string[];
  /** Names of ManagedClusterSets whose number of members changed, or may have. */
  readonly sets: readonly string[];
}

interface Entry extends IndexedPlacement, PlacementEntry {
  readonly key: string;
  pool: CandidatePool;
  unreadable: boolean;
  watch: FactWatch | undefined;
  pending: boolean;
}

const NO_KEYS: readonly string[] = [];
const NO_EFFECTS: ClusterEffects = { placements: NO_KEYS, sets: [] };

/**
 * The inputs of all Placements, folded change by change. Each change returns the keys of the Placements that it affects.
 *
 * Guarantees: the content equals what the pure functions of `domain/placement` compute from the same objects, whatever
 * the order of the changes. A change alters neither schedule nor message of any Placement whose key it does not return. A
 * returned key is not returned again before `beginReconcile`. No key is returned while `tracking` is false: all Placements have to be
 * reconciled once it is true. A change costs what it affects, not the size of the fleet.
 */
export class PlacementIndex {
  /** Whether changes return keys; they are folded in either case. */
  tracking = false;
  /** By ordinal of the membership index. */
  readonly #clusters = new Map<number, ClusterView>();
  readonly #membership: MembershipIndex;
  readonly #candidates: CandidateList;
  readonly #usage: SetUsage;
  readonly #pools: CandidatePools;
  readonly #requirements = new RequirementIndex(this.#clusters);
  readonly #bindings = new BindingIndex();
  readonly #placements = new Map<string, Entry>();
  readonly #byNamespace = new Map<string, Set<Entry>>();
  /** Placements that may hold clusters which are no candidates: misconfigured, or with an unreadable set. */
  readonly #mayHoldOthers = new Set<Entry>();
  readonly #followed = new FollowedClusters();
  readonly #taints = new TaintIndex();

  /** `membership` and `usage` are updated by this index, and may be read by others. */
  constructor(membership = new MembershipIndex(), usage = new SetUsage()) {
    this.#membership = membership;
    this.#candidates = new CandidateList(membership);
    this.#usage = usage;
    this.#pools = new CandidatePools(membership, membership.deleting);
  }

  /** Adds or updates a cluster. A change of nothing that selection reads costs one comparison. */
  upsertCluster(after: ClusterView): ClusterEffects {
    const known = this.#membership.ordinalOf(after.name);
    const before = known === undefined ? undefined : this.#clusters.get(known);
    if (before !== undefined && sameView(before, after)) return NO_EFFECTS;
    const change = this.#membership.upsertCluster(after);
    this.#clusters.set(change.ordinal, after);
    if (before === undefined) this.#candidates.add(change.ordinal, after.name);
    return this.#clusterChanged(change, before, after);
  }

  /** Removes a cluster that does not exist any more. */
  removeCluster(name: string): ClusterEffects {
    const change = this.#membership.removeCluster(name);
    if (change === undefined) return NO_EFFECTS;
    const before = this.#clusters.get(change.ordinal);
    this.#clusters.delete(change.ordinal);
    return this.#clusterChanged(change, before, undefined);
  }

  /** Adds or updates a set. Not to be called for changes of its status or labels alone. */
  upsertSet(set: SetView): readonly string[] {
    this.#membership.upsertSet(set.name, set.selector);
    this.#bindings.upsertSet(set);
    return this.#setChanged(set.name);
  }

  removeSet(name: string): readonly string[] {
    this.#membership.removeSet(name);
    this.#bindings.removeSet(name);
    return this.#setChanged(name);
  }

  /** Adds or updates a binding. Not to be called for changes of its status or labels alone. */
  upsertBinding(namespace: string, after: BindingView): readonly string[] {
    this.#bindings.upsertBinding(namespace, after);
    return this.#report(this.#updateEligibility(namespace));
  }

  removeBinding(namespace: string, name: string): readonly string[] {
    this.#bindings.removeBinding(namespace, name);
    return this.#report(this.#updateEligibility(namespace));
  }

  /** Adds a Placement, or replaces it after a change of its spec: it holds the same clusters. It affects no other one. */
  upsertPlacement(key: string, { namespace, rules }: IndexedPlacement): void {
    this.#forgetPlacement(key);
    this.#requirements.addPlacement(key, rules);
    const joined = this.#joinPool(key, rules, this.#bindings.bound(namespace));
    const entry: Entry = { key, namespace, rules, ...joined, watch: undefined, pending: false };
    this.#placements.set(key, entry);
    const sameNamespace = this.#byNamespace.get(namespace) ?? new Set<Entry>();
    this.#byNamespace.set(namespace, sameNamespace.add(entry));
    this.#updateMayHoldOthers(entry);
  }

  removePlacement(key: string): void {
    this.#forgetPlacement(key);
    this.#taints.forget(key);
    this.#usage.put(key, NO_KEYS);
  }

  #forgetPlacement(key: string): void {
    const entry = this.#placements.get(key);
    if (entry === undefined) return;
    this.#requirements.removePlacement(key, entry.rules);
    this.#pools.leave(key, entry.pool);
    this.#placements.delete(key);
    this.#mayHoldOthers.delete(entry);
    this.#followed.follow(key, []);
    this.#taints.rulesChanged(key);
    const sameNamespace = this.#byNamespace.get(entry.namespace);
    sameNamespace?.delete(entry);
    if (sameNamespace?.size === 0) this.#byNamespace.delete(entry.namespace);
  }

  /** A reconcile of the Placement begins: changes from now on return its key again. */
  beginReconcile(key: string): void {
    const entry = this.#placements.get(key);
    if (entry === undefined) return;
    entry.pending = false;
    entry.watch = undefined;
  }

  /** Until the next call, every change of these clusters affects the Placement: it holds them, whatever matches. */
  follow(key: string, clusters: readonly string[]): void {
    if (this.#placements.has(key)) this.#followed.follow(key, clusters);
  }

  /**
   * What a reconcile has decided from `candidates`; `isFirst`: it is not known here what the Placement held before. Returns
   * whether taints have changed since.
   */
  settle(key: string, decided: Schedule, isFirst: boolean): boolean {
    const entry = this.#placements.get(key);
    if (entry === undefined) return false;
    this.#pools.setRoom(entry.pool, key, decided.hasRoom);
    return this.#taints.settle(key, decided, isFirst);
  }

  rules(key: string): PlacementRules | undefined {
    return this.#placements.get(key)?.rules;
  }

  /** Keys of all Placements. */
  keys(): Iterable<string> {
    return this.#placements.keys();
  }

  /**
   * The clusters that a Placement may select from. The value does not follow later changes. While too few of them match,
   * each change of the facts that it has returns the key of the Placement.
   */
  candidates(key: string): Candidates {
    const entry = this.#placements.get(key);
    if (entry === undefined || entry.rules.problem !== undefined) return NO_CANDIDATES;
    const { clusters } = entry.pool;
    const all = this.#candidates.at(clusters.copy());
    const matching = this.#requirements.matching(entry.rules, clusters);
    const matched = this.#candidates.at(matching);
    const tainted = this.#taints.among(key, matching, this.#clusters);
    const sizes = { count: all.size, matched };
    const facts = this.#requirements.factsOf(clusters);
    const unmatched = unmatchedPredicates(entry.rules, sizes, facts);
    entry.watch = isShort(entry.rules, sizes) ? new FactWatch(entry.rules, facts, unmatched) : undefined;
    return { ...sizes, tainted, has: (name) => all.has(name), unmatched };
  }

  /** The members of the readable eligible sets of a Placement, those that are being deleted included. */
  members(key: string): readonly Member[] {
    return membersOf(this.#placements.get(key)?.pool.sets ?? [], this.#membership, this.#clusters);
  }

  /** The bindings of a namespace. */
  bindings(namespace: string): readonly BindingView[] {
    return this.#bindings.bindings(namespace);
  }

  /** The existing sets that the bindings of a namespace name. */
  sets(namespace: string): ReadonlyMap<string, SetView> {
    return this.#bindings.sets(namespace);
  }

  /** The cluster `name`, whether or not it is in a set. */
  cluster(name: string): ClusterView | undefined {
    const ordinal = this.#membership.ordinalOf(name);
    return ordinal === undefined ? undefined : this.#clusters.get(ordinal);
  }

  /** Updates requirements and pools after the membership. */
  #clusterChanged(
    membership: MembershipChange,
    before: ClusterView | undefined,
    after: ClusterView | undefined,
  ): ClusterEffects {
    const { ordinal, affected: sets } = membership;
    const naming = this.#requirements.updateCluster(ordinal, before, after);
    const moves = this.#pools.updateCluster(membership, after?.deleting === false);
    const holding = this.#taints.updateCluster(ordinal, before, after);
    if (!this.tracking) return { placements: NO_KEYS, sets };
    const following = this.#followed.followers((after ?? before)?.name ?? '');
    const mayHoldOthers = this.#mayHoldOthers;
    const change = { ordinal, before, after, moves, naming, following, holding, mayHoldOthers };
    return { placements: this.#report(affected(change, this.#placements)), sets };
  }

  #setChanged(set: string): readonly string[] {
    this.#pools.updateSet(set);
    const entries: Entry[] = [];
    for (const namespace of this.#bindings.namespacesOf(set)) entries.push(...this.#updateEligibility(namespace));
    return this.#report(entries);
  }

  /** Computes the eligible sets of every Placement of a namespace, and returns these Placements. */
  #updateEligibility(namespace: string): readonly Entry[] {
    const entries = [...(this.#byNamespace.get(namespace) ?? [])];
    const bound = this.#bindings.bound(namespace);
    for (const entry of entries) {
      this.#pools.leave(entry.key, entry.pool);
      Object.assign(entry, this.#joinPool(entry.key, entry.rules, bound));
      this.#updateMayHoldOthers(entry);
    }
    return entries;
  }

  /** Adds the Placement to the pool of its eligible sets. */
  #joinPool(key: string, rules: PlacementRules, { bindings, sets }: Bound): Pick<Entry, 'pool' | 'unreadable'> {
    const { eligible, unreadable } = eligibleSets(rules, bindings, sets);
    this.#usage.put(key, eligible);
    const readable = unreadable.length === 0 ? eligible : eligible.filter((one) => !unreadable.includes(one));
    return { pool: this.#pools.join(key, readable), unreadable: unreadable.length > 0 };
  }

  #updateMayHoldOthers(entry: Entry): void {
    if (entry.unreadable || entry.rules.problem !== undefined) this.#mayHoldOthers.add(entry);
    else this.#mayHoldOthers.delete(entry);
  }

  /** The keys of the entries that are not pending yet; they are from now on. */
  #report(entries: Iterable<Entry>): readonly string[] {
    if (!this.tracking) return NO_KEYS;
    const keys: string[] = [];
    for (const entry of entries) {
      if (!entry.pending) keys.push(entry.key);
      entry.pending = true;
    }
    return keys.sort();
  }
}
