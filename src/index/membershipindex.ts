import { CLUSTER_SET_LABEL } from '../api/names.js';
import { Bitset } from './bitset.js';
import type { StringMap } from '../domain/selectors.js';
import { selects, type ClusterSelector } from '../domain/clusters/selector.js';

/** What decides the membership of a cluster, and whether it counts. */
export interface Labelled {
  readonly name: string;
  readonly labels: StringMap;
  readonly deleting: boolean;
}

/** The sets of one cluster around a change, each list sorted. */
export interface MembershipChange {
  /** The cluster's number: stable while it exists, given to another once it is gone. */
  readonly ordinal: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
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

const NOBODY = new Bitset();
const NO_SETS: readonly string[] = [];

/**
 * Which cluster is in which set, kept up to date change by change.
 *
 * Guarantees: equal to asking `selects` of every pair, whatever the order of the changes. A cluster's change costs the
 * number of sets with a label selector, and nothing when its labels are the same; a set's change costs the fleet at most.
 * Clusters being deleted are members until they are gone, and are not counted by `count`.
 */
export class MembershipIndex {
  /** The clusters that are being deleted, by number. Not to be changed; it changes with the fleet. */
  readonly deleting = new Bitset();
  readonly #clusters = new Map<string, Member>();
  readonly #names: (string | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #sets = new Map<string, SetEntry>();
  /** The sets whose selector has to be asked, cluster by cluster. */
  readonly #asked = new Map<string, SetEntry>();
  /** Value of the set label → the clusters that carry it, whether or not there is such a set. */
  readonly #labelled = new Map<string, Bitset>();
  readonly #moved: (set: string) => void;

  /** `moved` is told each set that a cluster joined or left, or in which it ceased to count, by a change of the cluster. */
  constructor(moved: (set: string) => void = () => undefined) {
    this.#moved = moved;
  }

  /** Folds a cluster in that is new or has changed. */
  upsertCluster(cluster: Labelled): MembershipChange {
    const known = this.#clusters.get(cluster.name);
    const ordinal = known?.ordinal ?? this.#take(cluster.name);
    const before = known?.sets ?? NO_SETS;
    const turned = this.deleting.put(ordinal, cluster.deleting);
    if (turned) for (const set of before) this.#moved(set);
    if (known !== undefined && sameMap(known.labels, cluster.labels)) return { ordinal, before, after: before };
    this.#label(ordinal, known?.labels[CLUSTER_SET_LABEL], cluster.labels[CLUSTER_SET_LABEL]);
    const after = this.#choose(cluster.labels);
    this.#clusters.set(cluster.name, { ordinal, labels: cluster.labels, sets: after });
    this.#move(ordinal, before, after);
    return { ordinal, before, after };
  }

  /** Folds the end of a cluster in; undefined when it was not known. Its number is free for another cluster from now on. */
  removeCluster(name: string): MembershipChange | undefined {
    const known = this.#clusters.get(name);
    if (known === undefined) return undefined;
    this.#label(known.ordinal, known.labels[CLUSTER_SET_LABEL], undefined);
    this.#move(known.ordinal, known.sets, NO_SETS);
    this.#clusters.delete(name);
    this.deleting.delete(known.ordinal);
    this.#names[known.ordinal] = undefined;
    this.#free.push(known.ordinal);
    return { ordinal: known.ordinal, before: known.sets, after: NO_SETS };
  }

  /** Folds a set in that is new or has changed. */
  upsertSet(name: string, selector: ClusterSelector): void {
    const entry: SetEntry = { selector, members: this.#membersOf(name, selector) };
    const before = this.members(name);
    this.#sets.set(name, entry);
    this.#asked.delete(name);
    if (selector.kind === 'labels') this.#asked.set(name, entry);
    this.#rename(name, before, entry.members);
  }

  /** Folds the end of a set in. */
  removeSet(name: string): void {
    const before = this.members(name);
    this.#sets.delete(name);
    this.#asked.delete(name);
    this.#rename(name, before, NOBODY);
  }

  /** The members of a set by number; nobody where there is no such set. Not to be changed; it changes with the fleet. */
  members(set: string): Bitset {
    return this.#sets.get(set)?.members ?? NOBODY;
  }

  /** How many members of a set are not being deleted. */
  count(set: string): number {
    const members = this.members(set);
    let count = members.size;
    for (const ordinal of this.deleting.values()) if (members.has(ordinal)) count -= 1;
    return count;
  }

  /** The members of a set by name, sorted. */
  memberNames(set: string): string[] {
    const names: string[] = [];
    for (const ordinal of this.members(set).values()) names.push(this.nameAt(ordinal));
    return names.sort();
  }

  /** The sets that a cluster is in, sorted. */
  setsOf(cluster: string): readonly string[] {
    return this.#clusters.get(cluster)?.sets ?? NO_SETS;
  }

  ordinalOf(cluster: string): number | undefined {
    return this.#clusters.get(cluster)?.ordinal;
  }

  /** The name of the cluster with this number. Throws for a number that is not in use. */
  nameAt(ordinal: number): string {
    const name = this.#names[ordinal];
    if (name === undefined) throw new Error(`no cluster has the number ${ordinal}`);
    return name;
  }

  #take(name: string): number {
    const ordinal = this.#free.pop() ?? this.#names.length;
    this.#names[ordinal] = name;
    return ordinal;
  }

  #label(ordinal: number, before: string | undefined, after: string | undefined): void {
    if (before === after) return;
    if (before !== undefined) {
      const left = this.#labelled.get(before);
      left?.delete(ordinal);
      if (left?.size === 0) this.#labelled.delete(before);
    }
    if (after === undefined) return;
    const joined = this.#labelled.get(after) ?? new Bitset();
    joined.add(ordinal);
    this.#labelled.set(after, joined);
  }

  #choose(labels: StringMap): readonly string[] {
    const sets: string[] = [];
    const exclusive = labels[CLUSTER_SET_LABEL];
    if (exclusive !== undefined && this.#sets.get(exclusive)?.selector.kind === 'exclusive') sets.push(exclusive);
    for (const [name, { selector }] of this.#asked) if (selects(name, selector, labels)) sets.push(name);
    return sets.sort();
  }

  #move(ordinal: number, before: readonly string[], after: readonly string[]): void {
    for (const set of before) if (!after.includes(set)) this.#put(set, ordinal, false);
    for (const set of after) if (!before.includes(set)) this.#put(set, ordinal, true);
  }

  #put(set: string, ordinal: number, member: boolean): void {
    this.#sets.get(set)?.members.put(ordinal, member);
    this.#moved(set);
  }

  #membersOf(name: string, selector: ClusterSelector): Bitset {
    if (selector.kind === 'exclusive') return this.#labelled.get(name)?.copy() ?? new Bitset();
    const members = new Bitset();
    if (selector.kind !== 'labels') return members;
    for (const { ordinal, labels } of this.#clusters.values())
      if (selects(name, selector, labels)) members.add(ordinal);
    return members;
  }

  /** Writes a set's change into the lists of the clusters that it gained and lost. */
  #rename(set: string, before: Bitset, after: Bitset): void {
    for (const ordinal of before.values())
      if (!after.has(ordinal)) this.#relist(ordinal, (sets) => sets.filter((one) => one !== set));
    for (const ordinal of after.values())
      if (!before.has(ordinal)) this.#relist(ordinal, (sets) => [...sets, set].sort());
  }

  #relist(ordinal: number, change: (sets: readonly string[]) => readonly string[]): void {
    const member = this.#clusters.get(this.nameAt(ordinal));
    if (member !== undefined) member.sets = change(member.sets);
  }
}

/** Whether two maps hold the same keys and values. */
export function sameMap(a: StringMap, b: StringMap): boolean {
  if (a === b) return true;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (!Object.hasOwn(b, key) || a[key] !== b[key]) return false;
  return true;
}
