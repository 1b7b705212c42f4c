import type { Details, Since } from './items.js';
import type { Pieces } from './piece.js';

/** The clusters of each decision object: `slots[n - 1]` is the list of object n, empty when it does not exist. */
export type Slots = readonly (readonly string[])[];

/** What was last published of the decision of a Placement: the next decision begins with it. */
export interface Published {
  /** Undefined after a write that may or may not be stored. A cluster that changes its object is in two lists for a moment. */
  readonly lists: Slots | undefined;
  /** Since when these clusters are selected, where their items have times. */
  readonly since: Since;
  /** The values of labels and claims that their items have. */
  readonly details: Details;
  /** The pieces of groups that the objects belong to. */
  readonly pieces: Pieces;
}
