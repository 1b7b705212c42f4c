import type { Move } from './move.js';
import type { Outcome } from './side.js';

/** A difference between the embedded server and the real one that is meant, or that is borne. */
export interface KnownDifference {
  readonly reason: string;
  readonly applies: (move: Move, embedded: Outcome, real: Outcome) => boolean;
}

/** Everything else that differs is a fault. */
export const KNOWN: readonly KnownDifference[] = [];
