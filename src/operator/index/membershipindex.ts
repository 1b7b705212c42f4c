import { sameMap } from '../../domain/placement/spec/cluster.js';
import { CLUSTER_SET_LABEL } from '../../api/names.js';
import { selects, type ClusterSelector } from '../../domain/clusters/selector.js';
import type { StringMap } from '../../domain/selectors.js';
import { Bitset } from './bitset.js';

/** What the membership of a cluster depends on, and whether it counts. */
export interface LabelledCluster {
  readonly name: string;
  readonly labels: StringMap;
  readonly deleting: boolean;
}

/** The sets of one cluster before and after a change, each list sorted. */
export interface MembershipChange {
  /** Ordinal of the cluster: fixed while it exists, given to another cluster afterwards. */
  readonly ordinal: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The sets that the cluster joined or left, or in which it began or ceased to count. */
  readonly affected: readonly string[];
}

interface Member {
  readonly ordinal: number;
  readonly labels: StringMap;
  sets: readonly string[];
}

interface SetEntry {
  readonly selector: ClusterSelector;
  readonly members: Bitset;
}

const NO_CLUSTERS = new Bitset();
const NO_SETS: readonly string[] = [];

/**
 * Which cluster is in which set, updated change by change.
 *
 * Guarantees: the content equals `selects` for every pair of set and cluster, whatever the order of the changes. A change
 * of a cluster costs the number of sets with a label selector, and nothing when its labels are unchanged; a change of a
 * set costs the size of the fleet at most. Clusters that are being deleted are members until they are gone, and `count`
 * does not count them.
 */
export class MembershipIndex {
  /** Ordinals of the clusters that are being deleted. Read-only for others; it follows later changes. */
  readonly deleting = new Bitset();
  readonly #clusters = new Map<string, Member>();
  readonly #names: (string | undefined)[] = [];
  readonly #freeOrdinals: number[] = [];
  readonly #sets = new Map<string, SetEntry>();
  /** The sets with a label selector: it is evaluated for every cluster. */
  readonly #labelSets = new Map<string, SetEntry>();
  /** Value of the set label → the clusters that carry it, whether or not such a set exists. */
  readonly #bySetLabel = new Map<string, Bitset>();

  /** Adds or updates a cluster. */
  upsertCluster(cluster: LabelledCluster): MembershipChange {
    const known = this.#clusters.get(cluster.name);
    const ordinal = known?.ordinal ?? this.#takeOrdinal(cluster.name);
    const before = known?.sets ?? NO_SETS;
    const countChanged = this.deleting.put(ordinal, cluster.deleting) ? before : NO_SETS;
    if (known !== undefined && sameMap(known.labels, cluster.labels))
      return { ordinal, before, after: before, affected: countChanged };
    this.#updateSetLabel(ordinal, known?.labels[CLUSTER_SET_LABEL], cluster.labels[CLUSTER_SET_LABEL]);
    const after = this.#setsFor(cluster.labels);
    this.#clusters.set(cluster.name, { ordinal, labels: cluster.labels, sets: after });
    const moved = this.#move(ordinal, before, after);
    return { ordinal, before, after, affected: [...new Set([...countChanged, ...moved])] };
  }

  /** Removes a cluster and frees its ordinal; undefined when it is unknown. */
  removeCluster(name: string): MembershipChange | undefined {
    const known = this.#clusters.get(name);
    if (known === undefined) return undefined;
    const { ordinal, sets: before } = known;
    this.#updateSetLabel(ordinal, known.labels[CLUSTER_SET_LABEL], undefined);
    const affected = this.#move(ordinal, before, NO_SETS);
    this.#clusters.delete(name);
    this.deleting.delete(ordinal);
    this.#names[ordinal] = undefined;
    this.#freeOrdinals.push(ordinal);
    return { ordinal, before, after: NO_SETS, affected };
  }

  /** Adds or updates a set. */
  upsertSet(name: string, selector: ClusterSelector): void {
    const entry: SetEntry = { selector, members: this.#membersFor(name, selector) };
    const before = this.members(name);
    this.#sets.set(name, entry);
    this.#labelSets.delete(name);
    if (selector.kind === 'labels') this.#labelSets.set(name, entry);
    this.#updateSetsOfClusters(name, before, entry.members);
  }

  removeSet(name: string): void {
    const before = this.members(name);
    this.#sets.delete(name);
    this.#labelSets.delete(name);
    this.#updateSetsOfClusters(name, before, NO_CLUSTERS);
  }

  /** Ordinals of the members of a set; empty for an unknown set. Read-only for others; it follows later changes. */
  members(set: string): Bitset {
    return this.#sets.get(set)?.members ?? NO_CLUSTERS;
  }

  /** How many members of a set are not being deleted. */
  count(set: string): number {
    const members = this.members(set);
    let count = members.size;
    for (const ordinal of this.deleting.values()) if (members.has(ordinal)) count -= 1;
    return count;
  }

  /** The sets that a cluster is in, sorted. */
  setsOf(cluster: string): readonly string[] {
    return this.#clusters.get(cluster)?.sets ?? NO_SETS;
  }

  /** The names of the clusters whose set label has this value, whether or not such a set exists. */
  labelled(value: string): readonly string[] {
    return Array.from(this.#bySetLabel.get(value)?.values() ?? [], (ordinal) => this.nameAt(ordinal));
  }

  ordinalOf(cluster: string): number | undefined {
    return this.#clusters.get(cluster)?.ordinal;
  }

  /** The name of the cluster with this ordinal. Throws for an ordinal that is not in use. */
  nameAt(ordinal: number): string {
    const name = this.#names[ordinal];
    if (name === undefined) throw new Error(`no cluster has the ordinal ${ordinal}`);
    return name;
  }

  #takeOrdinal(name: string): number {
    const ordinal = this.#freeOrdinals.pop() ?? this.#names.length;
    this.#names[ordinal] = name;
    return ordinal;
  }

  #updateSetLabel(ordinal: number, before: string | undefined, after: string | undefined): void {
    if (before === after) return;
    if (before !== undefined) {
      const left = this.#bySetLabel.get(before);
      left?.delete(ordinal);
      if (left?.size === 0) this.#bySetLabel.delete(before);
    }
    if (after === undefined) return;
    const joined = this.#bySetLabel.get(after) ?? new Bitset();
    joined.add(ordinal);
    this.#bySetLabel.set(after, joined);
  }

  /** The sets of a cluster with these labels, sorted. */
  #setsFor(labels: StringMap): readonly string[] {
    const sets: string[] = [];
    const exclusive = labels[CLUSTER_SET_LABEL];
    if (exclusive !== undefined && this.#sets.get(exclusive)?.selector.kind === 'exclusive') sets.push(exclusive);
    for (const [name, { selector }] of this.#labelSets) if (selects(name, selector, labels)) sets.push(name);
    return sets.sort();
  }

  /** Moves a cluster between sets; returns those that it left or joined. */
  #move(ordinal: number, before: readonly string[], after: readonly string[]): readonly string[] {
    const left = before.filter((set) => !after.includes(set));
    const joined = after.filter((set) => !before.includes(set));
    for (const set of left) this.#sets.get(set)?.members.delete(ordinal);
    for (const set of joined) this.#sets.get(set)?.members.add(ordinal);
    return [...left, ...joined];
  }

  #membersFor(name: string, selector: ClusterSelector): Bitset {
    if (selector.kind === 'exclusive') return this.#bySetLabel.get(name)?.copy() ?? new Bitset();
    const members = new Bitset();
    if (selector.kind !== 'labels') return members;
    for (const { ordinal, labels } of this.#clusters.values())
      if (selects(name, selector, labels)) members.add(ordinal);
    return members;
  }

  /** Enters a set in the clusters that joined it, and removes it from those that left it. */
  #updateSetsOfClusters(set: string, before: Bitset, after: Bitset): void {
    for (const ordinal of before.values())
      if (!after.has(ordinal)) this.#updateSets(ordinal, (sets) => sets.filter((one) => one !== set));
    for (const ordinal of after.values())
      if (!before.has(ordinal)) this.#updateSets(ordinal, (sets) => [...sets, set].sort());
  }

  #updateSets(ordinal: number, change: (sets: readonly string[]) => readonly string[]): void {
    const member = this.#clusters.get(this.nameAt(ordinal));
    if (member !== undefined) member.sets = change(member.sets);
  }
}
