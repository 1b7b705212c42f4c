import { DECISION_SIZE } from '../../../api/names.js';
import { comingIn, type Decision, chosen } from '../select/decision.js';
import { type Slots, selectedSince, type PlacementSnapshot } from '../select/snapshot.js';
import { isOwn, decisionName, revisionOf, type Published } from '../stored/decision.js';
import {
  obstacle,
  type Objects,
  allOrdinals,
  objectsOf,
  type Obstacle,
  orderWrites,
  removalsFirst,
  withoutDuplicates,
  type DecisionWrite,
  type PublishedSlice,
} from './writeorder.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { publishedLists } from '../select/draft.js';
import { domainOf } from '../spec/spread.js';
import type { GroupStrategy } from '../spec/groups.js';
import { hadDecision } from '../stored/basis.js';
import { detailName, detailsOf } from '../spec/details.js';
import { NO_DETAILS, NO_TIMES, type Details, type Since, NO_PIECES, type Piece, type Pieces } from '../stored/items.js';
import { layOut, type Layout } from './layout.js';
import { layoutWrites, unconditionalDeletes, withKeeper } from './objectwrites.js';
import { cutIntoPieces } from './pieces.js';

export type { DecisionWrite, PublishedSlice } from './writeorder.js';

/**
 * How a selection is published in decision objects. A cluster keeps its object as long as it is selected; with groups as long
 * as it keeps its piece.
 *
 * Guarantees, unless others edit the objects: after every prefix of the writes the union of the objects holds no cluster
 * twice, lacks none that stays selected, and is no larger than before the writes or after them, whichever is more. A computation
 * after any prefix, from the stored objects alone, ends in the same objects. With groups, a cluster whose group changes is
 * added to its new object before it leaves the old one, and is in both for a moment.
 * Caveat: without groups, a cluster that others have moved is removed from one object before it is added to the other.
 */

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
  /** What their items say of labels and claims; empty where the Placement names none. */
  readonly details: Details;
  /** The pieces of the objects; empty without groups. */
  readonly pieces: Pieces;
  /** In order: each write only after all before it have succeeded. */
  readonly writes: readonly DecisionWrite[];
  /** Sorted by ordinal. */
  readonly blocked: readonly BlockedSlice[];
  /** The objects of this Placement before the writes, sorted by ordinal. */
  readonly published: readonly PublishedSlice[];
}

/** The writes that publish a decision. */
export function sliceChanges(snapshot: PlacementSnapshot, decision: Decision): SliceChanges {
  const objects = objectsOf(snapshot.stored);
  const published = publishedIn(objects);
  const said = { since: sinceToStore(snapshot, decision), details: detailsToStore(snapshot, decision) };
  const groups = isFrozen(snapshot) ? undefined : snapshot.placement.rules.groups;
  const lists = decision.kept;
  const order = fillOrder(lists, objects);
  const staying = new Set(groups === undefined ? [] : lists.flat());
  const layout =
    groups === undefined
      ? ungrouped(fillSlots(decision, order), objects, snapshot)
      : grouped(groups, objects, { snapshot, decision, staying });
  const { first, second } = layoutWrites(layout, objects, { snapshot, decision, said, staying });
  const ordered = orderWrites(first, order);
  const writes = [
    ...unconditionalDeletes(snapshot.stored),
    ...(isUndecided(snapshot) ? [] : decision.uncounted > 0 ? removalsFirst(ordered, published) : ordered),
  ];
  return {
    base: decision.current,
    slots: layout.slots,
    ...said,
    pieces: layout.pieces,
    writes: withKeeper(
      groups === undefined ? withoutDuplicates(writes, published) : [...writes, ...second],
      snapshot.stored,
    ),
    blocked: blockedIn(snapshot.placement.name, layout.slots, objects),
    published,
  };
}

/** Whether the decision stays as it is: the spec is invalid, or pauses it. */
export function isFrozen({ placement: { rules } }: PlacementSnapshot): boolean {
  return rules.problem !== undefined || rules.paused;
}

/** Objects keep their pieces where the decision is frozen, and lose them where the spec has no groups. */
function ungrouped(slots: Slots, objects: Objects, snapshot: PlacementSnapshot): Layout {
  const pieces = isFrozen(snapshot) ? knownPieces(objects, snapshot) : NO_PIECES;
  return { slots, pieces, spare: undefined, leaving: new Map() };
}

/** The pieces of the published lists; those that this process published come before what others may have edited. */
function knownPieces(objects: Objects, { published }: PlacementSnapshot): Pieces {
  const isFree = (ordinal: number): boolean => obstacle(objects.get(ordinal)) === undefined;
  return new Map([...(published?.pieces ?? piecesOf(publishedIn(objects)))].filter(([ordinal]) => isFree(ordinal)));
}

function grouped(
  strategy: GroupStrategy,
  objects: Objects,
  { snapshot, decision, staying }: { snapshot: PlacementSnapshot; decision: Decision; staying: ReadonlySet<string> },
): Layout {
  const isFree = (ordinal: number): boolean => obstacle(objects.get(ordinal)) === undefined;
  const lists = publishedLists(snapshot);
  const pieces = new Map([...knownPieces(objects, snapshot)].filter(([, { selected }]) => selected > 0));
  const filled = cutIntoPieces({ strategy, snapshot, decision, lists, pieces });
  return layOut(filled, { lists, isFree, staying });
}

/** The piece of each cluster; none without groups. */
export function pieceOfEach(slices: readonly PublishedSlice[]): ReadonlyMap<string, Piece> {
  return new Map(
    slices.flatMap(({ clusters, piece }) =>
      piece === undefined ? [] : clusters.map((name) => [name, piece] as const),
    ),
  );
}

export function piecesOf(slices: readonly PublishedSlice[]): Pieces {
  return new Map(slices.flatMap(({ ordinal, piece }) => (piece === undefined ? [] : [[ordinal, piece] as const])));
}

/** The times of the items: for a cluster that comes in, and for each where `rebalance` is new, the time of now. */
function sinceToStore(snapshot: PlacementSnapshot, decision: Decision): Since {
  if (isFrozen(snapshot)) return selectedSince(snapshot);
  if (snapshot.placement.rules.rebalance === undefined) return NO_TIMES;
  const known = selectedSince(snapshot);
  const now = timestamp(snapshot.now);
  const isNew = (name: string): boolean => decision.fates.get(name)?.kind === 'comesIn';
  return new Map(chosen(decision).map((name) => [name, isNew(name) ? now : (known.get(name) ?? now)]));
}

/** What the items say of labels and claims: of a cluster that is gone, what they have said. */
function detailsToStore(snapshot: PlacementSnapshot, decision: Decision): Details {
  const { placement, selected, candidates, stored, published } = snapshot;
  const { details } = placement.rules;
  if (!isFrozen(snapshot) && details.length === 0) return NO_DETAILS;
  const known = new Map([
    ...(published?.details ?? NO_DETAILS),
    ...stored.filter(isOwn).flatMap((object) => [...object.details]),
  ]);
  if (isFrozen(snapshot)) return known;
  return new Map(
    chosen(decision).map((name) => {
      const view = selected.get(name) ?? candidates.view(name);
      const said = known.get(name) ?? {};
      return [name, detailsOf(details, (one) => (view === undefined ? said[detailName(one)] : domainOf(one, view)))];
    }),
  );
}

/** A Placement that is frozen before its first decision has none: the one after it is the first. */
function isUndecided(snapshot: PlacementSnapshot): boolean {
  return isFrozen(snapshot) && !hadDecision(snapshot.placement.status) && !snapshot.stored.some(isOwn);
}

/** The objects of this Placement after the first `done` writes, sorted by ordinal. */
export function publishedAfter(changes: SliceChanges, done = changes.writes.length): readonly PublishedSlice[] {
  const slices = new Map(changes.published.map((slice) => [slice.ordinal, slice]));
  for (const { kind, name, ordinal, clusters, revision, piece } of changes.writes.slice(0, done)) {
    if (ordinal === undefined) continue;
    if (kind === 'delete') slices.delete(ordinal);
    else slices.set(ordinal, { ordinal, name, clusters, revision, piece });
  }
  return [...slices.values()].sort((a, b) => a.ordinal - b.ordinal);
}

/** What is published after the first `done` writes. */
export function publishedBy(changes: SliceChanges, done = changes.writes.length): Published {
  const { since, details } = changes;
  return { lists: slotsAfter(changes, done), since, details, pieces: piecesOf(publishedAfter(changes, done)) };
}

/** The lists after the first `done` writes. */
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

function blockedIn(placement: string, slots: Slots, objects: Objects): BlockedSlice[] {
  const blocked: BlockedSlice[] = [];
  for (const ordinal of allOrdinals(slots, objects)) {
    const why = obstacle(objects.get(ordinal));
    const isNeeded = ordinal === 1 || (slots[ordinal - 1] ?? []).length > 0;
    if (why === undefined || !isNeeded) continue;
    blocked.push({ ordinal, name: decisionName(placement, ordinal), why });
  }
  return blocked;
}

function publishedIn(objects: Objects): PublishedSlice[] {
  const slices: PublishedSlice[] = [];
  for (const [ordinal, object] of objects) {
    if (!isOwn(object)) continue;
    const { name, clusters, piece } = object;
    slices.push({ ordinal, name, clusters, revision: revisionOf(clusters), piece });
  }
  return slices.sort((a, b) => a.ordinal - b.ordinal);
}

/** The objects of the clusters of a Placement without groups. */

/**
 * The ordinals of existing slots, lowest first: the first object, the objects that this controller may write, and those
 * that are created again. A blocked one counts when it is below one of them, so that a later computation fills in the same order.
 */
export function fillOrder(lists: Slots, objects: Objects): readonly number[] {
  const existing = new Set([1]);
  lists.forEach((list, index) => {
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
export function fillSlots(decision: Decision, order: readonly number[]): Slots {
  const slots = decision.kept.map((list) => [...list]);
  const added = comingIn(decision);
  const { move } = decision;
  const vacated = decision.current.findIndex((list) => move !== undefined && list.includes(move.leaves));
  if (move !== undefined && vacated >= 0 && added.length > 0) {
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
    list.push(...added.slice(next, next + free));
    next += free;
  };
  for (const ordinal of order) fillObject(ordinal);
  for (let ordinal = 1; next < added.length; ordinal++) if (!existing.has(ordinal)) fillObject(ordinal);
  return slots;
}
