import { DECISION_SIZE } from '../../api/names.js';
import type { StoredDecision } from './decision.js';
import type { Schedule } from './schedule.js';
import type { Slots } from './snapshot.js';

/** The assignment of selected clusters to decision objects: a cluster keeps its object as long as it is selected. */

/** The existing decision objects by ordinal. */
export type Objects = ReadonlyMap<number, StoredDecision>;

/** `Foreign`: the object has another owner. `Terminating`: it is a predecessor's, and a finalizer delays its deletion. */
export type Obstacle = 'Foreign' | 'Terminating';

/** Whether this controller may write the object. */
export function isOwn(object: StoredDecision | undefined): object is StoredDecision {
  return object?.ownership === 'ours' || object?.ownership === 'adoptable';
}

/** Why nothing can be stored under the name of `object`; undefined when it can. */
export function obstacle(object: StoredDecision | undefined): Obstacle | undefined {
  if (object?.ownership === 'foreign') return 'Foreign';
  return object?.ownership === 'predecessor' && object.deleting ? 'Terminating' : undefined;
}

/**
 * The ordinals of existing slots, lowest first: the first object, the objects that this controller may write, and those
 * that are created again. A blocked one counts when it is below one of them, so that a later plan fills in the same order.
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

/** Leaves kept clusters in their objects and adds the others to free slots: existing objects first, lowest first. */
export function fillSlots(schedule: Schedule, order: readonly number[]): Slots {
  const slots = schedule.kept.map((list) => [...list]);
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
