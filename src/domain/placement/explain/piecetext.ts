import { publishedAfter, pieceOfEach, sliceChanges } from '../publish/slices.js';
import type { Decision } from '../select/decision.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import type { Piece } from '../stored/items.js';

const NONE: ReadonlyMap<string, Piece> = new Map();

/** The piece of each cluster once the decision is published; none without groups. */
export function decidedPieces(snapshot: PlacementSnapshot, decided: Decision): ReadonlyMap<string, Piece> {
  const isKept = snapshot.placement.rules.problem !== undefined || snapshot.placement.rules.paused;
  if (snapshot.placement.rules.groups === undefined && !isKept) return NONE;
  return pieceOfEach(publishedAfter(sliceChanges(snapshot, decided)));
}

/** `piece 0 (group canary)`, `piece 3 (no group)`. */
export function pieceText({ group, index }: Pick<Piece, 'group' | 'index'>): string {
  return `piece ${index} (${group === '' ? 'no group' : `group ${group}`})`;
}
