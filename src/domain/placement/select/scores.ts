import type { ScoreOf } from './choice/contest.js';
import type { PlacementSnapshot } from './snapshot.js';

/** The scores of clusters for a Placement, which count where spread does not decide: the higher one first. */
export function scoresOf(_snapshot: PlacementSnapshot): ScoreOf {
  return () => 0;
}
