import type { StoredDecision } from '../stored/decision.js';
import { NO_PIECES, type Pieces } from '../stored/piece.js';
import type { Slots } from '../select/snapshot.js';

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
