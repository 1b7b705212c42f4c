import type { FollowingMoves, PlannedMove } from '../../answers/plan/movesahead.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';

/** Moves that follow, as several commands show them. */

/** Those that are not made at once, and in the other lists. */
export function laterMoves({ moves }: Pick<FollowingMoves, 'moves'>): readonly PlannedMove[] {
  return moves.filter(({ waitsFor }) => waitsFor !== undefined);
}

/** `edge-1 → edge-7`. */
export function pairText({ from, to }: PlannedMove): string {
  return `${wordText(from)} → ${wordText(to)}`;
}

/**
 * `score 81, 55 before, margin 20; not before 2026-11-22T10:01:00Z (intervalSeconds)`,
 * `comes in after edge-1 → edge-7; not before 2026-11-22T10:02:00Z`.
 */
export function laterText({ why, at, waitsFor }: Pick<PlannedMove, 'why' | 'at' | 'waitsFor'>): string {
  return `${why}; not before ${at}${waitsFor === undefined ? '' : ` (${waitsFor})`}`;
}
