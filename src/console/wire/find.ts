import type { Health } from '../../answers/fleetsummary.js';

/** What a text in the box can mean: names, states and questions, each with what it is about. */

export type Meaning =
  | { readonly kind: 'cluster'; readonly name: string; readonly health: Health }
  | { readonly kind: 'placement'; readonly namespace: string; readonly name: string; readonly phase: string }
  | { readonly kind: 'set'; readonly name: string; readonly clusters: number }
  /** All clusters of a health. */
  | { readonly kind: 'health'; readonly health: Health; readonly clusters: number }
  /** All Placements of a phase; `Held`: all that hold clusters. */
  | { readonly kind: 'phase'; readonly phase: string; readonly placements: number }
  /** Clusters by a filter of the fleet. */
  | { readonly kind: 'filter'; readonly q: string; readonly clusters: number }
  | { readonly kind: 'why'; readonly cluster: string; readonly namespace: string; readonly name: string }
  /** `target`: as `plan --lose` takes it. */
  | { readonly kind: 'lose'; readonly target: string; readonly clusters: number }
  /** `key`: as `plan --lose-each` takes it. */
  | { readonly kind: 'each'; readonly key: string; readonly clusters: number }
  | { readonly kind: 'drain'; readonly name: string; readonly health: Health }
  /** Of a Placement, or of a cluster, whose namespace is empty. */
  | { readonly kind: 'edit' | 'history'; readonly namespace: string; readonly name: string };

export interface Found {
  /** How many there are; some are sent. */
  readonly total: number;
  /** The one that was most probably meant first. */
  readonly rows: readonly Meaning[];
  /** Nothing is called so: these are named alike, or there instead. */
  readonly isGuess?: true;
}
