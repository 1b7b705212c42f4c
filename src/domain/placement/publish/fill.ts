import { DECISION_SIZE } from '../../../api/names.js';
import { comingIn, type Decision } from '../select/decision.js';
import type { Slots } from '../select/snapshot.js';
import { isOwn } from '../stored/decision.js';
import { obstacle, type Objects } from './objects.js';

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
