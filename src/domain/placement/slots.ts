import { DECISION_SIZE } from '../../api/names.js';
import type { StoredDecision } from './decision.js';
import type { Schedule } from './schedule.js';
import type { Slots } from './snapshot.js';

/** Which decision object each selected cluster stands in: kept from the first moment to the last. */

/** The decision objects that exist, by ordinal. */
export type Objects = ReadonlyMap<number, StoredDecision>;

/** An object of others, or a predecessor's whose deletion somebody's finalizer holds up. */
export type Obstacle = 'Foreign' | 'Terminating';

/** Whether the object is ours to write. */
export function isOwn(object: StoredDecision | undefined): object is StoredDecision {
  return object?.ownership === 'ours' || object?.ownership === 'adoptable';
}

/** Why nothing can be stored under the name of `object`. */
export function obstacle(object: StoredDecision | undefined): Obstacle | undefined {
  if (object?.ownership === 'foreign') return 'Foreign';
  return object?.ownership === 'predecessor' && object.deleting ? 'Terminating' : undefined;
}

/**
 * The slots that exist, lowest first: the first object, our objects, those that come back. A name that is taken counts
 * where it lies below one of them, so that a later plan fills in the same order.
 */
export function fillOrder(kept: Slots, objects: Objects): readonly number[] {
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

/** Kept clusters where they are, added ones into free slots: existing objects first, then new ones, each from below. */
export function fillSlots(schedule: Schedule, order: readonly number[]): Slots {
  const slots = schedule.kept.map((list) => [...list]);
  const existing = new Set(order);
  let next = 0;
  const pour = (ordinal: number): void => {
    while (slots.length < ordinal) slots.push([]);
    const list = slots[ordinal - 1] ?? [];
    const room = Math.max(DECISION_SIZE - list.length, 0);
    list.push(...schedule.added.slice(next, next + room));
    next += room;
  };
  for (const ordinal of order) pour(ordinal);
  for (let ordinal = 1; next < schedule.added.length; ordinal++) if (!existing.has(ordinal)) pour(ordinal);
  return slots;
}
