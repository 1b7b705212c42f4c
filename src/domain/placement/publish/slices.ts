import { DECISION_SIZE } from '../../../api/names.js';
import { recordsEnd } from '../select/budget.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { selectedSince } from '../select/since.js';
import { decisionName, isOwn, revisionOf, type StoredDecision } from '../stored/decision.js';
import { contentOf, NO_TIMES, sameContent, type DecisionContent, type Since } from '../stored/items.js';
import { hadDecision } from '../stored/basis.js';
import type { Schedule } from '../select/schedule.js';
import {
  orderWrites,
  removalsFirst,
  withoutDuplicates,
  type CreateDecision,
  type DecisionWrite,
  type DeleteDecision,
  type PublishedSlice,
  type UnorderedWrite,
  type UpdateDecision,
} from './writeorder.js';
import type { PlacementSnapshot, Slots } from '../select/snapshot.js';

export type { DecisionWrite, PublishedSlice } from './writeorder.js';

/**
 * How a selection is published in decision objects. A cluster keeps its object as long as it is selected.
 *
 * Guarantees, unless others edit the objects: after every prefix of the writes the union of the objects holds no cluster
 * twice, lacks none that stays selected, and is no larger than before the writes or after them, whichever is more. A new computation
 * after any prefix, computed from the stored objects alone, ends in the same objects.
 * Caveat: a cluster that others have moved is removed from one object before it is added to the other.
 */

/** The existing decision objects by ordinal. */
type Objects = ReadonlyMap<number, StoredDecision>;

/** `Foreign`: the object has another owner. `Terminating`: it is a predecessor's, and a finalizer delays its deletion. */
type Obstacle = 'Foreign' | 'Terminating';

/** A decision object that is needed and cannot be written. */
export interface BlockedSlice {
  readonly ordinal: number;
  readonly name: string;
  readonly why: Obstacle;
}

export interface SliceChanges {
  /** The clusters selected before the writes. */
  readonly base: Slots;
  /** The object of each selected cluster; the list of a blocked slice is not published. */
  readonly slots: Slots;
  /** Since when these clusters are selected; empty where the items have no times. */
  readonly since: Since;
  /** In order: each write only after all before it have succeeded. */
  readonly writes: readonly DecisionWrite[];
  /** Sorted by ordinal. */
  readonly blocked: readonly BlockedSlice[];
  /** The objects of this Placement before the writes, sorted by ordinal. */
  readonly published: readonly PublishedSlice[];
}

/** The writes that publish `schedule`. */
export function sliceChanges(snapshot: PlacementSnapshot, schedule: Schedule): SliceChanges {
  const placement = snapshot.placement.name;
  const objects = new Map<number, StoredDecision>();
  for (const one of snapshot.stored) if (one.ordinal !== undefined) objects.set(one.ordinal, one);
  const order = fillOrder(schedule.kept, objects);
  const slots = fillSlots(schedule, order);
  const published = publishedIn(objects);
  const since = sinceToStore(snapshot, schedule);
  const ordered = orderWrites(unorderedWrites(slots, objects, { snapshot, schedule, since }), order);
  const writes = [
    ...unconditionalDeletes(snapshot.stored),
    ...(isUndecided(snapshot) ? [] : schedule.uncounted > 0 ? removalsFirst(ordered, published) : ordered),
  ];
  return {
    base: schedule.current,
    slots,
    since,
    writes: withoutDuplicates(writes, published),
    blocked: blockedIn(placement, slots, objects),
    published,
  };
}

/** The times of the items: for a cluster that comes in, and for each where `rebalance` is new, the time of now. */
function sinceToStore(snapshot: PlacementSnapshot, { kept, added, problem }: Schedule): Since {
  const known = selectedSince(snapshot);
  if (problem !== undefined || snapshot.placement.rules.paused) return known;
  if (snapshot.placement.rules.rebalance === undefined) return NO_TIMES;
  const now = timestamp(snapshot.now);
  const since = new Map(kept.flat().map((name) => [name, known.get(name) ?? now]));
  for (const name of added) since.set(name, now);
  return since;
}

/** A Placement that is paused before its first decision has none: the one after it is the first. */
function isUndecided({ placement, stored }: PlacementSnapshot): boolean {
  return placement.rules.paused && !hadDecision(placement.status) && !stored.some(isOwn);
}

/** The objects of this Placement after the first `done` writes, sorted by ordinal. */
export function publishedAfter(changes: SliceChanges, done = changes.writes.length): readonly PublishedSlice[] {
  const slices = new Map(changes.published.map((slice) => [slice.ordinal, slice]));
  for (const { kind, name, ordinal, clusters, revision } of changes.writes.slice(0, done)) {
    if (ordinal === undefined) continue;
    if (kind === 'delete') slices.delete(ordinal);
    else slices.set(ordinal, { ordinal, name, clusters, revision });
  }
  return [...slices.values()].sort((a, b) => a.ordinal - b.ordinal);
}

/** The lists to remember after the first `done` writes: see `PlacementSnapshot.remembered`. */
export function slotsAfter(changes: SliceChanges, done = changes.writes.length): Slots {
  const length = Math.max(changes.slots.length, changes.base.length);
  const pending = new Set(changes.writes.slice(done).map((write) => write.ordinal));
  const blocked = new Set(changes.blocked.map((slice) => slice.ordinal));
  const slots = Array.from({ length }, (_, index) => {
    const before = changes.base[index] ?? [];
    const target = changes.slots[index] ?? [];
    if (blocked.has(index + 1)) return before.filter((name) => target.includes(name));
    return pending.has(index + 1) ? before : target;
  });
  for (const write of changes.writes.slice(0, done)) {
    if (write.ordinal !== undefined && pending.has(write.ordinal)) slots[write.ordinal - 1] = write.clusters;
  }
  return slots;
}

/** Why nothing can be stored under the name of `object`; undefined when it can. */
function obstacle(object: StoredDecision | undefined): Obstacle | undefined {
  if (object?.ownership === 'foreign') return 'Foreign';
  return object?.ownership === 'predecessor' && object.deleting ? 'Terminating' : undefined;
}

/**
 * The ordinals of existing slots, lowest first: the first object, the objects that this controller may write, and those
 * that are created again. A blocked one counts when it is below one of them, so that a later computation fills in the same order.
 */
function fillOrder(kept: Slots, objects: Objects): readonly number[] {
  const existing = new Set([1]);
  kept.forEach((list, index) => {
    if (list.length > 0) existing.add(index + 1);
  });
  for (const [ordinal, object] of objects) if (isOwn(object)) existing.add(ordinal);
  const highest = Math.max(...existing);
  for (const [ordinal, object] of objects) {
    if (ordinal < highest && obstacle(object) !== undefined) existing.add(ordinal);
  }
  return [...existing].sort((a, b) => a - b);
}

/** Leaves kept clusters in their objects and adds the others to free slots: existing objects first, lowest first. */
function fillSlots(schedule: Schedule, order: readonly number[]): Slots {
  const slots = schedule.kept.map((list) => [...list]);
  const { move } = schedule;
  const vacated = schedule.current.findIndex((list) => move !== undefined && list.includes(move.leaves));
  if (move !== undefined && vacated >= 0 && schedule.added.length > 0) {
    // One write takes one out and the other in: no crash comes between.
    slots[vacated]?.push(move.comes);
    return slots;
  }
  const existing = new Set(order);
  let next = 0;
  const fillObject = (ordinal: number): void => {
    while (slots.length < ordinal) slots.push([]);
    const list = slots[ordinal - 1] ?? [];
    const free = Math.max(DECISION_SIZE - list.length, 0);
    list.push(...schedule.added.slice(next, next + free));
    next += free;
  };
  for (const ordinal of order) fillObject(ordinal);
  for (let ordinal = 1; next < schedule.added.length; ordinal++) if (!existing.has(ordinal)) fillObject(ordinal);
  return slots;
}

/** Deletes that do not depend on the selection: objects of a predecessor, and ours with an unused name. */
function unconditionalDeletes(stored: readonly StoredDecision[]): DeleteDecision[] {
  const writes: DeleteDecision[] = [];
  for (const object of stored) {
    const { ownership, ordinal, deleting } = object;
    if (deleting) continue;
    if (ownership === 'predecessor' && ordinal !== undefined) writes.push(deleteWrite(object, 'Predecessor'));
    if (ownership === 'ours' && ordinal === undefined) writes.push(deleteWrite(object, 'Misnamed'));
  }
  return writes.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function deleteWrite(
  { name, ordinal, uid, resourceVersion }: StoredDecision,
  cause: DeleteDecision['cause'],
): DeleteDecision {
  return { kind: 'delete', name, ordinal, ...contentOf([]), revision: revisionOf([]), uid, resourceVersion, cause };
}

interface Decided {
  readonly snapshot: PlacementSnapshot;
  readonly schedule: Schedule;
  readonly since: Since;
}

/** One change for each object that differs from the wanted one, without blocked objects. */
function unorderedWrites(slots: Slots, objects: Objects, decided: Decided): UnorderedWrite[] {
  const found: UnorderedWrite[] = [];
  const placement = decided.snapshot.placement.name;
  const { since } = decided;
  for (const ordinal of allOrdinals(slots, objects)) {
    const target = contentOf(slots[ordinal - 1] ?? [], since);
    const object = objects.get(ordinal);
    if (obstacle(object) !== undefined) continue;
    const stays = isNeeded(ordinal, target.clusters) || keepsRecord(object, ordinal, decided);
    const write = isOwn(object)
      ? updateWrite(object, ordinal, stays ? target : undefined)
      : createWrite(placement, ordinal, stays ? target : undefined);
    const before = isOwn(object) ? object.clusters.length : 0;
    if (write !== undefined) found.push({ write, ordinal, growth: write.clusters.length - before });
  }
  return found;
}

function allOrdinals(slots: Slots, objects: Objects): readonly number[] {
  const ordinals = new Set(objects.keys());
  slots.forEach((_, index) => ordinals.add(index + 1));
  return [...ordinals.add(1)].sort((a, b) => a - b);
}

/** Whether an object has to stay although it may be empty: an annotation records changes that still count. */
function keepsRecord(
  object: StoredDecision | undefined,
  ordinal: number,
  { snapshot, schedule: { current, counted } }: Decided,
): boolean {
  const leaving = [...(current[ordinal - 1] ?? []), ...(isOwn(object) ? object.clusters : [])];
  if (leaving.some((name) => counted.has(name))) return true;
  if (!isOwn(object)) return false;
  return recordsEnd(object, snapshot) > snapshot.now;
}

/** `wanted`: the content of the object; undefined for no object. */
function createWrite(
  placement: string,
  ordinal: number,
  wanted: DecisionContent | undefined,
): CreateDecision | undefined {
  if (wanted === undefined) return undefined;
  const revision = revisionOf(wanted.clusters);
  return { kind: 'create', name: decisionName(placement, ordinal), ordinal, ...wanted, revision };
}

function updateWrite(
  object: StoredDecision,
  ordinal: number,
  wanted: DecisionContent | undefined,
): UpdateDecision | DeleteDecision | undefined {
  if (wanted === undefined && !object.deleting) return deleteWrite(object, 'Empty');
  const content = wanted ?? contentOf([]);
  const revision = revisionOf(content.clusters);
  if (object.intact && object.revision === revision && sameContent(object, content)) return undefined;
  const { name, uid, resourceVersion } = object;
  return { kind: 'update', name, ordinal, ...content, revision, uid, resourceVersion };
}

/** The first object always exists; any other only with clusters in it. */
function isNeeded(ordinal: number, clusters: readonly string[]): boolean {
  return ordinal === 1 || clusters.length > 0;
}

function blockedIn(placement: string, slots: Slots, objects: Objects): BlockedSlice[] {
  const blocked: BlockedSlice[] = [];
  for (const ordinal of allOrdinals(slots, objects)) {
    const why = obstacle(objects.get(ordinal));
    if (why === undefined || !isNeeded(ordinal, slots[ordinal - 1] ?? [])) continue;
    blocked.push({ ordinal, name: decisionName(placement, ordinal), why });
  }
  return blocked;
}

function publishedIn(objects: Objects): PublishedSlice[] {
  const slices: PublishedSlice[] = [];
  for (const [ordinal, object] of objects) {
    if (!isOwn(object)) continue;
    const { name, clusters } = object;
    slices.push({ ordinal, name, clusters, revision: revisionOf(clusters) });
  }
  return slices.sort((a, b) => a.ordinal - b.ordinal);
}
