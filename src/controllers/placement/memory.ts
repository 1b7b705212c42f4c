import type { Slots } from '../../domain/placement/snapshot.js';

/** What is kept of one Placement between reconciles. */
export interface PlacementState {
  readonly uid: string;
  /** The lists last published; undefined before the first reconcile and after a write whose outcome is unknown. */
  slots: Slots | undefined;
  /** Names of the known decision objects: the cache may not show those that were just created. */
  readonly decisions: Set<string>;
  /** Names of the decision objects whose last write has an unknown outcome: they are read before the next decision. */
  readonly unconfirmed: Set<string>;
}

/** The state of every Placement that this process has reconciled and that exists. All of it may be lost at any time. */
export class PlacementMemory {
  readonly #states = new Map<string, PlacementState>();

  find(key: string): PlacementState | undefined {
    return this.#states.get(key);
  }

  /** The state of the Placement `key` with this uid: an empty one for a Placement created anew under the same name. */
  stateOf(key: string, uid: string): PlacementState {
    const known = this.#states.get(key);
    if (known?.uid === uid) return known;
    return { uid, slots: undefined, decisions: new Set(), unconfirmed: new Set() };
  }

  remember(key: string, state: PlacementState): void {
    this.#states.set(key, state);
  }

  forget(key: string): void {
    this.#states.delete(key);
  }

  clear(): void {
    this.#states.clear();
  }
}
