import type { KubeObject } from '../vocabulary/meta.js';
import { keyOf } from '../vocabulary/names.js';
import type { WatchEvent } from './watchevent.js';

/**
 * The state that a watch with `sendInitialEvents` sends: its objects, with the changes that came between them, up to the
 * bookmark that ends it.
 */
export class InitialEvents<T extends KubeObject> {
  readonly #prepare: (object: T) => T;
  readonly #objects = new Map<string, T>();
  #complete = false;

  /** `prepare` is applied to each object. */
  constructor(prepare: (object: T) => T) {
    this.#prepare = prepare;
  }

  /** Whether the bookmark has come: `objects` is the whole state at its resourceVersion. */
  get complete(): boolean {
    return this.#complete;
  }

  get objects(): ReadonlyMap<string, T> {
    return this.#objects;
  }

  add(event: WatchEvent<T>): void {
    if (event.type === 'BOOKMARK') this.#complete = event.endsInitialEvents;
    else if (event.type === 'DELETED') this.#objects.delete(keyOf(event.object.metadata));
    else this.#objects.set(keyOf(event.object.metadata), this.#prepare(event.object));
  }
}
