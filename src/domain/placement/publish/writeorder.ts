import { type StoredDecision, revisionOf } from '../stored/decision.js';
import { NO_PIECES, type Pieces, type Piece, type DecisionContent } from '../stored/items.js';
import type { Slots } from '../select/snapshot.js';

/** The writes that publish a selection, in an order in which readers never see too many clusters, or too few. */

interface WriteTarget extends DecisionContent {
  readonly name: string;
  readonly ordinal: number | undefined;
  /** The content of the object after the write; empty for a delete. */
  readonly clusters: readonly string[];
  /** The revision of `clusters`. */
  readonly revision: string;
}

export interface CreateDecision extends WriteTarget {
  readonly kind: 'create';
  readonly ordinal: number;
}

/** An update with `resourceVersion`: the stored one, or that which an earlier write of these changes returned. */
export interface UpdateDecision extends WriteTarget {
  readonly kind: 'update';
  readonly ordinal: number;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A delete with UID and resourceVersion as preconditions; `resourceVersion` as in {@link UpdateDecision}. */
export interface DeleteDecision extends WriteTarget {
  readonly kind: 'delete';
  readonly uid: string;
  readonly resourceVersion: string;
  /** `Misnamed`: the object is ours by its owner, but has a name that this controller does not use. */
  readonly cause: 'Empty' | 'Predecessor' | 'Misnamed';
}

export type DecisionWrite = CreateDecision | UpdateDecision | DeleteDecision;

/** A decision object of this Placement as stored. */
export interface PublishedSlice {
  readonly ordinal: number;
  readonly name: string;
  readonly clusters: readonly string[];
  /** The revision of `clusters`, which the annotation may differ from. */
  readonly revision: string;
  /** The piece that it belongs to; undefined without groups. */
  readonly piece: Piece | undefined;
}

export interface UnorderedWrite {
  readonly write: DecisionWrite;
  readonly ordinal: number;
  /** By how many clusters the object grows. */
  readonly growth: number;
}

/**
 * Objects that shrink come first, then those that keep their size, then those that grow. The latter are in the order in
 * which slots are filled, so that after a part of the writes the same clusters get the same free slots.
 */
export function orderWrites(writes: readonly UnorderedWrite[], order: readonly number[]): DecisionWrite[] {
  const existing = new Map(order.map((ordinal, index) => [ordinal, index]));
  const filled = (ordinal: number): number => existing.get(ordinal) ?? order.length + ordinal;
  const rank = ({ ordinal, growth }: UnorderedWrite): number => (growth > 0 ? filled(ordinal) : ordinal);
  return [...writes]
    .sort((a, b) => Math.sign(a.growth) - Math.sign(b.growth) || rank(a) - rank(b))
    .map((change) => change.write);
}

/** The writes; before each that adds a cluster which a later write removes elsewhere, that removal is inserted. */
export function withoutDuplicates(
  writes: readonly DecisionWrite[],
  published: readonly PublishedSlice[],
): DecisionWrite[] {
  const before = new Map(published.map((slice) => [slice.name, new Set(slice.clusters)]));
  const leaving = removalsByCluster(writes, before);
  const ordered = new Set<DecisionWrite>();
  const shrunk = new Set<DecisionWrite>();
  for (const write of writes) {
    for (const other of write.clusters.flatMap((cluster) => leaving.get(cluster) ?? [])) {
      if (ordered.has(other) || shrunk.has(other)) continue;
      shrunk.add(other);
      ordered.add(onlyRemovals(other, before.get(other.name)));
    }
    ordered.add(write);
  }
  return [...ordered];
}

/**
 * The writes, with all removals before the first addition. A decision that is larger than wanted would otherwise look even
 * larger after a crash, and clusters that count against the disruption budget would leave uncounted.
 */
export function removalsFirst(writes: readonly DecisionWrite[], published: readonly PublishedSlice[]): DecisionWrite[] {
  const before = new Map(published.map((slice) => [slice.name, slice.clusters]));
  const removing = writes.flatMap((write) => {
    const clusters = before.get(write.name) ?? [];
    const removes = clusters.some((cluster) => !write.clusters.includes(cluster));
    return removes ? [onlyRemovals(write, new Set(clusters))] : [];
  });
  return [...new Set([...removing, ...writes])];
}

/** Cluster → the writes that remove it from their object. */
function removalsByCluster(
  writes: readonly DecisionWrite[],
  before: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, readonly DecisionWrite[]> {
  const leaving = new Map<string, DecisionWrite[]>();
  for (const write of writes) {
    const staying = new Set(write.clusters);
    for (const cluster of before.get(write.name) ?? []) {
      if (!staying.has(cluster)) leaving.set(cluster, [...(leaving.get(cluster) ?? []), write]);
    }
  }
  return leaving;
}

/** `write` without the clusters that it adds; `write` itself when it adds none. */
function onlyRemovals(write: DecisionWrite, before: ReadonlySet<string> | undefined): DecisionWrite {
  const clusters = write.clusters.filter((cluster) => before?.has(cluster) === true);
  return clusters.length === write.clusters.length ? write : { ...write, clusters, revision: revisionOf(clusters) };
}

/** The existing decision objects by ordinal. */
export type Objects = ReadonlyMap<number, StoredDecision>;

/** `Foreign`: the object has another owner. `Terminating`: it is a predecessor's, and a finalizer delays its deletion. */
export type Obstacle = 'Foreign' | 'Terminating';

export function objectsOf(stored: readonly StoredDecision[]): Objects {
  const objects = new Map<number, StoredDecision>();
  for (const one of stored) if (one.ordinal !== undefined) objects.set(one.ordinal, one);
  return objects;
}

/** Why nothing can be stored under the name of `object`; undefined when it can. */
export function obstacle(object: StoredDecision | undefined): Obstacle | undefined {
  if (object?.ownership === 'foreign') return 'Foreign';
  return object?.ownership === 'predecessor' && object.deleting ? 'Terminating' : undefined;
}

/** The ordinals of the lists, of the objects and of their pieces, and 1. */
export function allOrdinals(slots: Slots, objects: Objects, pieces: Pieces = NO_PIECES): readonly number[] {
  const ordinals = new Set([...objects.keys(), ...pieces.keys()]);
  slots.forEach((_, index) => ordinals.add(index + 1));
  return [...ordinals.add(1)].sort((a, b) => a - b);
}
