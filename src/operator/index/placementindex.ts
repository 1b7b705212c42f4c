import { eligibleSets } from '../../domain/placement/select/eligible.js';
import { comingIn, keptNow, leaving, staying, stuck } from '../../domain/placement/select/decision.js';
import { isShort, unmatchedPredicates, MessageWatch } from '../../domain/placement/select/unmatched.js';
import type { PlacementRules } from '../../domain/placement/spec/predicates.js';
import {
  existing,
  NO_CANDIDATES,
  noOthers,
  type BindingView,
  type Candidates,
  type ClusterView,
  type SetView,
} from '../../domain/placement/select/snapshot.js';
import { isBalanced } from '../../domain/placement/spec/prioritizers.js';
import { sameView } from '../../domain/placement/spec/cluster.js';
import {
  affected,
  detailedAmong,
  NO_EFFECTS,
  rescoredAmong,
  UNDECIDED,
  type ClusterChange,
  type ClusterEffects,
  type Delayed,
  type Entry,
} from './affected.js';
import { BindingIndex, type Bound } from './bindingindex.js';
import { CandidateList, CandidatePools } from './candidates.js';
import { DecisionIndex } from './decisionindex.js';
import { KeyIndex, ScoreIndex } from './keyindex.js';
import { MembershipIndex, type MembershipChange } from './membershipindex.js';
import { Multimap } from './multimap.js';
import { membersOf, type Committed, type IndexedDecision, type Reading } from './reading.js';
import { RequirementIndex } from './requirementindex.js';
import { SetUsage } from './setusage.js';

const NO_KEYS: readonly string[] = [];

/**
 * The inputs of all Placements, folded change by change. Each change returns the keys of the Placements that it affects.
 *
 * Guarantees: the content equals what the pure functions of `domain/placement` compute from the same objects, whatever
 * the order of the changes. A change alters neither decision nor message of any Placement whose key it does not return. A
 * returned key is not returned again before `begin`. No key is returned while `tracking` is false: all Placements have to be
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
  readonly #byNamespace = new Multimap<string, Entry>();
  /** Placements that may have selected clusters which are no candidates: misconfigured, or with an unreadable set. */
  readonly #maySelectOthers = new Set<Entry>();
  /** The keys that Placements spread over. */
  readonly #topologies = new KeyIndex();
  /** Scores make a difference until there is a decision, while clusters move for better ones, and for who waits. */
  readonly #scores = new ScoreIndex();
  /** The labels and claims whose values stand in the items of decisions. */
  readonly #details = new KeyIndex();
  readonly #decisions: DecisionIndex;

  /** All three are updated by this index, and may be read by others. */
  constructor(membership = new MembershipIndex(), usage = new SetUsage(), decisions = new DecisionIndex()) {
    this.#decisions = decisions;
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
    const retainted = this.#candidates.put(change.ordinal, after);
    return this.#clusterChanged(change, { before, after, retainted });
  }

  /** Removes a cluster that does not exist any more. */
  removeCluster(name: string): ClusterEffects {
    const change = this.#membership.removeCluster(name);
    if (change === undefined) return NO_EFFECTS;
    const before = this.#clusters.get(change.ordinal);
    this.#clusters.delete(change.ordinal);
    return this.#clusterChanged(change, { before, after: undefined, retainted: false });
  }

  /** Adds or updates a set. Not to be called for changes of its status or labels alone. */
  upsertSet(set: SetView): readonly string[] {
    this.#membership.upsertSet(set.name, set.selector);
    return this.#setChanged(set.name, this.#bindings.upsertSet(set));
  }

  removeSet(name: string): readonly string[] {
    this.#membership.removeSet(name);
    return this.#setChanged(name, this.#bindings.removeSet(name));
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

  /** Adds a Placement, or replaces it after a change of its spec: its decision stays. It affects no other one. */
  upsertPlacement(key: string, { namespace, rules }: Pick<Entry, 'namespace' | 'rules'>): void {
    this.#forgetPlacement(key);
    this.#requirements.addPlacement(key, rules);
    this.#topologies.add(key, rules.spread);
    this.#details.add(key, rules.details);
    const joined = this.#joinPool(key, rules, this.#bindings.bound(namespace));
    const entry: Entry = { key, namespace, rules, ...joined, ...UNDECIDED };
    this.#placements.set(key, entry);
    this.#decisions.addPlacement(key);
    this.#byNamespace.add(namespace, entry);
    this.#updateMaySelectOthers(entry);
  }

  /** Removes a Placement. Returns those whose scores that changes. */
  removePlacement(key: string): readonly Delayed[] {
    this.#forgetPlacement(key);
    this.#usage.put(key, NO_KEYS);
    return this.#recounted(key, this.#decisions.forget(key));
  }

  /** The other Placements whose scores change because this one begins or ceases to select the clusters. */
  #recounted(key: string, clusters: readonly string[]): readonly Delayed[] {
    if (!this.tracking || this.#scores.balanced.size === 0 || clusters.length === 0) return [];
    const others = [...this.#scores.balanced].filter((other) => other !== key);
    const ordinals = clusters.flatMap((name) => this.#membership.ordinalOf(name) ?? []);
    return rescoredAmong(ordinals, others, this.#placements);
  }

  #forgetPlacement(key: string): void {
    const entry = this.#placements.get(key);
    if (entry === undefined) return;
    this.#requirements.removePlacement(key, entry.rules);
    this.#topologies.remove(key, entry.rules.spread);
    this.#scores.watch(entry, false);
    this.#details.remove(key, entry.rules.details);
    this.#pools.leave(key, entry.pool);
    this.#placements.delete(key);
    this.#maySelectOthers.delete(entry);
    this.#byNamespace.delete(entry.namespace, entry);
  }

  /** Begins a pass over the Placement: changes from now on return its key again. Undefined for an unknown Placement. */
  begin(key: string): Reading | undefined {
    const entry = this.#placements.get(key);
    if (entry === undefined) return undefined;
    const { rules, namespace } = entry;
    const changes = this.#candidates.changes + this.#requirements.changes + this.#details.changes;
    let read: ReadonlyMap<string, ClusterView> = new Map();
    Object.assign(entry, UNDECIDED);
    this.#scores.watch(entry, true);
    return {
      rules,
      ...this.#bindings.bound(namespace),
      candidates: this.#candidatesOf(entry),
      othersSelecting: isBalanced(rules) ? this.#decisions.othersSelecting(key) : noOthers,
      clusters: (names) => (read = existing(names, (name) => this.cluster(name))),
      members: () => membersOf(entry.pool.sets, this.#membership, this.#clusters),
      commit: (decided) => this.#commit(entry, decided, { changes, clusters: read }),
    };
  }

  /** What a pass has decided; `read`: what it has read of taints and clusters. */
  #commit(
    { key }: Entry,
    decided: IndexedDecision,
    read: { readonly changes: number; readonly clusters: ReadonlyMap<string, ClusterView> },
  ): Committed {
    const entry = this.#placements.get(key);
    const { decision } = decided;
    const delayed = this.#recounted(key, [...comingIn(decision), ...leaving(decision).map(({ cluster }) => cluster)]);
    if (entry === undefined) return { isStale: false, delayed };
    const isOpen = decision.shortage.spread.length + stuck(decision).length > 0;
    const isRanked = entry.rules.rebalance !== undefined || keptNow(decision).length > 0;
    entry.isOrderOpen = isOpen || isRanked;
    this.#scores.watch(entry, isRanked);
    this.#pools.setRoom(entry.pool, key, decision.hasRoom);
    this.#decisions.commit(key, decided);
    const isStale =
      this.#candidates.changes + this.#requirements.changes + this.#details.changes !== read.changes ||
      staying(decision).some(({ cluster }) => this.cluster(cluster) !== read.clusters.get(cluster));
    return { isStale, delayed };
  }

  /** Keys of all Placements. */
  keys(): Iterable<string> {
    return this.#placements.keys();
  }

  /** The candidates. While the Placement `isShort`, each change of the answers that they have returns its key. */
  #candidatesOf(entry: Entry): Candidates {
    if (entry.rules.problem !== undefined) return NO_CANDIDATES;
    const { clusters } = entry.pool;
    const all = this.#candidates.at(clusters.copy());
    const matching = this.#requirements.matching(entry.rules, clusters);
    const matched = this.#candidates.at(matching);
    const tainted = this.#candidates.taintedAt(matching);
    const sizes = { count: all.size, matched };
    const answers = this.#requirements.answersAbout(clusters);
    const unmatched = unmatchedPredicates(entry.rules, sizes, answers);
    if (isShort(entry.rules, sizes, answers)) entry.watch = new MessageWatch(entry.rules, answers, unmatched);
    return { ...sizes, tainted, has: (name) => all.has(name), view: (name) => matched.view(name), unmatched };
  }

  /** The cluster `name`, whether or not it is in a set. */
  cluster(name: string): ClusterView | undefined {
    const ordinal = this.#membership.ordinalOf(name);
    return ordinal === undefined ? undefined : this.#clusters.get(ordinal);
  }

  /** Updates requirements and pools after the membership. */
  #clusterChanged(
    membership: MembershipChange,
    views: Pick<ClusterChange, 'before' | 'after' | 'retainted'>,
  ): ClusterEffects {
    const { before, after } = views;
    const { ordinal, affected: sets } = membership;
    const naming = this.#requirements.updateCluster(ordinal, before, after);
    const moves = this.#pools.updateCluster(membership, after?.deleting === false);
    const details = this.#details.changed(before, after);
    if (!this.tracking) return { placements: NO_KEYS, sets, delayed: [] };
    const name = (after ?? before)?.name ?? '';
    const selecting = this.#decisions.selecting(name);
    const holding = this.#decisions.holding(name);
    const spreadKeys = this.#topologies.changed(before, after);
    const keys = { naming, holding, selecting, spreadKeys, retimed: sets.some((set) => this.#bindings.isTimed(set)) };
    const change = { ordinal, ...views, moves, ...keys, maySelectOthers: this.#maySelectOthers };
    const placements = this.#report(affected(change, this.#placements));
    const rescored = rescoredAmong([ordinal], this.#scores.changed(before, after), this.#placements);
    return { placements, sets, delayed: [...rescored, ...detailedAmong(details, selecting, this.#placements)] };
  }

  /** `isTimed`: clusters of any Placement may wait for the set, or have waited, or not moved. */
  #setChanged(set: string, isTimed: boolean): readonly string[] {
    this.#pools.updateSet(set);
    const isWaiting = ({ key, rules }: Entry): boolean =>
      rules.rebalance !== undefined || this.#decisions.isHolding(key);
    const entries = isTimed ? [...this.#placements.values()].filter(isWaiting) : [];
    for (const namespace of this.#bindings.namespacesOf(set)) entries.push(...this.#updateEligibility(namespace));
    return this.#report(entries);
  }

  /** Computes the eligible sets of every Placement of a namespace, and returns these Placements. */
  #updateEligibility(namespace: string): readonly Entry[] {
    const entries = [...this.#byNamespace.get(namespace)];
    const bound = this.#bindings.bound(namespace);
    for (const entry of entries) {
      this.#pools.leave(entry.key, entry.pool);
      Object.assign(entry, this.#joinPool(entry.key, entry.rules, bound));
      this.#updateMaySelectOthers(entry);
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

  #updateMaySelectOthers(entry: Entry): void {
    if (entry.unreadable || entry.rules.problem !== undefined) this.#maySelectOthers.add(entry);
    else this.#maySelectOthers.delete(entry);
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
