import { Bitset } from './bitset.js';
import { MembershipIndex, sameMap } from './membershipindex.js';
import type { ClusterSelector } from '../domain/clusters/selector.js';
import { affected, type ClusterChange, type PlacementEntry } from './affected.js';
import { BindingIndex } from './bindingindex.js';
import { eligibleSets } from '../domain/placement/eligible.js';
import { RequirementIndex } from './requirementindex.js';
import { CandidatePools, type CandidatePool } from './candidatepools.js';
import type { PlacementRules } from '../domain/placement/predicates.js';
import { clusterHash } from '../domain/placement/rank.js';
import type { BindingView, Candidate, Candidates, ClusterView, SetView } from '../domain/placement/snapshot.js';

/** A Placement as the index knows it. */
export interface IndexedPlacement {
  readonly namespace: string;
  readonly rules: PlacementRules;
}

/** A ManagedClusterSet as the index knows it. */
export interface IndexedSet {
  readonly name: string;
  readonly deleting: boolean;
  readonly selector: ClusterSelector;
}

interface Entry extends IndexedPlacement, PlacementEntry {
  readonly key: string;
  pool: CandidatePool;
  unreadable: boolean;
  pending: boolean;
}

const NO_KEYS: readonly string[] = [];

/**
 * All inputs of all Placements, folded change by change, and the answer to "whom can this change change?".
 *
 * Guarantees: what it holds equals what the pure functions of this folder say of the same objects, whatever the order
 * of the changes. A change whose Placements are not among the named ones changes no schedule. A key that was named once
 * is not named again before `open` has been called for it, and none is while `tracking` is off: then every key has to
 * be looked at when it is turned on. A change costs what it touches, not the fleet.
 */
export class PlacementIndex {
  /** Whether changes are to be answered with keys. Off, they are only folded. */
  tracking = false;
  readonly #views = new Map<number, ClusterView>();
  readonly #candidates: Candidate[] = [];
  readonly #membership: MembershipIndex;
  readonly #pools: CandidatePools;
  readonly #matches = new RequirementIndex(this.#views);
  readonly #bound = new BindingIndex();
  readonly #placements = new Map<string, Entry>();
  readonly #byNamespace = new Map<string, Set<Entry>>();
  /** Placements that can hold clusters which are not candidates: misconfigured, or with a set that cannot be read. */
  readonly #wide = new Set<Entry>();

  /** `membership` is folded here and read by whoever else shares it. */
  constructor(membership = new MembershipIndex()) {
    this.#membership = membership;
    this.#pools = new CandidatePools(membership, membership.deleting);
  }

  /** Folds a cluster in that is new or has changed. A change of nothing that selection reads costs a comparison. */
  upsertCluster(after: ClusterView): readonly string[] {
    const known = this.#membership.ordinalOf(after.name);
    const before = known === undefined ? undefined : this.#views.get(known);
    if (before !== undefined && sameView(before, after)) return NO_KEYS;
    const change = this.#membership.upsertCluster(after);
    const { ordinal } = change;
    this.#views.set(ordinal, after);
    if (before === undefined) this.#candidates[ordinal] = { name: after.name, hash: clusterHash(after.name) };
    const named = this.#matches.updateCluster(ordinal, before, after);
    const sets = new Set([...change.before, ...change.after]);
    const moves = this.#pools.updateCluster({ ordinal, alive: !after.deleting, sets, after: change.after });
    return this.#affected({ ordinal, before, after, moves }, named);
  }

  /** Folds the end of a cluster in. */
  removeCluster(name: string): readonly string[] {
    const change = this.#membership.removeCluster(name);
    if (change === undefined) return NO_KEYS;
    const { ordinal } = change;
    const before = this.#views.get(ordinal);
    this.#views.delete(ordinal);
    const named = this.#matches.updateCluster(ordinal, before, undefined);
    const moves = this.#pools.updateCluster({ ordinal, alive: false, sets: change.before, after: change.after });
    return this.#affected({ ordinal, before, after: undefined, moves }, named);
  }

  /** Folds a set in; the caller leaves out changes of its status or labels. */
  upsertSet({ name, deleting, selector }: IndexedSet): readonly string[] {
    this.#membership.upsertSet(name, selector);
    this.#bound.upsertSet({ name, deleting, readable: selector.kind !== 'unreadable' });
    return this.#setChanged(name);
  }

  removeSet(name: string): readonly string[] {
    this.#membership.removeSet(name);
    this.#bound.removeSet(name);
    return this.#setChanged(name);
  }

  /** Folds a binding in; the caller leaves out changes of its status or labels. */
  upsertBinding(namespace: string, after: BindingView): readonly string[] {
    this.#bound.upsertBinding(namespace, after);
    return this.#name(this.#resettle(namespace));
  }

  removeBinding(namespace: string, name: string): readonly string[] {
    this.#bound.removeBinding(namespace, name);
    return this.#name(this.#resettle(namespace));
  }

  /** Folds a Placement in that is new or whose spec has changed. It is affected itself: nobody is named. */
  upsertPlacement(key: string, { namespace, rules }: IndexedPlacement): void {
    this.removePlacement(key);
    this.#matches.addPlacement(key, rules);
    const { eligible, unreadable } = eligibleSets(rules, this.#bound.bindings(namespace), this.#bound.sets(namespace));
    const pool = this.#pools.join(key, without(eligible, unreadable));
    const entry: Entry = { key, namespace, rules, pool, unreadable: unreadable.length > 0, pending: false };
    this.#placements.set(key, entry);
    const neighbours = this.#byNamespace.get(namespace) ?? new Set<Entry>();
    this.#byNamespace.set(namespace, neighbours.add(entry));
    this.#widen(entry);
  }

  removePlacement(key: string): void {
    const entry = this.#placements.get(key);
    if (entry === undefined) return;
    this.#matches.removePlacement(key, entry.rules);
    this.#pools.leave(key, entry.pool);
    this.#placements.delete(key);
    this.#wide.delete(entry);
    const neighbours = this.#byNamespace.get(entry.namespace);
    neighbours?.delete(entry);
    if (neighbours?.size === 0) this.#byNamespace.delete(entry.namespace);
  }

  /** The rules of a Placement that is about to be looked at: from now on it can be named again. */
  beginReconcile(key: string): PlacementRules | undefined {
    const entry = this.#placements.get(key);
    if (entry === undefined) return undefined;
    entry.pending = false;
    return entry.rules;
  }

  /** Keys of every Placement. */
  keys(): Iterable<string> {
    return this.#placements.keys();
  }

  /** The clusters that a Placement may select from, as they are now. */
  candidates(key: string): Candidates {
    const entry = this.#placements.get(key);
    if (entry === undefined || entry.rules.problem !== undefined)
      return { count: 0, matched: this.#matched(new Bitset()) };
    const { clusters: members } = entry.pool;
    return { count: members.size, matched: this.#matched(this.#matches.matching(entry.rules, members)) };
  }

  /** The bindings of a namespace. */
  bindings(namespace: string): readonly BindingView[] {
    return this.#bound.bindings(namespace);
  }

  /** Those of the sets named by the bindings of a namespace that exist. */
  sets(namespace: string): ReadonlyMap<string, SetView> {
    return this.#bound.sets(namespace);
  }

  /** A cluster, of whatever set. */
  cluster(name: string): ClusterView | undefined {
    const ordinal = this.#membership.ordinalOf(name);
    return ordinal === undefined ? undefined : this.#views.get(ordinal);
  }

  #matched(matching: Bitset): Candidates['matched'] {
    return {
      size: matching.size,
      has: (name) => matching.has(this.#membership.ordinalOf(name) ?? -1),
      [Symbol.iterator]: () => this.#listed(matching),
    };
  }

  *#listed(matching: Bitset): Generator<Candidate, void, undefined> {
    for (const ordinal of matching.values()) {
      const candidate = this.#candidates[ordinal];
      if (candidate !== undefined) yield candidate;
    }
  }

  #setChanged(set: string): readonly string[] {
    this.#pools.updateSet(set);
    const named: Entry[] = [];
    for (const namespace of this.#bound.namespacesOf(set)) named.push(...this.#resettle(namespace));
    return this.#name(named);
  }

  /** Works out anew what the Placements of a namespace may select from, and returns them. */
  #resettle(namespace: string): readonly Entry[] {
    const entries = [...(this.#byNamespace.get(namespace) ?? [])];
    const bindings = this.#bound.bindings(namespace);
    const sets = this.#bound.sets(namespace);
    for (const entry of entries) {
      const { eligible, unreadable } = eligibleSets(entry.rules, bindings, sets);
      this.#pools.leave(entry.key, entry.pool);
      entry.pool = this.#pools.join(entry.key, without(eligible, unreadable));
      entry.unreadable = unreadable.length > 0;
      this.#widen(entry);
    }
    return entries;
  }

  #widen(entry: Entry): void {
    if (entry.unreadable || entry.rules.problem !== undefined) this.#wide.add(entry);
    else this.#wide.delete(entry);
  }

  #affected(change: Omit<ClusterChange<Entry>, 'named' | 'wide'>, keys: Iterable<string>): readonly string[] {
    if (!this.tracking) return NO_KEYS;
    const named: Entry[] = [];
    for (const key of keys) {
      const entry = this.#placements.get(key);
      if (entry !== undefined) named.push(entry);
    }
    return this.#name(affected({ ...change, named, wide: this.#wide }, (key) => this.#placements.get(key)));
  }

  #name(entries: Iterable<Entry>): readonly string[] {
    if (!this.tracking) return NO_KEYS;
    const keys: string[] = [];
    for (const entry of entries) {
      if (!entry.pending) keys.push(entry.key);
      entry.pending = true;
    }
    return keys.sort();
  }
}

function without(all: readonly string[], some: readonly string[]): readonly string[] {
  return some.length === 0 ? all : all.filter((one) => !some.includes(one));
}

/** Whether selection can tell the two apart. */
function sameView(a: ClusterView, b: ClusterView): boolean {
  return a.deleting === b.deleting && sameMap(a.labels, b.labels) && sameMap(a.claims, b.claims);
}
